"""The rated part of a finished game's stored result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.ratings.pools import pool_of
from app.ratings.ranks import MIN_PEOPLE
from app.ratings.replay import RatedGame, RatedSeat


def read_rated_game(
    game: str,
    ended_at: int,
    options: Mapping[str, Any],
    result: Mapping[str, Any],
    people: Mapping[int, str],
    *,
    is_correspondence: bool,
) -> RatedGame | None:
    """Return the game as the ratings see it; None if its result has no ranks. `people`: by seat.

    Raise ValueError if the ranks do not fit the people.
    """
    ranks = result.get("ranks")
    if ranks is None:
        return None
    timed_out = result.get("timed_out", ()) if is_correspondence else ()
    seats = tuple(
        RatedSeat(seat, people[seat], rank, seat in timed_out)
        for seat, rank in enumerate(ranks)
        if rank is not None
    )
    if len(seats) < MIN_PEOPLE or len({seat.person for seat in seats}) != len(seats):
        raise ValueError("a rated game needs different people")
    if any(type(seat.rank) is not int or not 1 <= seat.rank <= len(seats) for seat in seats):
        raise ValueError("a rank is not valid")
    return RatedGame(game, ended_at, pool_of(len(ranks), options["hands"]), seats)
