"""Decisions before the start: sitting down, colours, ready, bots, the host's rights, the start itself."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.proposal import Proposal, seated
from app.play.commands.sealing import DECISIONS as SEALING
from app.play.commands.sealing import before_start, check_welcome, freeze, may_remove_from_round, seal_given
from app.play.engines import NAMELESS
from app.play.log.beginning import options_for
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.log.terms import COLOURS, LEVELS
from app.play.refusals import Refusal
from app.rules import RuleError

_BOT_NAMES = {
    "cabin-boy": ("Tomas", "Nell", "Jory", "Wim", "Pip"),
    "sailor": ("Anselm", "Brita", "Diego", "Maud", "Olaf"),
    "mate": ("Ines", "Rafe", "Sunniva", "Tiago", "Ursel"),
    "captain": ("Aldonza", "Barend", "Carmela", "Leif", "Yusuf"),
    "legend": ("Esperanza", "Gawain", "Kaveh", "Morgane", "Zheng"),
}


def bot_name(level: str, seat: int, taken: Collection[str | None] = ()) -> str:
    """What a bot that sits down on that seat is called; not as another one there is."""
    all_names = _BOT_NAMES[level]
    names = [all_names[(seat + step) % len(all_names)] for step in range(len(all_names))]
    return next((name for name in names if name not in taken), names[0])


def _as_host(table: Table, asked: Proposal) -> int:
    """The host's own seat, or nobody's."""
    if table.host not in asked.actor.ids:
        raise Refusal("not_host")
    return NOBODY if asked.own is None else asked.own


def _free_seat(table: Table, wanted: int | None, asked: Proposal | None) -> int:
    """The seat asked for, or the first free one (one that is kept for the asker before all others)."""
    ids = asked.actor.ids if asked is not None else ()
    if wanted is not None:
        if wanted >= len(table.seats):
            raise Refusal("bad_seat")
        seat = table.seats[wanted]
        is_own = seat.person in ids or seat.reserved in ids
        if not (seat.is_free or is_own):
            raise Refusal("seat_taken")
        return wanted
    if asked is not None and asked.own is not None:
        return asked.own
    for number, seat in enumerate(table.seats):
        if seat.reserved is not None and seat.reserved in ids and not seat.is_taken:
            return number
    for number, seat in enumerate(table.seats):
        if seat.is_free:
            return number
    raise Refusal("no_free_seat")


def _colour(table: Table, wanted: str | None, seat: int) -> str:
    """The colour asked for; else the seat's own, else the first that nobody has."""
    others = {other.colour for number, other in enumerate(table.seats) if number != seat}
    if wanted is not None:
        if wanted not in COLOURS:
            raise Refusal("bad_colour")
        if wanted in others:
            raise Refusal("colour_taken")
        return wanted
    own = table.seats[seat].colour
    return own if own is not None else next(colour for colour in COLOURS if colour not in others)


def _sit(table: Table, asked: Proposal, command: cmd.Sit) -> Proposal:
    before_start(table)
    check_welcome(table, asked)
    chance = _chance_given(table, command)
    number = _free_seat(table, command.seat, asked)
    kept = table.seats[asked.own].colour if asked.own is not None and asked.own != number else None
    colour = _colour_moving(table, command.colour, number, asked.own, kept)
    who = asked.actor
    body = {
        "person": who.id,
        "ids": list(who.ids),
        "colour": colour,
        **chance,
    }
    if table.rules_version < NAMELESS:
        body["name"] = ""
    return asked.writes("seated", number, body)


def _chance_given(table: Table, command: cmd.Sit) -> dict[str, str]:
    """What the seat adds to the seed. Where seats are sealed, a nonce that came with it would be of no use."""
    if table.scheme == 2:
        if command.nonce is not None:
            raise Refusal("bad_seal")
        return {"seal": seal_given(table, command.seal)}
    if command.nonce is None or not table.rules.is_nonce(command.nonce):
        raise Refusal("bad_nonce")
    return {"nonce": command.nonce}


def _colour_moving(table: Table, wanted: str | None, number: int, old: int | None, kept: str | None) -> str:
    """Somebody who moves to another seat keeps the colour, and may not be refused it for having it."""
    if kept is not None and wanted in (None, kept):
        return kept
    if wanted is not None and old is not None and table.seats[old].colour == wanted:
        return wanted
    return _colour(table, wanted, number)


def _stand(table: Table, asked: Proposal, command: cmd.Stand) -> Proposal:
    before_start(table)
    return asked.writes("left", seated(asked), {"why": "stood"})


def _change_colour(table: Table, asked: Proposal, command: cmd.Colour) -> Proposal:
    before_start(table)
    seat = seated(asked)
    return asked.writes("colour", seat, {"colour": _colour(table, command.colour, seat)})


def _ready(table: Table, asked: Proposal, command: cmd.Ready) -> Proposal:
    before_start(table)
    return asked.writes("ready", seated(asked), {"ready": command.ready})


def _remove(table: Table, asked: Proposal, command: cmd.Remove) -> Proposal:
    if not may_remove_from_round(table, command.seat, asked.received):
        before_start(table)
    _as_host(table, asked)
    if command.seat >= len(table.seats) or table.seats[command.seat].is_free:
        raise Refusal("bad_seat")
    return asked.writes("left", command.seat, {"why": "removed"})


def _bot(table: Table, asked: Proposal, command: cmd.Bot) -> Proposal:
    before_start(table)
    _as_host(table, asked)
    if command.level not in LEVELS:
        raise Refusal("bad_level")
    number = _free_seat(table, command.seat, None)
    body: dict[str, Any] = {
        "person": None,
        "ids": [],
        "name": bot_name(command.level, number, [seat.name for seat in table.seats]),
        "colour": _colour(table, None, number),
        "bot": command.level,
    }
    if table.scheme == 1:  # shown from the beginning; it changes with the seat when empty ones close up
        body["nonce"] = table.rules.bot_nonce(table.server_seed, number)
    return asked.writes("seated", number, body)


def _close(table: Table, asked: Proposal, command: cmd.Close) -> Proposal:
    """Also while a start waits to be opened: nobody has seen a card yet."""
    if table.status != "open":
        raise Refusal("started")
    return asked.writes("closed", _as_host(table, asked), {"why": "host"})


def _hand(table: Table, asked: Proposal, command: cmd.Hand) -> Proposal:
    own = _as_host(table, asked)
    if command.seat >= len(table.seats) or table.seats[command.seat].person is None:
        raise Refusal("bad_seat")
    return asked.writes("host", own, {"person": table.seats[command.seat].person, "about": command.seat})


def _start(table: Table, asked: Proposal, command: cmd.Start) -> Proposal:
    before_start(table)
    own = _as_beginner(table, asked)
    order, options = _closed_up(table)
    return begin(table, asked, own, order, options)


def _as_beginner(table: Table, asked: Proposal) -> int:
    """The seat of whoever may begin: the host, who must sit; where no host does, anybody who sits."""
    own = asked.own
    if table.host in asked.actor.ids:
        if own is None:
            raise Refusal("sit_to_begin")
        return own
    if own is None or any(seat.person == table.host for seat in table.seats):
        raise Refusal("not_host")
    return own


def begin(table: Table, asked: Proposal, own: int, order: list[int], options: dict[str, Any]) -> Proposal:
    """The entry that begins a game with these seats, or freezes it until everybody has opened."""
    if table.scheme == 2:
        return freeze(table, asked, own, order, options)
    nonces = [
        # A bot's nonce follows from the seat it plays, so that anybody can check it afterwards.
        table.seats[old].nonce
        if table.seats[old].bot is None
        else table.rules.bot_nonce(table.server_seed, new)
        for new, old in enumerate(order)
    ]
    return asked.writes("started", own, {"order": order, "options": options, "nonces": nonces})


def _closed_up(table: Table) -> tuple[list[int], dict[str, Any]]:
    """Who sits where once empty seats have closed up, and the options for that many."""
    order = [number for number, seat in enumerate(table.seats) if seat.is_taken]
    if len(order) < 2:
        raise Refusal("too_few")
    if not all(table.seats[number].ready for number in order):
        raise Refusal("not_ready")
    try:
        return order, options_for(table, len(order))
    except RuleError as refused:
        raise Refusal.by_rules(refused) from refused


DECISIONS: dict[type, Callable[[Table, Proposal, Any], Proposal]] = {
    cmd.Sit: _sit,
    cmd.Stand: _stand,
    cmd.Colour: _change_colour,
    cmd.Ready: _ready,
    cmd.Remove: _remove,
    cmd.Bot: _bot,
    cmd.Hand: _hand,
    cmd.Close: _close,
    cmd.Start: _start,
    **SEALING,
}
