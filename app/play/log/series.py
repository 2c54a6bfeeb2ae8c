"""A series: consecutive games of the same players. Counts wins, and since when players are ready for the next game."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from app.play.log.seats import Seat


def player_key(seat: Seat) -> str:
    """Return the key under which wins are counted: a person's id, or a bot's level and name; empty for a free seat."""
    person = seat.person or seat.reserved
    if person is not None:
        return person
    return f"{seat.bot}:{seat.name}" if seat.bot is not None else ""


class Series(msgspec.Struct, frozen=True):
    """The previous games, as recorded in a table that was made for a rematch."""

    after: str  # id of the previous game
    wins: dict[str, int]  # by `player_key`; never modified in place
    people: tuple[str, ...]  # players of the previous game, who need no password
    two_since: int | None = None  # since when two people are ready
    all_since: int | None = None  # since when every seat is taken, and ready

    def with_ready_seats(self, seats: Sequence[Seat], at: int) -> Series:
        """Return the series with the ready times updated after an entry before the start."""
        people = sum(seat.person is not None and seat.ready for seat in seats)
        is_all = people > 0 and all(seat.is_taken and seat.ready for seat in seats)
        return replace(
            self,
            two_since=_keep_first(self.two_since, at) if people > 1 else None,
            all_since=_keep_first(self.all_since, at) if is_all else None,
        )

    def with_new_id(self, ids: Sequence[str], person: str) -> Series:
        """Return the series with a player's wins under their present id; a guest may have an account by now."""
        old = next((former for former in ids if former in self.wins), person)
        if old == person:
            return self
        return replace(self, wins={person if key == old else key: count for key, count in self.wins.items()})

    def count_wins(self, seats: Sequence[Seat], winner: int | None) -> list[int] | None:
        """Return the games won by each seat, this one included; None if the players are not the same."""
        keys = [player_key(seat) for seat in seats]
        if set(keys) != self.wins.keys():
            return None
        return [self.wins[key] + (seat == winner) for seat, key in enumerate(keys)]


def _keep_first(before: int | None, at: int) -> int:
    return at if before is None else before
