"""A series: games of the same company, one after the other. Who has won how many, and since when they want the next."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from app.play.log.seats import Seat


def identity(seat: Seat) -> str:
    """Who plays there, for counting: a person by id, a bot by level and name; nobody is the empty text."""
    person = seat.person or seat.reserved
    if person is not None:
        return person
    return f"{seat.bot}:{seat.name}" if seat.bot is not None else ""


class Series(msgspec.Struct, frozen=True):
    """What a table that was made for a rematch knows of the games before it."""

    after: str  # the game before
    wins: dict[str, int]  # by identity; never changed in place
    people: tuple[str, ...]  # who sat there: they are let in
    two_since: int | None = None  # since when two people are ready
    all_since: int | None = None  # since when every seat is taken, and ready

    def noted(self, seats: Sequence[Seat], at: int) -> Series:
        """After an entry before the start: who is ready now."""
        people = sum(seat.person is not None and seat.ready for seat in seats)
        is_all = people > 0 and all(seat.is_taken and seat.ready for seat in seats)
        return replace(
            self,
            two_since=_since(self.two_since, at) if people > 1 else None,
            all_since=_since(self.all_since, at) if is_all else None,
        )

    def known_as(self, ids: Sequence[str], person: str) -> Series:
        """Whoever sits down may have another id than in the game before: a guest who has an account now."""
        old = next((each for each in ids if each in self.wins), person)
        if old == person:
            return self
        return replace(self, wins={person if key == old else key: count for key, count in self.wins.items()})

    def score(self, seats: Sequence[Seat], winner: int | None) -> list[int] | None:
        """Games won by each seat, this one included; None where the company is not the same."""
        company = [identity(seat) for seat in seats]
        if set(company) != self.wins.keys():
            return None
        return [self.wins[each] + (seat == winner) for seat, each in enumerate(company)]


def _since(before: int | None, at: int) -> int:
    return at if before is None else before
