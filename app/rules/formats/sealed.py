"""Sealed seats in a record (scheme 2): which seal stood for which nonce, and the rounds that came to nothing.

Every seat showed a seal, all seals were frozen in one entry, and only then nonces were opened. A round in
which somebody did not open is void: its nonces are known now, and are never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.rules.core import Json
from app.rules.core.chance import bot_nonce, is_nonce, is_seal, seal_of
from app.rules.core.errors import BadRecord

__all__ = ["Sealed", "VoidRound", "check_nonces", "sealed_from_json", "void_round_to_json"]

_MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class VoidRound:
    """A start that came to nothing. Of each seat of that round: its seal (a bot has none), the nonce it opened."""

    seals: tuple[str | None, ...]
    nonces: tuple[str | None, ...]
    missing: tuple[int, ...]
    """Whose fault it was: seats that did not open."""


class Sealed(Protocol):
    """What a record says of where its seed came from."""

    @property
    def commitment(self) -> str: ...
    @property
    def server_seed(self) -> str: ...
    @property
    def nonces(self) -> tuple[str, ...]: ...
    @property
    def players(self) -> tuple[tuple[str, str | None], ...]: ...
    @property
    def scheme(self) -> int: ...
    @property
    def seals(self) -> tuple[str | None, ...]: ...
    @property
    def void_rounds(self) -> tuple[VoidRound, ...]: ...


def void_round_to_json(voided: VoidRound) -> Json:
    return {
        "seals": list(voided.seals),
        "nonces": list(voided.nonces),
        "missing": list(voided.missing),
    }


def _void_round_from_json(value: object, number: int) -> VoidRound:
    """The round, or a sentence on what is wrong with its form."""
    what = f"Void round {number}"
    if not isinstance(value, dict) or value.keys() != {"seals", "nonces", "missing"}:
        raise BadRecord(f"{what} has exactly: seals, nonces, missing.")
    seals, nonces, missing = value["seals"], value["nonces"], value["missing"]
    if not _is_list(seals, is_seal) or not 2 <= len(seals) <= 5:
        raise BadRecord(f"{what} has for each seat a seal of 64 hexadecimal digits, or null.")
    if not _is_list(nonces, is_nonce) or len(nonces) != len(seals):
        raise BadRecord(f"{what} has for each seat a nonce of 32 hexadecimal digits, or null.")
    if not isinstance(missing, list) or not all(type(n) is int and 0 <= n < len(seals) for n in missing):
        raise BadRecord(f"{what} names the seats that were missing.")
    return VoidRound(tuple(seals), tuple(nonces), tuple(missing))


def _is_list(value: object, is_right: Any) -> bool:
    return isinstance(value, list) and all(each is None or is_right(each) for each in value)


def sealed_from_json(fields: Json, players: int) -> tuple[tuple[str | None, ...], tuple[VoidRound, ...]]:
    """Seals and void rounds of a record with sealed seats, or a sentence on what is wrong with their form."""
    seals, rounds = fields["seals"], fields["void_rounds"]
    if fields["scheme"] != 2:
        raise BadRecord("The scheme of this format is 2.")
    if not _is_list(seals, is_seal) or len(seals) != players:
        raise BadRecord("There is for each player a seal of 64 hexadecimal digits, or null for a bot.")
    if not isinstance(rounds, list) or len(rounds) > _MOST_ROUNDS:
        raise BadRecord("The void rounds are a list.")
    return tuple(seals), tuple(_void_round_from_json(each, number) for number, each in enumerate(rounds, 1))


def check_nonces(record: Sealed) -> None:
    """All that can be known of where the seed came from; raises BadRecord."""
    is_bot = [bot is not None for _, bot in record.players]
    for seat, nonce in enumerate(record.nonces):
        # Else a server could try nonces for its bots, once it knows the people's, until a deck pleases it.
        if is_bot[seat] and nonce != bot_nonce(record.server_seed, seat):
            raise BadRecord(f"The nonce of the bot on seat {seat} does not follow from the server's seed.")
    if record.scheme == 1:
        return
    _check_seals(record.commitment, record.seals, record.nonces, is_bot)
    used, seals = [*record.nonces], [*record.seals]
    for number, voided in reversed([*enumerate(record.void_rounds, 1)]):
        _check_void_round(record.commitment, number, voided, used, seals)
        used += [nonce for nonce in voided.nonces if nonce is not None]
        seals += voided.seals


def _check_seals(
    commitment: str, seals: Sequence[str | None], nonces: Sequence[str | None], is_bot: Sequence[bool]
) -> None:
    """Every person's nonce fits the seal that was frozen for it; bots have none."""
    for seat, (seal, nonce, bot) in enumerate(zip(seals, nonces, is_bot, strict=True)):
        if bot:
            if seal is not None:
                raise BadRecord(f"Seat {seat} is a bot's: it has no seal.")
        elif seal is None or nonce is None or seal_of(commitment, nonce) != seal:
            raise BadRecord(
                f"The nonce of seat {seat} does not fit the seal that was frozen before the start."
            )


def _check_void_round(
    commitment: str, number: int, voided: VoidRound, used: Sequence[str], seals: Sequence[str | None]
) -> None:
    """What was opened fits its seal, somebody was missing, and nothing of it was used again.

    `used` and `seals` are those of the game, and of later rounds.
    """
    what = f"Void round {number}"
    for seat, (seal, nonce) in enumerate(zip(voided.seals, voided.nonces, strict=True)):
        if nonce is not None and (seal is None or seal_of(commitment, nonce) != seal):
            raise BadRecord(f"{what}: the nonce of seat {seat} does not fit its seal.")
        if nonce is not None and (nonce in used or seal in seals):
            raise BadRecord(f"{what}: the nonce of seat {seat} was known, and was used again.")
    is_whole = all(nonce is not None for seal, nonce in zip(voided.seals, voided.nonces, strict=True) if seal)
    if is_whole or not voided.missing or any(voided.seals[seat] is None for seat in voided.missing):
        raise BadRecord(f"{what} was void although nobody was missing.")
