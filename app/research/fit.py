"""Fitting of the weights to recorded games: TD(λ) targets, minibatch Adam, numpy.

The target of a position is a λ-return: a mix of the outcome of its game and the chances that the present weights give
to later positions. Each pass computes new targets from the weights of the pass before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.bots.evaluation import BANKS, SCORE_UNIT
from app.bots.tables import MAX_ENTRIES, SIZE
from app.research.self_play import BANK_SIZE, RecordedGame

__all__ = ["Positions", "chances_of", "fit_weights", "gather", "log_loss", "to_array", "to_banks"]

_BATCH_SIZE = 4096
_CHUNK_SIZE = 1 << 16
_LEARNING_RATE = 0.03
_EPOCHS = 12
_PASSES = 3
_LAMBDA = 0.85
_PENALTY = 3.0
_FIRST_DECAY, _SECOND_DECAY = 0.9, 0.999
_MAX_WEIGHT = 32_000

Array = Any


@dataclass
class Positions:
    """Recorded positions with one number of seats, in the order of their games."""

    entries: Array
    """Table entries of each position and seat, offset by the seat's bank."""
    winners: Array
    is_last: Array
    """Whether the position is the last one of its game."""


def gather(games: Sequence[RecordedGame]) -> list[Positions]:
    """Return the positions of all games, one item for each number of seats."""
    found = []
    for seats in sorted({game.seats for game in games if game.winners}):
        matching = [game for game in games if game.seats == seats and game.winners]
        entries = np.concatenate([np.frombuffer(game.entries, np.uint16) for game in matching])
        winners = np.concatenate([np.frombuffer(game.winners, np.uint8) for game in matching])
        is_last: Array = np.zeros(len(winners), bool)
        is_last[np.cumsum([len(game.winners) for game in matching]) - 1] = True
        entries = entries.reshape(len(winners), seats, MAX_ENTRIES)
        used = (entries % BANK_SIZE != SIZE).any(axis=(0, 1))
        found.append(Positions(np.ascontiguousarray(entries[:, :, used]), winners, is_last))
    return found


def _chances(weights: Array, entries: Array) -> Array:
    scores = weights[entries].sum(axis=2)
    scores -= scores.max(axis=1, keepdims=True)
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


def chances_of(weights: Array, part: Positions) -> Array:
    """Return the chance of every seat in every position."""
    starts = range(0, len(part.winners), _CHUNK_SIZE)
    return np.concatenate(
        [_chances(weights, part.entries[first : first + _CHUNK_SIZE].astype(np.int64)) for first in starts]
    )


def log_loss(weights: Array, parts: Sequence[Positions]) -> float:
    """Return the mean log loss of the winners."""
    lost = sum(
        -np.log(np.maximum(chances_of(weights, part)[np.arange(len(part.winners)), part.winners], 1e-9)).sum()
        for part in parts
    )
    return float(lost) / max(1, sum(len(part.winners) for part in parts))


def _targets(weights: Array, part: Positions) -> Array:
    """Return the λ-return of each position."""
    chances = chances_of(weights, part)
    outcome = np.eye(chances.shape[1])[part.winners]
    targets = outcome
    for number in range(len(chances) - 2, -1, -1):
        if not part.is_last[number]:
            targets[number] = (1 - _LAMBDA) * chances[number + 1] + _LAMBDA * targets[number + 1]
    return targets


def fit_weights(
    parts: Sequence[Positions], prior: Array, start: Array, seed: int, report: Callable[[str], None]
) -> Array:
    """Return the fitted weights of all banks in one array; a penalty pulls them towards the prior."""
    weights = start
    for number in range(_PASSES):
        targets = [_targets(weights, part) for part in parts]
        weights = _fit_targets(parts, targets, prior, weights, seed + number)
        report(f"pass {number + 1}: log loss on the games fitted {log_loss(weights, parts):.4f}")
    return weights


def _fit_targets(
    parts: Sequence[Positions], targets: Sequence[Array], prior: Array, start: Array, seed: int
) -> Array:
    rng = np.random.default_rng(seed)
    weights = start.copy()
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    pull = _PENALTY / sum(len(part.winners) for part in parts)
    padding: Array = np.arange(len(BANKS)) * BANK_SIZE + SIZE
    batches = [
        (number, first)
        for number, part in enumerate(parts)
        for first in range(0, len(part.winners), _BATCH_SIZE)
    ]
    step = 0
    for epoch in range(_EPOCHS):
        rate = _LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * epoch / _EPOCHS)) + 1e-4
        orders = [rng.permutation(len(part.winners)) for part in parts]
        for batch in rng.permutation(len(batches)):
            number, first = batches[batch]
            chosen = orders[number][first : first + _BATCH_SIZE]
            entries = parts[number].entries[chosen].astype(np.int64)
            errors = _chances(weights, entries) - targets[number][chosen]
            slope = np.bincount(
                entries.ravel(), np.repeat(errors.ravel(), entries.shape[2]), len(weights)
            ) / len(chosen)
            slope += pull * (weights - prior)
            slope[padding] = 0.0
            step += 1
            mean = _FIRST_DECAY * mean + (1 - _FIRST_DECAY) * slope
            square = _SECOND_DECAY * square + (1 - _SECOND_DECAY) * slope * slope
            size = np.sqrt(square / (1 - _SECOND_DECAY**step)) + 1e-7
            weights -= rate * mean / (1 - _FIRST_DECAY**step) / size
    return weights


def to_array(banks: dict[str, list[int]]) -> Array:
    """Return the banks of one kind of game as one array in natural logarithms."""
    return np.concatenate([np.array([*banks[name], 0], float) for name in BANKS]) / SCORE_UNIT


def to_banks(weights: Array) -> dict[str, list[int]]:
    """Return the banks of one kind of game as integers."""
    rounded = (
        np.clip(np.rint(weights * SCORE_UNIT), -_MAX_WEIGHT, _MAX_WEIGHT)
        .astype(int)
        .reshape(len(BANKS), BANK_SIZE)
    )
    return {name: rounded[number, :SIZE].tolist() for number, name in enumerate(BANKS)}
