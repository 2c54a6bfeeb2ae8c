"""Ranks of a rated game: its finishing places among the people, with everyone who gave up tied for last."""

from __future__ import annotations

from collections.abc import Collection, Sequence

MIN_PEOPLE = 2  # a game with fewer people is not rated


def rank_people(places: Sequence[int], people: Collection[int], gave_up: Collection[int]) -> list[int | None]:
    """Return the rank of each seat, from 1; None for a seat without a person.

    Equal places share a rank, and the next rank leaves out as many. Seats that gave up share the last rank, whatever
    their place.
    """
    last = max(places, default=0) + 1
    keys = {seat: last if seat in gave_up else places[seat] for seat in people}
    return [
        1 + sum(other < keys[seat] for other in keys.values()) if seat in keys else None
        for seat in range(len(places))
    ]
