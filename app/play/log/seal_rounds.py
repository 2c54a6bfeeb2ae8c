"""The start of a game with sealed seats: a commit-reveal round between the start command and the first position.

The start freezes the order of seats, the bots, the options and all seals in one entry. Then each client opens its
seal, and the last opening starts the game. If one is missing, the round is void and all seats get new seals.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from app.play.frames import SealRoundBlock

OPENING_TIMEOUT_MS = 20_000  # clients open their seals by themselves, once they have saved what was frozen
# By correspondence, if all missing players have been at the table since the start.
SEEN_OPENING_TIMEOUT_MS = 30 * 60_000
MAX_MISSED_ROUNDS = 2  # a person who has missed so many may not sit at this table again


class SealRound(msgspec.Struct, frozen=True):
    """A round in progress. Tuples are in the order that the seats will have in the game."""

    seq: int  # the entry that froze it
    order: tuple[int, ...]  # the seats of the open table
    options: dict[str, Any]
    bots: tuple[str | None, ...]
    seals: tuple[str | None, ...]
    nonces: tuple[str | None, ...]  # opened so far; those of bots are derived from the server's seed
    next_seals: tuple[str | None, ...]
    since: int
    asked: bool = False  # missing seats have been asked a second time
    wait: int | None = None  # milliseconds they have then; None: as long as the first time

    def list_unopened(self) -> tuple[int, ...]:
        """Return the seats of the table that have not opened."""
        return tuple(
            seat
            for seat, seal, nonce in zip(self.order, self.seals, self.nonces, strict=True)
            if seal and not nonce
        )

    def with_opened(self, number: int, nonce: str, next_seal: str) -> SealRound:
        return replace(
            self,
            nonces=_replace_at(self.nonces, number, nonce),
            next_seals=_replace_at(self.next_seals, number, next_seal),
        )

    def to_frame(self, until: int) -> SealRoundBlock:
        """Return the public state of the round. Clients save what was frozen before they open."""
        return SealRoundBlock(
            seq=self.seq,
            order=list(self.order),
            options=self.options,
            bots=list(self.bots),
            seals=list(self.seals),
            nonces=list(self.nonces),
            asked=self.asked,
            until=until,
        )


class VoidedRound(msgspec.Struct, frozen=True):
    """A round that was voided, kept for the record. Its nonces are known and never used."""

    seals: tuple[str | None, ...]
    nonces: tuple[str | None, ...]
    missing: tuple[int, ...]
    why: str  # late: not opened in time; lost: the client has lost its nonce; left: the seat was left

    def to_json(self) -> dict[str, Any]:
        return {"seals": list(self.seals), "nonces": list(self.nonces), "missing": list(self.missing)}


def _replace_at(values: tuple[str | None, ...], number: int, value: str) -> tuple[str | None, ...]:
    return (*values[:number], value, *values[number + 1 :])
