"""What viewers are told: frames built up for one audience from a view and redacted events, never cut down.

An audience is a seat, or None for everybody without one. This is the only file that turns a table into
frames, and it takes what it says of the game from `rules.view`, `rules.events_for` and `rules.choices`.
"""

from __future__ import annotations

from typing import Any

import orjson
from msgspec import UNSET

from app.play.frames import (
    Clock,
    Frame,
    ScreenBlock,
    SeriesBlock,
    State,
    TableBlock,
    TableChange,
    YourSeat,
    encode,
)
from app.play.log.beginning import begins_at
from app.play.log.entries import Entry
from app.play.log.series import Series
from app.play.log.table import Table
from app.rules import Event, position_to_json

Audience = int | None
_VIEW_ANEW = frozenset(("started", "undo", "aborted", "closed"))
_CLOCK_ANEW = frozenset(
    ("started", "undo", "paused", "continued", "credited", "takeover", "returned", "aborted", "closed")
)


def table_block(table: Table) -> TableBlock:
    """All of it is public."""
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
        clock=terms.clock.as_json(),
        on_timeout=terms.on_timeout,
        absence=terms.absence,
        hints=terms.hints,
        pace=terms.pace,
        bot_level=terms.bot_level,
        host=table.host,
        commitment=table.commitment,
        # Over, and only then: with it anybody can recompute every card.
        server_seed=table.server_seed if _is_shown(table) and table.started_at is not None else None,
        scheme=table.scheme,
        nonces=[seat.nonce for seat in table.seats],
        **_seals(table),
        seats=[seat.shown(table.names) for seat in table.seats],
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
        deal=UNSET if table.deal is None else table.deal,
        series=UNSET if table.series is None else _series(table, table.series),
        screen=ScreenBlock(begins=begins_at(table)) if table.is_from_screen else UNSET,
    )


def _is_shown(table: Table) -> bool:
    """Whether nothing is hidden here any more. Of a deal that others play too a room never shows more than a seat
    sees (sealed_rules.py), whatever the day: when it is over, the record does (web/api/records.py)."""
    return table.is_over and table.deal is None


def _series(table: Table, series: Series) -> SeriesBlock:
    winner = (table.result or {}).get("winner")
    return SeriesBlock(after=series.after, wins=series.score(table.seats, winner), begins=begins_at(table))


def _seals(table: Table) -> dict[str, Any]:
    """Where seats are sealed: the seals, a start that waits to be opened, and those that came to nothing."""
    if table.scheme != 2:
        return {}
    until = table.round_until()
    return {
        "seals": [seat.seal for seat in table.seats],
        "opening": None if table.round is None or until is None else table.round.shown(until),
        "void_rounds": len(table.void_rounds),
        "void_why": table.void_rounds[-1].why if table.void_rounds else None,
    }


def view_json(table: Table, seat: Audience) -> dict[str, Any] | None:
    """The game as this audience may see it."""
    if table.position is None:
        return None
    if _is_shown(table):
        # docs/interchange.md: when the game is over nothing is hidden. An aborted one has no winner, but is over.
        return position_to_json(table.position)
    return table.rules.view(table.position, seat)


def _clock(table: Table) -> Clock | None:
    return table.clocks.shown() if table.clocks is not None else None


def may_choose(table: Table, seat: Audience) -> bool:
    """Whether this audience is asked for something now."""
    return seat is not None and seat in table.to_act and not table.is_paused and table.seats[seat].bot is None


def _offers(table: Table, seat: Audience) -> dict[str, Any]:
    """What only this seat is told: its choices and whether it may take back."""
    offers: dict[str, Any] = {}
    if seat is None or table.status != "running":
        return offers
    if may_choose(table, seat):
        assert table.position is not None
        offers["choices"] = table.rules.choices(table.position, seat, is_sealed=table.is_undo_closed)
    if table.may_undo(seat) and not table.is_paused and table.seats[seat].bot is None:
        offers["undo"] = True
    return offers


def state_frame(table: Table, seat: Audience) -> State:
    """Everything this audience has."""
    return State(
        seq=table.seq,
        at=table.at,
        you=YourSeat(seat=seat),
        table=table_block(table),
        view=view_json(table, seat),
        clock=_clock(table),
        **_offers(table, seat),
    )


def table_frame(
    table: Table, entry: Entry, seat: Audience, block: TableBlock, ack: str | None
) -> TableChange:
    """An entry that was not a game action, for one audience; `block` is the table block, made once."""
    about = entry.body.get("about", entry.seat)
    return TableChange(
        seq=entry.seq,
        at=entry.at,
        kind=entry.kind,
        seat=about if about >= 0 else UNSET,
        why=entry.body.get("why", UNSET) if entry.kind == "left" else UNSET,
        you=YourSeat(seat=seat),
        table=block,
        view=view_json(table, seat) if entry.kind in _VIEW_ANEW else UNSET,
        clock=_clock(table) if entry.kind in _CLOCK_ANEW else UNSET,
        ack=UNSET if ack is None else ack,
        **_offers(table, seat),
    )


def event_frames(
    before: Table,
    table: Table,
    entry: Entry,
    events: tuple[Event, ...],
    audiences: list[Audience],
    acked: Audience,
    public: bytes = b"",
) -> dict[Audience, Frame]:
    """An action for every audience that listens, as the struct Events has it.

    One frame, always there under None, goes to everybody to whom nothing else is said (`public`, if another worker
    has made it already); the parts of the others are pasted together as bytes.
    """
    rules, options = table.rules, table.options
    if not public:
        public = _events_frame(before, table, entry, rules.events_for(events, None, options))
    plain = Frame(public, entry.seq)
    frames: dict[Audience, Frame] = dict.fromkeys(audiences, plain)
    frames[None] = plain
    insiders = rules.insiders(events, options)
    concerned = {acked, *table.to_act, *insiders}
    if table.undo_stack and table.position is not None:
        concerned.add(table.position.turn_seat)
    for seat in concerned:
        if seat is None or seat not in frames:
            continue
        known = public
        if seat in insiders:
            known = _events_frame(before, table, entry, rules.events_for(events, seat, options))
        parts = [known[:-1]]
        if not table.is_over and table.seats[seat].bot is None:
            if seat in table.to_act and not table.is_paused:
                parts += b',"choices":', table.choices_json(seat)
            if table.undo_stack and table.may_undo(seat):
                parts.append(b',"undo":true')
        if seat == acked and entry.command is not None:
            parts += b',"ack":"', entry.command.encode(), b'"'  # an id has only letters, digits, - and _
        parts.append(b"}")
        frames[seat] = Frame(b"".join(parts), entry.seq)
    return frames


def _events_frame(before: Table, table: Table, entry: Entry, events: list[dict[str, Any]]) -> bytes:
    """An action's events, as one audience knows them, with what else everybody is told: nearly always nothing."""
    told = b'{"t":"events","seq":%d,"at":%d,"events":%b' % (entry.seq, entry.at, orjson.dumps(events))
    if entry.by != "person":
        told += b',"by":"%b"' % entry.by.encode()
    clocks = table.clocks
    if (
        clocks is not None
        and clocks.terms.kind != "none"
        and (
            before.clocks is None
            or clocks.running != before.clocks.running
            # from bot to bot nothing runs, but banks get their increment
            or clocks.turn != before.clocks.turn
        )
    ):
        told += b',"clock":%b' % encode(clocks.shown())
    has_come_back = entry.kind == "action" and table.seats is not before.seats  # whoever acts is not absent
    if table.is_over or has_come_back:
        told += b',"table":%b' % encode(table_block(table))
    return told + b"}"
