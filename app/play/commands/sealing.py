"""Decisions about sealed seats: replacing a seal, freezing a round, opening seals, voiding a round."""

from __future__ import annotations

from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.request import Decision, Request
from app.play.log.seal_rounds import MAX_MISSED_ROUNDS, OPENING_TIMEOUT_MS, SealRound
from app.play.log.table import Table
from app.play.presence import Presence
from app.play.refusals import Refusal


def require_not_started(table: Table) -> None:
    """Raise Refusal if the game has started, or its start waits for seals to be opened."""
    if table.status != "open":
        raise Refusal("started")
    if table.seal_round is not None:
        raise Refusal("opening")


def require_seals(table: Table) -> None:
    """Raise Refusal at a table of 0.1.0 without seals: it can no longer start, only be left or closed."""
    if table.chance_scheme == 1:
        raise Refusal("no_seals")


def can_remove_from_round(table: Table, seat: int, now: int) -> bool:
    """Return whether the host may void the round by removing this seat, which has not opened in time."""
    frozen = table.seal_round
    if frozen is None or seat not in frozen.list_unopened():
        return False
    return frozen.asked or now - frozen.since >= OPENING_TIMEOUT_MS


def check_seal(table: Table, seal: str | None) -> str:
    """Return the seal if it is valid. Raises Refusal, also for a seal that was used by any seat in any round."""
    if seal is None or not table.rules.is_seal(seal):
        raise Refusal("bad_seal")
    used = {seat.seal for seat in table.seats}
    used |= {old for voided in table.void_rounds for old in voided.seals}
    if table.seal_round is not None:
        used |= set(table.seal_round.seals) | set(table.seal_round.next_seals)
    if seal in used:
        raise Refusal("seal_used")
    return seal


def check_missed_rounds(table: Table, request: Request[cmd.Sit]) -> None:
    """Raise Refusal if this person has made too many starts of this table fail; they may still watch."""
    if any(table.missed_rounds.get(person, 0) >= MAX_MISSED_ROUNDS for person in request.actor.ids):
        raise Refusal("missed_twice")


def freeze_round(table: Table, own: int, order: list[int], options: dict[str, Any]) -> Decision:
    """Return the entry that freezes a round."""
    bots = [table.seats[old].bot for old in order]
    seals = [table.seats[old].seal for old in order]
    if any(bot is None and seal is None for bot, seal in zip(bots, seals, strict=True)):
        raise Refusal("not_sealed")
    body = {"order": order, "options": options, "bots": bots, "seals": seals}
    return Decision("frozen", own, body)


def _decide_start(table: Table, own: int, frozen: dict[str, Any], opened: list[str | None]) -> Decision:
    """Return the entry that starts the game, with everything the seed is made of."""
    nonces = [
        nonce if nonce is not None else table.rules.bot_nonce(table.server_seed, number)
        for number, nonce in enumerate(opened)
    ]
    body = {name: frozen[name] for name in ("order", "options", "seals")}
    return Decision("started", own, {**body, "nonces": nonces})


def replace_seal(table: Table, request: Request[cmd.Seal], presence: Presence) -> Decision:
    require_not_started(table)
    require_seals(table)
    seat = request.require_seat(table)
    return Decision("sealed", seat, {"seal": check_seal(table, request.command.seal)})


def open_seal(table: Table, request: Request[cmd.OpenSeal], presence: Presence) -> Decision:
    """Return the entry that opens a seal. The last opening is the start itself, so that no crash can separate them."""
    command = request.command
    frozen, number = _require_unopened_seat(table, request)
    if not table.rules.is_nonce(command.nonce):
        raise Refusal("bad_nonce")
    if table.rules.seal_of(table.commitment, command.nonce) != frozen.seals[number]:
        raise Refusal("wrong_nonce")
    next_seal = check_seal(table, command.next_seal)
    seat = frozen.order[number]
    after = frozen.with_opened(number, command.nonce, next_seal)
    if after.list_unopened():
        return Decision("opened", seat, {"nonce": command.nonce, "next_seal": next_seal})
    body = {"order": list(after.order), "options": after.options, "seals": list(after.seals)}
    return _decide_start(table, seat, body, list(after.nonces))


def void_round(table: Table, request: Request[cmd.VoidRound], presence: Presence) -> Decision:
    frozen, number = _require_unopened_seat(table, request)
    next_seal = check_seal(table, request.command.next_seal)
    seat = frozen.order[number]
    return Decision("voided", seat, {"missing": [seat], "why": "lost", "next_seal": next_seal})


def _require_unopened_seat(table: Table, request: Request[Any]) -> tuple[SealRound, int]:
    """Return the round and the number in it of the actor's seat, which must not be open yet."""
    seat = request.require_seat(table)
    if table.status != "open":
        raise Refusal("started")
    frozen = table.seal_round
    if frozen is None or seat not in frozen.order:
        raise Refusal("not_opening")
    number = frozen.order.index(seat)
    if frozen.nonces[number] is not None:
        raise Refusal("already_open")
    return frozen, number
