"""A start with sealed seats: what it froze, who has opened since, and what a round that came to nothing leaves.

The start freezes the order of seats, bots, options and all seals in one entry. Then everybody opens; the last
one's entry begins the game. Whoever is missing voids the round, and everybody seals anew.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from app.play.frames import Opening
from app.play.log.terms import ClockTerms

OPENING_MS = 20_000  # browsers open by themselves as soon as they have kept what was frozen
CORRESPONDENCE_OPENING_MS = 12 * 3_600_000  # where a turn takes days: long enough for a night
SEEN_OPENING_MS = (
    30 * 60_000
)  # likewise, where everybody who is missing has been at the table since the start
MOST_MISSED = 2  # whoever was missing so often may not sit here again


class Round(msgspec.Struct, frozen=True):
    """What stands between `start` and the game. Lists are in the order the seats will have in the game."""

    seq: int  # the entry that froze it
    order: tuple[int, ...]  # the seats of the open table
    options: dict[str, Any]
    bots: tuple[str | None, ...]
    seals: tuple[str | None, ...]
    nonces: tuple[str | None, ...]  # opened so far; a bot's follow from the server's seed
    next_seals: tuple[str | None, ...]
    since: int
    asked: bool = False  # those who are missing have been asked once more
    wait: int | None = None  # milliseconds they have after that; None: as long as before

    def missing(self) -> tuple[int, ...]:
        """Seats of the game that have not opened."""
        return tuple(
            n
            for n, (seal, nonce) in enumerate(zip(self.seals, self.nonces, strict=True))
            if seal and not nonce
        )

    def with_opened(self, number: int, nonce: str, next_seal: str) -> Round:
        return replace(
            self,
            nonces=_with(self.nonces, number, nonce),
            next_seals=_with(self.next_seals, number, next_seal),
        )

    def shown(self, until: int) -> Opening:
        """All of it is public: what was frozen comes first, for every client to keep before it opens."""
        return Opening(
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
    """A round that came to nothing, for the record: its nonces are known, and are never used."""

    seals: tuple[str | None, ...]
    nonces: tuple[str | None, ...]
    missing: tuple[int, ...]
    why: str  # late: did not open in time; lost: said that the nonce is gone; left: no longer sits there

    def as_json(self) -> dict[str, Any]:
        return {"seals": list(self.seals), "nonces": list(self.nonces), "missing": list(self.missing)}


def _with(values: tuple[str | None, ...], number: int, value: str) -> tuple[str | None, ...]:
    return (*values[:number], value, *values[number + 1 :])


def opening_time(clock: ClockTerms) -> int:
    """Return the milliseconds that everybody has to open, the first time and once more."""
    return CORRESPONDENCE_OPENING_MS if clock.kind == "days" else OPENING_MS
