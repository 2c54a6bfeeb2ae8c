"""Decisions about sealed seats: sealing anew, freezing a round, opening, giving a round up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.proposal import Proposal, seated
from app.play.log.rounds import MOST_MISSED, OPENING_MS, Round
from app.play.log.table import Table
from app.play.refusals import Refusal


def before_start(table: Table) -> None:
    """Seats may be changed until somebody starts, and again when that came to nothing."""
    if table.status != "open":
        raise Refusal("started")
    if table.round is not None:
        raise Refusal("opening")


def may_remove_from_round(table: Table, seat: int, now: int) -> bool:
    """Return whether the host may void the round by removing this seat: it has had its time, and has not opened."""
    frozen = table.round
    if frozen is None or seat not in [frozen.order[number] for number in frozen.missing()]:
        return False
    return frozen.asked or now - frozen.since >= OPENING_MS


def seal_given(table: Table, seal: str | None) -> str:
    """The seal a client sent; no two seats and no two rounds may share one."""
    if seal is None or not table.rules.is_seal(seal):
        raise Refusal("bad_seal")
    used = {seat.seal for seat in table.seats}
    used |= {old for voided in table.void_rounds for old in voided.seals}
    if table.round is not None:
        used |= set(table.round.seals) | set(table.round.next_seals)
    if seal in used:
        raise Refusal("seal_used")
    return seal


def check_welcome(table: Table, asked: Proposal) -> None:
    """Whoever was missing too often when this table wanted to begin may watch."""
    if any(table.missed.get(each, 0) >= MOST_MISSED for each in asked.actor.ids):
        raise Refusal("missed_twice")


def freeze(table: Table, asked: Proposal, own: int, order: list[int], options: dict[str, Any]) -> Proposal:
    """The entry that freezes a round."""
    bots = [table.seats[old].bot for old in order]
    seals = [table.seats[old].seal for old in order]
    if any(bot is None and seal is None for bot, seal in zip(bots, seals, strict=True)):
        raise Refusal("not_sealed")
    body = {"order": order, "options": options, "bots": bots, "seals": seals}
    return asked.writes("frozen", own, body)


def _begin(
    table: Table, asked: Proposal, own: int, frozen: dict[str, Any], opened: list[str | None]
) -> Proposal:
    """The start of the game itself: one entry with all that the seed is made of."""
    nonces = [
        nonce if nonce is not None else table.rules.bot_nonce(table.server_seed, number)
        for number, nonce in enumerate(opened)
    ]
    body = {name: frozen[name] for name in ("order", "options", "seals")}
    return asked.writes("started", own, {**body, "nonces": nonces})


def _seal(table: Table, asked: Proposal, command: cmd.Seal) -> Proposal:
    before_start(table)
    seat = seated(asked)
    _with_seals(table)
    return asked.writes("sealed", seat, {"seal": seal_given(table, command.seal)})


def _open(table: Table, asked: Proposal, command: cmd.Open) -> Proposal:
    """The last one's opening is the entry that begins the game, so that no crash can come between the two."""
    frozen, number = _in_round(table, asked)
    if not table.rules.is_nonce(command.nonce):
        raise Refusal("bad_nonce")
    if table.rules.seal_of(table.commitment, command.nonce) != frozen.seals[number]:
        raise Refusal("wrong_nonce")
    next_seal = seal_given(table, command.next_seal)
    seat = frozen.order[number]
    after = frozen.with_opened(number, command.nonce, next_seal)
    if after.missing():
        return asked.writes("opened", seat, {"nonce": command.nonce, "next_seal": next_seal})
    body = {"order": list(after.order), "options": after.options, "seals": list(after.seals)}
    return _begin(table, asked, seat, body, list(after.nonces))


def _void(table: Table, asked: Proposal, command: cmd.Void) -> Proposal:
    frozen, number = _in_round(table, asked)
    next_seal = seal_given(table, command.next_seal)
    seat = frozen.order[number]
    return asked.writes("voided", seat, {"missing": [seat], "why": "lost", "next_seal": next_seal})


def _in_round(table: Table, asked: Proposal) -> tuple[Round, int]:
    """The round that waits, and which seat of it is the asker's, who has not opened yet."""
    seat = seated(asked)
    _with_seals(table)
    if table.status != "open":
        raise Refusal("started")
    frozen = table.round
    if frozen is None or seat not in frozen.order:
        raise Refusal("not_opening")
    number = frozen.order.index(seat)
    if frozen.nonces[number] is not None:
        raise Refusal("already_open")
    return frozen, number


def _with_seals(table: Table) -> None:
    if table.scheme == 1:
        raise Refusal("no_seals")


DECISIONS: dict[type, Callable[[Table, Proposal, Any], Proposal]] = {
    cmd.Seal: _seal,
    cmd.Open: _open,
    cmd.Void: _void,
}
