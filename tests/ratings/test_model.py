"""The rating model: ties, weights, order of seats, what is shown, and the strengths of the bots."""

from __future__ import annotations

from itertools import permutations

import pytest

from app.ratings.bot_strengths import BotResults, bot_strengths, estimate_level
from app.ratings.display import is_uncertain, shown_deviation, shown_number
from app.ratings.model import INITIAL, Value, rate
from app.ratings.pools import POOLS, Pool, pool_of
from app.ratings.ranks import rank_people

LEVELS = ["cabin-boy", "sailor", "mate", "captain", "legend"]


@pytest.mark.parametrize("ranks", [[1, 1, 3, 4, 5], [1, 2, 2, 2, 2], [1, 1, 1, 1, 5], [1, 2, 3, 3], [1, 1]])
def test_tied_players_change_alike_and_a_better_rank_never_gains_less(ranks: list[int]) -> None:
    after = rate([INITIAL] * len(ranks), ranks)
    for one, first in zip(ranks, after, strict=True):
        for other, second in zip(ranks, after, strict=True):
            if one == other:
                assert first == second
            if one < other:
                assert first.mu > second.mu


def test_the_order_of_seats_does_not_matter() -> None:
    values = [Value(30.0, 2.5), Value(22.1, 7.9), Value(25.0, 4.0), Value(18.7, 3.3)]
    ranks = [2, 1, 2, 4]
    expected = dict(zip(values, rate(values, ranks), strict=True))
    for order in permutations(range(4)):
        found = rate([values[seat] for seat in order], [ranks[seat] for seat in order])
        assert dict(zip((values[seat] for seat in order), found, strict=True)) == expected


def test_a_weight_moves_each_value_only_this_share_of_the_way() -> None:
    values = [Value(30.0, 2.5), Value(22.0, 6.0)]
    whole, none = rate(values, [2, 1]), rate(values, [2, 1], 0)
    assert none == values
    for old, new, quarter in zip(values, whole, rate(values, [2, 1], 0.25), strict=True):
        assert quarter.mu == pytest.approx(old.mu + (new.mu - old.mu) / 4, abs=1e-4)
        assert quarter.sigma == pytest.approx(old.sigma + (new.sigma - old.sigma) / 4, abs=1e-4)


def test_values_are_rounded() -> None:
    for value in rate([Value(30.1234, 2.5), Value(22.0, 6.7891)], [1, 2]):
        assert value == (round(value.mu, 4), round(value.sigma, 4))


def test_what_is_shown() -> None:
    assert (shown_number(INITIAL.mu), shown_deviation(INITIAL.sigma)) == (1500, 500)
    assert (shown_number(32.5), shown_deviation(2.5)) == (1725, 150)
    assert is_uncertain(Value(40.0, 5.01))
    assert not is_uncertain(Value(40.0, 5.0))


@pytest.mark.parametrize(
    ("seats", "hands", "pool"),
    [
        (2, "open", "duel-open"),
        (2, "hidden", "duel-hidden"),
        (3, "open", "group-open"),
        (5, "hidden", "group-hidden"),
    ],
)
def test_pools(seats: int, hands: str, pool: str) -> None:
    assert pool_of(seats, hands) == pool


@pytest.mark.parametrize(
    ("places", "people", "gave_up", "ranks"),
    [
        ([2, 1], [0, 1], [], [2, 1]),
        ([3, 1, 2], [0, 2], [], [2, None, 1]),  # a bot won
        ([1, 2, 3], [0, 1, 2], [0], [3, 1, 2]),  # the winner on the board was taken over
        ([1, 2, 3, 4], [0, 1, 2, 3], [0, 2], [3, 1, 3, 2]),
        ([1, 2], [0, 1], [0, 1], [1, 1]),
        ([1, 2, 2, 4], [0, 1, 2, 3], [], [1, 2, 2, 4]),
        ([1, 1, 3], [2], [1], [None, None, 1]),
    ],
)
def test_ranks(places: list[int], people: list[int], gave_up: list[int], ranks: list[int | None]) -> None:
    assert rank_people(places, people, gave_up) == ranks


# -- bots --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pool", POOLS)
def test_every_pool_has_the_strength_of_every_level(pool: Pool) -> None:
    strengths = bot_strengths(pool)
    assert list(strengths) == LEVELS
    assert list(strengths.values()) == sorted(strengths.values())


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("level", LEVELS[:-1])
def test_who_scores_like_a_level_plays_like_it(pool: Pool, level: str) -> None:
    """Half of the games against bots of one's own strength, and what is expected against the others."""
    from math import exp

    strengths = bot_strengths(pool)
    results = [
        BotResults(other, 200 / (1 + exp(strengths[other] - strengths[level])), 200) for other in strengths
    ]
    found = estimate_level(pool, results, 1000)
    assert found is not None
    assert found.level == level
    assert strengths[found.lowest] <= strengths[level] <= strengths[found.highest]


def test_who_wins_or_loses_everything_gets_the_last_level() -> None:
    best = estimate_level("duel-hidden", [BotResults("legend", 60, 60)], 60)
    worst = estimate_level("duel-hidden", [BotResults("cabin-boy", 0, 60)], 60)
    assert best is not None
    assert worst is not None
    assert (best.level, worst.level) == ("legend", "cabin-boy")


def test_too_few_games_say_nothing() -> None:
    assert estimate_level("duel-hidden", [BotResults("mate", 2, 4)], 4) is None
    assert estimate_level("duel-hidden", [], 0) is None
    assert estimate_level("duel-hidden", [BotResults("admiral", 9, 9)], 9) is None, (
        "a level of another release"
    )
