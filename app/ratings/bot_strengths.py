"""The frozen strengths of the bots, and the level that a person plays like.

Strengths are natural logarithms of Plackett and Luce's weights: of two players, the one with strength a finishes ahead
of the one with strength b in 1 / (1 + exp(b − a)) of their games, however many others play. They follow from recorded
matches (bot_strengths.json) and change only with the file's `bot_version`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import exp, log, sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec

from app.ratings.pools import Pool

MIN_GAMES = 5  # fewer say nothing about a person
_PRIOR_DEVIATION = 3.0  # keeps the estimate finite for somebody who has won, or lost, every game
_STEPS = 60
_MAX_STEP = 2.0


class Match(msgspec.Struct, frozen=True):
    """One bot of the upper level at a table of the lower one: how many of the games it won."""

    upper: str
    lower: str
    first: int
    games: int


class PoolMatches(msgspec.Struct, frozen=True):
    """The matches that stand for a pool, from the weakest level to the strongest."""

    preset: str
    seats: int
    matches: tuple[Match, ...]


class _File(msgspec.Struct, frozen=True):
    bot_version: str
    source: str
    pools: dict[Pool, PoolMatches]


class BotResults(NamedTuple):
    """A person's results against bots of a level: pairs of seats of the same games. A tie is half a win."""

    level: str
    wins: float
    games: int


class PlaysLike(NamedTuple):
    """The level that a person plays like, with the levels at both ends of a 95 % interval."""

    level: str
    lowest: str
    highest: str
    games: int


@cache
def load_matches() -> _File:
    text = Path(__file__).with_name("bot_strengths.json").read_bytes()
    return msgspec.json.decode(text, type=_File)


@cache
def bot_strengths(pool: Pool) -> dict[str, float]:
    """Return the strength of each level in a pool; the weakest has 0.

    A level that did worse than the one below it counts as equally strong.
    """
    found = load_matches().pools[pool]
    strengths = {found.matches[0].lower: 0.0}
    for match in found.matches:
        share = (match.first + 0.5) / (match.games + 1)
        lead = log((found.seats - 1) * share / (1 - share))
        strengths[match.upper] = strengths[match.lower] + max(0.0, lead)
    return strengths


def estimate_level(pool: Pool, results: Sequence[BotResults], games: int) -> PlaysLike | None:
    """Return the level whose strength is nearest to the most likely one of a person; None after too few games."""
    strengths = bot_strengths(pool)
    known = [each for each in results if each.level in strengths]
    if games < MIN_GAMES or not known:
        return None
    middle = sum(strengths.values()) / len(strengths)
    strength, information = middle, 0.0
    for _ in range(_STEPS):  # Newton's method; the likelihood has one maximum
        slope = (middle - strength) / _PRIOR_DEVIATION**2
        information = 1 / _PRIOR_DEVIATION**2
        for level, wins, met in known:
            expected = 1 / (1 + exp(strengths[level] - strength))
            slope += wins - met * expected
            information += met * expected * (1 - expected)
        strength += max(-_MAX_STEP, min(_MAX_STEP, slope / information))
    half = 1.96 / sqrt(information)
    return PlaysLike(
        _nearest(strengths, strength),
        _nearest(strengths, strength - half),
        _nearest(strengths, strength + half),
        games,
    )


def _nearest(strengths: dict[str, float], strength: float) -> str:
    return min(strengths, key=lambda level: abs(strengths[level] - strength))
