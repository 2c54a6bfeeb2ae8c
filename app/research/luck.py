"""Test whether luck-adjusted results are unbiased, and measure how much less they vary.

    python -m app.research.luck --preset jamaica --players 2 --games 10000 --seed 1

Games are between equal noisy players that search their own turn (app/research/self_play.py). Prints, for the first
seat, the mean luck with its 95 % interval (which contains zero if unbiased), the variance of the result and of the
result minus its luck, the reduction, and the standard deviation that is left.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from random import Random

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.evaluation import Evaluator
from app.bots.luck import luck_of_action
from app.bots.pending_choice import settle_all
from app.bots.turn_search import plans
from app.research.self_play import draw_plan
from app.rules.core.action import Action, End

__all__ = ["Measured", "measure", "play_with_luck"]

_END = End()
_WIDTH = 6
_MAX_TURNS = 60
"""Turns per seat; longer games go in circles and are left out."""
_TEMPERATURE = 10
_PROGRESS_GAMES = 250


def play_with_luck(options: rules.Options, seed: str) -> tuple[int, list[float]] | None:
    """Play one game; return the winner and each seat's luck, or None if the game does not end."""
    rng = Random(seed)
    position = rules.new_game(options, f"{rng.getrandbits(256):064x}")
    seats = range(options.players)
    open_judge = Evaluator(position.ruleset)
    judges = [Evaluator(position.ruleset, seat) for seat in seats]
    luck = [0.0 for _ in seats]
    has_passed = [False for _ in seats]
    for _ in range(_MAX_TURNS * options.players):
        seat = position.turn_seat
        judge = judges[seat]
        candidates = plans(position, seat, _WIDTH, Meter(Budget()), judge.value, judge.rough_score)
        if has_passed[seat]:
            candidates = [plan for plan in candidates if type(plan.actions[0]) is not End] or candidates
        actions: list[Action] = list(draw_plan(candidates, _TEMPERATURE, rng).actions) if candidates else []
        has_passed[seat] = not actions or type(actions[0]) is End
        while position.winner is None and position.turn_seat == seat:
            listed = rules.legal(position, seat)
            action = actions.pop(0) if actions else _END
            if action not in listed:
                action = _END if _END in listed else listed[0]
            before = position
            position, events = rules.apply(before, seat, action)
            found = luck_of_action(open_judge, before, position, events)
            luck = [total + part for total, part in zip(luck, found, strict=True)]
            settle_all(position)
        if position.winner is not None:
            return position.winner, luck
    return None


@dataclass(frozen=True, slots=True)
class Measured:
    """The first seat's results in a series of games."""

    games: int
    mean_result: float
    mean_luck: float
    luck_error: float
    """Standard error of the mean luck."""
    result_variance: float
    adjusted_variance: float


def measure(options: rules.Options, games: int, seed: str) -> Iterator[Measured]:
    """Play games and compare results with luck-adjusted ones; yield the figures now and then, and at the end."""
    results: list[float] = []
    lucks: list[float] = []
    for number in range(games):
        played = play_with_luck(options, f"{seed}|{number}")
        if played is not None:
            winner, luck = played
            results.append(float(winner == 0))
            lucks.append(luck[0])
        if (number + 1) % _PROGRESS_GAMES == 0 or number + 1 == games:
            yield _compare(results, lucks)


def _compare(results: list[float], lucks: list[float]) -> Measured:
    adjusted = [result - luck for result, luck in zip(results, lucks, strict=True)]
    return Measured(
        games=len(results),
        mean_result=_mean(results),
        mean_luck=_mean(lucks),
        luck_error=sqrt(_variance(lucks) / len(lucks)),
        result_variance=_variance(results),
        adjusted_variance=_variance(adjusted),
    )


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _variance(values: list[float]) -> float:
    mean = _mean(values)
    return sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--preset", default="jamaica")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", default="1")
    arguments = parser.parse_args()
    options = rules.parse_options({"preset": arguments.preset, "players": arguments.players})
    for found in measure(options, arguments.games, arguments.seed):
        reduction = 1 - found.adjusted_variance / found.result_variance
        print(
            f"| {arguments.preset} | {arguments.players} | {found.games:,} | {found.mean_result:.3f} "
            f"| {found.mean_luck:+.4f} ± {1.96 * found.luck_error:.4f} | {found.result_variance:.4f} "
            f"| {found.adjusted_variance:.4f} | {reduction:.1%} | {sqrt(found.adjusted_variance):.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
