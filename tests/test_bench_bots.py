"""The statistics of bench.bots."""

from __future__ import annotations

import pytest

from bench.bots_match import Played
from bench.bots_tables import duels, elo, first_places, wilson


def played(number: int, levels: tuple[str, ...], places: tuple[int, ...]) -> Played:
    nothing = (0.0,) * len(levels)
    return Played(
        "table", levels, number, places.index(1), places, 100, (30,) * len(levels), nothing, nothing
    )


def test_the_duels_of_a_game_count_as_one_game() -> None:
    levels = ("captain", "mate", "mate", "mate")
    first, last = played(0, levels, (1, 2, 3, 4)), played(1, levels, (3, 1, 2, 4))
    assert duels([first]) == {
        ("captain", "mate"): pytest.approx([1, 1]),
        ("mate", "captain"): pytest.approx([0, 1]),
    }
    assert duels([first, last])["captain", "mate"] == pytest.approx([1 + 1 / 3, 2])
    assert first_places([first, last], "captain", "mate") == (1, 2)


def test_elo_is_as_uncertain_at_four_seats_as_at_two() -> None:
    at_two = [played(n, ("captain", "mate"), (1, 2) if n % 4 else (2, 1)) for n in range(40)]
    at_four = [
        played(n, ("captain", "mate", "mate", "mate"), (1, 2, 3, 4) if n % 4 else (4, 1, 2, 3))
        for n in range(40)
    ]
    (captain, value, half), (mate, _, _) = elo(duels(at_two))
    assert (captain, mate) == ("captain", "mate")
    assert value > 0
    for (level, rating, error), (name, expected) in zip(
        elo(duels(at_four)), (("captain", value), ("mate", -value)), strict=True
    ):
        assert level == name
        assert [rating, error] == pytest.approx([expected, half])


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert list(wilson(11, 12)) == pytest.approx([0.646, 0.985], abs=0.001)
