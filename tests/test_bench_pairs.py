"""The statistics of bench.pairs: the interval of a median, and which pairs count."""

from __future__ import annotations

import random

import pytest

from bench.pairs import Pair, format_row, median_interval


@pytest.mark.parametrize(
    ("count", "lowest", "highest"),
    # Ranks of a table of the sign test (two-sided, 5 %), counted from 1.
    [(6, 1, 6), (8, 1, 8), (9, 2, 8), (12, 3, 10), (24, 7, 18), (25, 8, 18), (50, 18, 33)],
)
def test_interval_bounds_are_the_order_statistics_of_the_sign_test(
    count: int, lowest: int, highest: int
) -> None:
    values = [float(rank) for rank in range(1, count + 1)]
    random.Random(count).shuffle(values)
    assert median_interval(values) == (lowest, highest)


@pytest.mark.parametrize("count", range(6))
def test_five_values_are_too_few_for_95_percent(count: int) -> None:
    assert median_interval([1.0] * count) is None


def test_interval_covers_the_true_median_as_often_as_promised() -> None:
    chance = random.Random(25)
    covered = 0
    for _ in range(2000):
        found = median_interval([chance.lognormvariate(0, 0.1) for _ in range(24)])
        assert found is not None
        covered += found[0] <= 1.0 <= found[1]
    assert covered / 2000 >= 0.95


def test_a_row_leaves_out_disturbed_pairs() -> None:
    quiet = [Pair(100.0, 100.0 + step) for step in range(8)]
    row = format_row("s50", [*quiet, Pair(100.0, 300.0, is_quiet=False)], 1)
    assert row == (
        "| s50 | 8 of 9 | 100.0 (100.0 – 100.0) | 103.5 (100.0 – 107.0)"
        " | 1.035 (1.000 – 1.070) | 1.000 – 1.070 |"
    )
    assert "too few pairs" in format_row("s50", quiet[:5], 1)
    assert "0 of 1" in format_row("s50", [Pair(1.0, 1.0, is_quiet=False)], 1)
