"""Measure the calibration of the evaluation on the games that training held out.

    python -m app.research.calibrate --seed 1 --work var/train

Prints Brier score and log loss for each kind of game and number of seats, and reliability tables (predicted chance
against actual wins) for two seats and for more. The intervals are bootstrapped over games, because positions of one
game share their outcome.
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.bots.evaluation import KINDS, load_weights
from app.research.fit import Positions, chances_of, gather, to_array
from app.research.self_play import RecordedGame
from app.research.train import HELD_OUT

_BINS = 10
_BOOTSTRAP_SAMPLES = 300

Array = Any


def _brier(chances: Array, part: Positions) -> Array:
    """Return the Brier score of each position: the squared errors of all seats, halved."""
    outcome = np.eye(chances.shape[1])[part.winners]
    return ((chances - outcome) ** 2).sum(axis=1) / 2


def _interval(values: Array, part: Positions) -> tuple[float, float]:
    """Return a 95 % interval of the mean, bootstrapped over whole games."""
    game = np.concatenate([[0], np.cumsum(part.is_last)[:-1]])
    sums, counts = np.bincount(game, values), np.bincount(game)
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, len(sums), len(sums)) for _ in range(_BOOTSTRAP_SAMPLES)]
    means = [sums[chosen].sum() / counts[chosen].sum() for chosen in drawn]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def _print_part(kind: str, part: Positions, weights: Array) -> tuple[Array, Array]:
    chances = chances_of(weights, part)
    seats = chances.shape[1]
    scores = _brier(chances, part)
    low, high = _interval(scores, part)
    blind = (1 - 1 / seats) / 2
    loss = -np.log(np.maximum(chances[np.arange(len(part.winners)), part.winners], 1e-9)).mean()
    print(
        f"| {kind} | {seats} | {int(part.is_last.sum()):,} | {len(part.winners):,} "
        f"| {scores.mean():.4f} ({low:.4f} – {high:.4f}) | {blind:.4f} | {loss:.4f} |"
    )
    return chances.ravel(), np.eye(seats)[part.winners].ravel()


def _print_reliability(name: str, chances: Array, is_first: Array) -> None:
    print(f"\n| {name}: predicted | mean prediction | came first | seats |\n|---|---|---|---|")
    bins = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    for number in range(_BINS):
        chosen = bins == number
        if chosen.any():
            print(
                f"| {number / _BINS:.0%} – {(number + 1) / _BINS:.0%} | {chances[chosen].mean():.1%} "
                f"| {is_first[chosen].mean():.1%} | {int(chosen.sum()):,} |"
            )


def _held_out(work: Path, kind: str) -> Sequence[RecordedGame]:
    """Return the held-out games of the last stage."""
    stages = sorted(work.glob(f"{kind}-*.games"))
    if not stages:
        return ()
    games: list[RecordedGame] = pickle.loads(stages[-1].read_bytes())  # noqa: S301 (written by training)
    return games[::HELD_OUT]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--work", type=Path, default=Path("var/train"))
    arguments = parser.parse_args()
    results: dict[str, list[tuple[Array, Array]]] = {"two seats": [], "three to five seats": []}
    print("| kind | seats | games | positions | Brier (95 %) | without knowledge | log loss |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        weights = to_array(load_weights()[kind])
        for part in gather(_held_out(arguments.work / str(arguments.seed), kind)):
            name = "two seats" if part.entries.shape[1] == 2 else "three to five seats"
            results[name].append(_print_part(kind, part, weights))
    for name, pairs in results.items():
        if pairs:
            chances, is_first = (np.concatenate(column) for column in zip(*pairs, strict=True))
            _print_reliability(name, chances, is_first)


if __name__ == "__main__":
    main()
