"""The rating model: Bradley–Terry over all pairs of a game, as `openskill` implements it (docs/ratings.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openskill.models import BradleyTerryPart

MODEL_VERSION = 1
"""Raised with every change that gives other figures; all ratings are then rebuilt."""
DECIMALS = 4
"""Figures are rounded after each game, so that other machines and libraries get the same."""
MAX_SEATS = 5

# A window of all other seats compares every pair once, so the order of tied seats does not matter.
_MODEL = BradleyTerryPart(
    mu=25.0, sigma=25.0 / 3, beta=25.0 / 6, kappa=0.0001, tau=25.0 / 300, window_size=MAX_SEATS - 1
)


class Value(NamedTuple):
    """What is known of a person's strength: the expected value and its standard deviation."""

    mu: float
    sigma: float


INITIAL = Value(25.0, round(25.0 / 3, DECIMALS))


def rate(values: Sequence[Value], ranks: Sequence[int], weight: float = 1.0) -> list[Value]:
    """Return the values after a game, in the same order; of equal ranks, neither was better.

    A weight below 1 moves each value only this share of the way.
    """
    teams = [[_MODEL.rating(mu=value.mu, sigma=value.sigma)] for value in values]
    rated = [team[0] for team in _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])]
    return [
        Value(_interpolate(old.mu, new.mu, weight), _interpolate(old.sigma, new.sigma, weight))
        for old, new in zip(values, rated, strict=True)
    ]


def _interpolate(old: float, new: float, weight: float) -> float:
    return round(old + weight * (new - old), DECIMALS)
