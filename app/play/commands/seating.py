"""Decisions before the start: sitting down, colours, readiness, bots, the host's commands, the start itself."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.request import Decision, Request
from app.play.commands.sealing import (
    can_remove_from_round,
    check_missed_rounds,
    check_seal,
    freeze_round,
    require_not_started,
    require_seals,
)
from app.play.log.auto_start import options_for_players
from app.play.log.entries import NO_SEAT
from app.play.log.table import Table
from app.play.log.terms import BOT_LEVELS, COLOURS
from app.play.presence import Presence
from app.play.refusals import Refusal
from app.rules import RuleError

_BOT_NAMES = {
    "cabin-boy": ("Tomas", "Nell", "Jory", "Wim", "Pip"),
    "sailor": ("Anselm", "Brita", "Diego", "Maud", "Olaf"),
    "mate": ("Ines", "Rafe", "Sunniva", "Tiago", "Ursel"),
    "captain": ("Aldonza", "Barend", "Carmela", "Leif", "Yusuf"),
    "legend": ("Esperanza", "Gawain", "Kaveh", "Morgane", "Zheng"),
}


def pick_bot_name(level: str, seat: int, taken: Collection[str | None] = ()) -> str:
    """Return a name for a bot on that seat, if possible one that is not taken."""
    all_names = _BOT_NAMES[level]
    names = [all_names[(seat + step) % len(all_names)] for step in range(len(all_names))]
    return next((name for name in names if name not in taken), names[0])


def _require_host(table: Table, request: Request[Any]) -> int:
    """Return the host's own seat, or NO_SEAT."""
    if table.host not in request.actor.ids:
        raise Refusal("not_host")
    seat = table.seat_of(request.actor.ids)
    return NO_SEAT if seat is None else seat


def _find_seat(table: Table, wanted: int | None, ids: tuple[str, ...]) -> int:
    """Return the wanted seat, or else one's own, a reserved or the first free seat. Raises Refusal."""
    if wanted is not None:
        if wanted >= len(table.seats):
            raise Refusal("bad_seat")
        seat = table.seats[wanted]
        is_own = seat.person in ids or seat.reserved in ids
        if not (seat.is_free or is_own):
            raise Refusal("seat_taken")
        return wanted
    own = table.seat_of(ids)
    if own is not None:
        return own
    for number, seat in enumerate(table.seats):
        if seat.reserved is not None and seat.reserved in ids and not seat.is_taken:
            return number
    for number, seat in enumerate(table.seats):
        if seat.is_free:
            return number
    raise Refusal("no_free_seat")


def _pick_colour(table: Table, wanted: str | None, seat: int) -> str:
    """Return the wanted colour, or else the seat's own or the first free one. Raises Refusal."""
    others = {other.colour for number, other in enumerate(table.seats) if number != seat}
    if wanted is not None:
        if wanted not in COLOURS:
            raise Refusal("bad_colour")
        if wanted in others:
            raise Refusal("colour_taken")
        return wanted
    own = table.seats[seat].colour
    return own if own is not None else next(colour for colour in COLOURS if colour not in others)


def sit(table: Table, request: Request[cmd.Sit], presence: Presence) -> Decision:
    require_not_started(table)
    require_seals(table)
    check_missed_rounds(table, request)
    if table.removed_until(request.actor.ids) > request.at:
        raise Refusal("removed")
    if table.is_rated and not request.actor.is_account:
        raise Refusal("account_required")
    actor, command = request.actor, request.command
    seal = check_seal(table, command.seal)
    number, own = _find_seat(table, command.seat, actor.ids), table.seat_of(actor.ids)
    kept = table.seats[own].colour if own is not None and own != number else None
    colour = _pick_colour_for_move(table, command.colour, number, own, kept)
    body: dict[str, Any] = {
        "person": actor.id,
        "ids": list(actor.ids),
        "colour": colour,
        "seal": seal,
    }
    if table.is_rated:
        body["account"] = True  # workers of older releases write none, and the game is then not rated
    return Decision("seated", number, body)


def _pick_colour_for_move(
    table: Table, wanted: str | None, number: int, old: int | None, kept: str | None
) -> str:
    """Return the colour of a player who sits down; one who moves to another seat may keep theirs. Raises Refusal."""
    if kept is not None and wanted in (None, kept):
        return kept
    if wanted is not None and old is not None and table.seats[old].colour == wanted:
        return wanted
    return _pick_colour(table, wanted, number)


def stand_up(table: Table, request: Request[cmd.StandUp], presence: Presence) -> Decision:
    require_not_started(table)
    return Decision("left", request.require_seat(table), {"why": "stood"})


def change_colour(table: Table, request: Request[cmd.ChangeColour], presence: Presence) -> Decision:
    require_not_started(table)
    seat = request.require_seat(table)
    return Decision("colour", seat, {"colour": _pick_colour(table, request.command.colour, seat)})


def set_ready(table: Table, request: Request[cmd.SetReady], presence: Presence) -> Decision:
    require_not_started(table)
    require_seals(table)
    return Decision("ready", request.require_seat(table), {"ready": request.command.ready})


def remove_from_seat(table: Table, request: Request[cmd.RemoveFromSeat], presence: Presence) -> Decision:
    if not can_remove_from_round(table, request.command.seat, request.at):
        require_not_started(table)
    _require_host(table, request)
    if request.command.seat >= len(table.seats) or table.seats[request.command.seat].is_free:
        raise Refusal("bad_seat")
    return Decision("left", request.command.seat, {"why": "removed"})


def readmit(table: Table, request: Request[cmd.Readmit], presence: Presence) -> Decision:
    """Let everyone whom the host removed sit down again. Like a new password, it is a `host` entry."""
    require_not_started(table)
    own = _require_host(table, request)
    return Decision("host", own, {"person": table.host, "readmit": True})


def seat_bot(table: Table, request: Request[cmd.SeatBot], presence: Presence) -> Decision:
    require_not_started(table)
    require_seals(table)
    command = request.command
    _require_host(table, request)
    if command.level not in BOT_LEVELS:
        raise Refusal("bad_level")
    number = _find_seat(table, command.seat, ())
    body: dict[str, Any] = {
        "person": None,
        "ids": [],
        "name": pick_bot_name(command.level, number, [seat.name for seat in table.seats]),
        "colour": _pick_colour(table, None, number),
        "bot": command.level,
    }
    return Decision("seated", number, body)


def close_table(table: Table, request: Request[cmd.CloseTable], presence: Presence) -> Decision:
    """Close the table, also while a start waits for seals: no player has seen a card yet."""
    if table.status != "open":
        raise Refusal("started")
    return Decision("closed", _require_host(table, request), {"why": "host"})


def hand_over_host(table: Table, request: Request[cmd.HandOverHost], presence: Presence) -> Decision:
    about, own = request.command.seat, _require_host(table, request)
    if about >= len(table.seats) or table.seats[about].person is None:
        raise Refusal("bad_seat")
    return Decision("host", own, {"person": table.seats[about].person, "about": about})


def start_game(table: Table, request: Request[cmd.Start], presence: Presence) -> Decision:
    require_not_started(table)
    require_seals(table)
    own = _require_starter(table, request)
    order, options = _compact_seats(table)
    return freeze_round(table, own, order, options)


def _require_starter(table: Table, request: Request[Any]) -> int:
    """Return the actor's seat if they may start the game: the host if seated, or any player if the host is not."""
    own = table.seat_of(request.actor.ids)
    if table.host in request.actor.ids:
        if own is None:
            raise Refusal("sit_to_begin")
        return own
    if own is None or any(seat.person == table.host for seat in table.seats):
        raise Refusal("not_host")
    return own


def _compact_seats(table: Table) -> tuple[list[int], dict[str, Any]]:
    """Return the taken seats in order, without the empty ones, and the options for that many players."""
    order = [number for number, seat in enumerate(table.seats) if seat.is_taken]
    if len(order) < 2:
        raise Refusal("too_few")
    if not all(table.seats[number].ready for number in order):
        raise Refusal("not_ready")
    try:
        return order, options_for_players(table, len(order))
    except RuleError as refused:
        raise Refusal.from_rule_error(refused) from refused
