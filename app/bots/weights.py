"""The weights of the evaluation, one set for each kind of game, as bench/bots_tune.py found them."""

from __future__ import annotations

__all__ = ["WEIGHTS"]

_FIRST = (-1.0, 1.0, 0.0, -0.2, -0.1, 5.0, 1.0, -1.0, -3.0, 0.5, 0.1, 0.1, 0.2, 0.2, 1.0, 1.0, 3.0)

WEIGHTS: dict[str, tuple[float, ...]] = {"row": _FIRST, "deck": _FIRST, "complete": _FIRST}
