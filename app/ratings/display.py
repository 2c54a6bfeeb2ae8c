"""How a rating is shown: a number with ±, uncertain while the deviation is large; bounds of the leaderboards."""

from __future__ import annotations

from app.ratings.model import INITIAL, Value

_CENTRE, _POINTS = 1500, 30  # the number of a new person, and points per unit of the model
_CERTAIN_SIGMA = 5.0  # above it, a number is shown with "?"
MIN_LISTED_GAMES = 10
MAX_LISTED_SIGMA = _CERTAIN_SIGMA
MAX_LISTED_AGE_MS = 180 * 86_400_000  # since the last rated game


def shown_number(mu: float) -> int:
    """Return the number that is shown for a value of the model."""
    return round(_CENTRE + _POINTS * (mu - INITIAL.mu))


def shown_deviation(sigma: float) -> int:
    """Return the ± beside the number: two standard deviations, about 95 %."""
    return round(2 * _POINTS * sigma)


def is_uncertain(value: Value) -> bool:
    """Return whether the number is shown with a question mark."""
    return value.sigma > _CERTAIN_SIGMA
