"""The five levels, weakest first, and how long each may think in a room."""

from __future__ import annotations

LEVELS: tuple[str, ...] = ("cabin-boy", "sailor", "mate", "captain", "legend")

SECONDS: dict[str, float] = {"cabin-boy": 0.2, "sailor": 0.2, "mate": 0.5, "captain": 0.8, "legend": 1.0}
"""The most one decision may take. The first two need a few milliseconds; theirs is for a slow machine."""


def is_level(name: object) -> bool:
    return isinstance(name, str) and name in LEVELS
