"""The five levels, weakest first, and their time limits in a room."""

from __future__ import annotations

LEVELS: tuple[str, ...] = ("cabin-boy", "sailor", "mate", "captain", "legend")

MAX_SECONDS: dict[str, float] = {"cabin-boy": 0.2, "sailor": 0.2, "mate": 0.5, "captain": 0.8, "legend": 1.0}
"""Time limit of one decision. The first two levels need only milliseconds, except on a slow machine."""


def is_level(name: object) -> bool:
    """Return whether the value is the name of a level."""
    return isinstance(name, str) and name in LEVELS
