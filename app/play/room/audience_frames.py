"""Frames of a table for one audience, built from a view and redacted events, never cut down from the full state.

An audience is a seat, or None for all spectators. This is the only file that turns a table into frames. What they
contain of the game comes from `rules.view`, `rules.events_for` and `rules.choices_json`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import orjson
from msgspec import UNSET, UnsetType

from app.play.frames import (
    ClockBlock,
    Frame,
    RatedBlock,
    ScreenBlock,
    SeriesBlock,
    State,
    TableBlock,
    TableChange,
    YourSeat,
    encode,
)
from app.play.log.auto_start import automatic_start_at
from app.play.log.entries import Entry
from app.play.log.series import Series
from app.play.log.table import Table
from app.rules import Event, position_to_json

Audience = int | None
# Kinds of entries whose frame carries the view, or the clock, again.
_KINDS_WITH_VIEW = frozenset(("started", "undo", "aborted", "closed"))
_KINDS_WITH_CLOCK = frozenset(
    ("started", "undo", "paused", "continued", "credited", "takeover", "returned", "aborted", "closed")
)


def table_block(table: Table) -> TableBlock:
    """Return the public state of a table."""
    terms = table.terms
    return TableBlock(
        id=table.id,
        title=table.title(),
        status=table.status,
        options=table.rules.options_to_json(table.options),
        rules_version=table.rules_version,
        visibility=terms.visibility,
        locked=terms.password_hash is not None,
        spectators=terms.spectators,
        clock=terms.clock.to_json(),
        on_timeout=terms.on_timeout,
        absence=terms.absence,
        hints=terms.hints,
        pace=terms.pace,
        bot_level=terms.bot_level,
        host=table.host,
        commitment=table.commitment,
        # Only when the game is over: with it every card can be recomputed.
        server_seed=table.server_seed if _is_fully_revealed(table) and table.started_at is not None else None,
        scheme=table.chance_scheme,
        nonces=[seat.nonce for seat in table.seats],
        **_seal_fields(table),
        seats=[seat.to_frame(table.names) for seat in table.seats],
        consents={to: sorted(seats) for to, seats in table.consents.items()},
        votes={
            str(about): {str(seat): choice for seat, choice in votes.items()}
            for about, votes in table.votes.items()
        },
        paused=table.is_paused,
        chat_closed=table.chat_closed,
        result=table.result,
        next=table.next_game,
        next_commitment=table.next_commitment,
        closed_why=UNSET if table.closed_why is None else table.closed_why,
        removed_until=(
            table.removed_until(table.removed) if table.removed and table.status == "open" else UNSET
        ),
        deal=UNSET if table.deal is None else table.deal,
        series=UNSET if table.series is None else _series_block(table, table.series),
        screen=ScreenBlock(begins=automatic_start_at(table)) if table.is_from_screen else UNSET,
        rated=_rated_block(table) if table.is_rated else UNSET,
    )


def _is_fully_revealed(table: Table) -> bool:
    """Return whether nothing is hidden any more.

    In a game of the deal of the day, which others play too, this is never so (deal_rules.py). Its cards are in the
    record, which is available when the day is over (web/api/records.py).
    """
    return table.is_over and table.deal is None


def _rated_block(table: Table) -> RatedBlock:
    counts = table.started_at is not None or table.is_enough_for_rating()
    return RatedBlock(pool=table.rating_pool(), counts=counts)


def _series_block(table: Table, series: Series) -> SeriesBlock:
    winner = (table.result or {}).get("winner")
    return SeriesBlock(
        after=series.after, wins=series.count_wins(table.seats, winner), begins=automatic_start_at(table)
    )


def _seal_fields(table: Table) -> dict[str, Any]:
    """Return the fields of a table with sealed seats: seals, the round in progress and the voided rounds."""
    if table.chance_scheme != 2:
        return {}
    until = table.seal_round_ends_at()
    return {
        "seals": [seat.seal for seat in table.seats],
        "opening": None if table.seal_round is None or until is None else table.seal_round.to_frame(until),
        "void_rounds": len(table.void_rounds),
        "void_why": table.void_rounds[-1].why if table.void_rounds else None,
    }


def view_json(table: Table, seat: Audience) -> dict[str, Any] | None:
    """Return the game as this audience may see it, or None before the start."""
    if table.position is None:
        return None
    if _is_fully_revealed(table):
        # Nothing is hidden in a game that is over (docs/interchange.md), aborted ones included.
        return position_to_json(table.position)
    return table.rules.view(table.position, seat)


def _clock_block(table: Table) -> ClockBlock | None:
    return table.clocks.to_frame() if table.clocks is not None else None


def can_choose(table: Table, seat: Audience) -> bool:
    """Return whether the game waits for a choice of this audience."""
    return seat is not None and seat in table.to_act and not table.is_paused and table.seats[seat].bot is None


def _seat_offers(table: Table, seat: Audience) -> dict[str, Any]:
    """Return the fields for this seat alone: its choices, and whether it can undo."""
    offers: dict[str, Any] = {}
    if seat is None or table.status != "running":
        return offers
    if can_choose(table, seat):
        offers["choices"] = msgspec.Raw(table.choices_json(seat))
    if table.can_undo(seat) and not table.is_paused and table.seats[seat].bot is None:
        offers["undo"] = True
    return offers


def state_frame(table: Table, seat: Audience) -> State:
    """Return the whole state for one audience."""
    return State(
        seq=table.seq,
        at=table.at,
        you=YourSeat(seat=seat),
        table=table_block(table),
        view=view_json(table, seat),
        clock=_clock_block(table),
        **_seat_offers(table, seat),
    )


def table_frame(
    before: Table, table: Table, entry: Entry, seat: Audience, block: TableBlock, ack: str | None
) -> TableChange:
    """Return the frame of an entry other than an action; `block` is the table block, shared by all audiences."""
    about = entry.body.get("about", entry.seat)
    return TableChange(
        seq=entry.seq,
        at=entry.at,
        kind=entry.kind,
        seat=about if about >= 0 else UNSET,
        why=entry.body.get("why", UNSET) if entry.kind == "left" else UNSET,
        removed_until=_removal_end(before, table, entry),
        you=YourSeat(seat=seat),
        table=block,
        view=view_json(table, seat) if entry.kind in _KINDS_WITH_VIEW else UNSET,
        clock=_clock_block(table) if entry.kind in _KINDS_WITH_CLOCK else UNSET,
        ack=UNSET if ack is None else ack,
        **_seat_offers(table, seat),
    )


def _removal_end(before: Table, table: Table, entry: Entry) -> int | UnsetType:
    """Return when the person whom the host has removed with this entry may sit down again."""
    if entry.kind != "left" or entry.body.get("why") != "removed":
        return UNSET
    person = before.seats[entry.seat].person
    return UNSET if person is None else table.removed[person]


def event_frames(
    before: Table,
    table: Table,
    entry: Entry,
    events: tuple[Event, ...],
    audiences: Iterable[Audience],
    acked: Audience,
    public: bytes = b"",
) -> dict[Audience, Frame]:
    """Return the frames of an action by audience, in the format of the struct `Events`.

    The frame under None is always there; audiences with nothing of their own to see share it. `public` is its bytes,
    if the worker that wrote the entry has sent them. The other frames are the same bytes with fields added.
    """
    rules, options = table.rules, table.options
    if not public:
        public = _events_frame(before, table, entry, rules.events_for(events, None, options))
    plain = Frame(public, entry.seq)
    frames: dict[Audience, Frame] = dict.fromkeys(audiences, plain)
    frames[None] = plain
    privileged_seats = rules.privileged_seats(events, options)
    concerned = {acked, *table.to_act, *privileged_seats}
    if table.undo_stack and table.position is not None:
        concerned.add(table.position.turn_seat)
    for seat in concerned:
        if seat is None or seat not in frames:
            continue
        known = public
        if seat in privileged_seats:
            known = _events_frame(before, table, entry, rules.events_for(events, seat, options))
        parts = [known[:-1]]
        if not table.is_over and table.seats[seat].bot is None:
            if seat in table.to_act and not table.is_paused:
                parts += b',"choices":', table.choices_json(seat)
            if table.undo_stack and table.can_undo(seat):
                parts.append(b',"undo":true')
        if seat == acked and entry.command is not None:
            parts += b',"ack":"', entry.command.encode(), b'"'  # an id has only letters, digits, - and _
        parts.append(b"}")
        frames[seat] = Frame(b"".join(parts), entry.seq)
    return frames


def _events_frame(before: Table, table: Table, entry: Entry, events: list[dict[str, Any]]) -> bytes:
    """Encode the events as one audience knows them, with the clock and the table block where those changed."""
    frame: dict[str, Any] = {"t": "events", "seq": entry.seq, "at": entry.at, "events": events}
    if entry.by != "person":
        frame["by"] = entry.by
    clocks = table.clocks
    if (
        clocks is not None
        and clocks.is_timed
        and (
            before.clocks is None
            or clocks.running != before.clocks.running
            # between two bots no clock runs, but a bank gets its increment
            or clocks.turn != before.clocks.turn
        )
    ):
        frame["clock"] = orjson.Fragment(encode(clocks.to_frame()))
    has_come_back = entry.kind == "action" and table.seats is not before.seats  # an action ends an absence
    if table.is_over or has_come_back:
        frame["table"] = orjson.Fragment(encode(table_block(table)))
    return orjson.dumps(frame)
