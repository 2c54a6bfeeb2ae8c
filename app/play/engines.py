"""Which rules a game is played by: the engine of its `rules_version`, so that a running game never breaks."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from app import rules

__all__ = ["CURRENT", "ENGINES", "NAMELESS", "SCHEMES", "Engine", "UnknownRules", "engine_for"]

Engine = Any  # a module with the interface of app.rules; older versions are modules of the same shape

# The version of a table says how its log is read: the rules, and the shape of its entries. A worker that does
# not know it lets the game alone. 2 has the rules of 1; its seats are sealed and its entries hold no names.
# Which one new tables get is a setting, so that workers of both releases can serve while they are exchanged.
ENGINES: dict[int, ModuleType] = {1: rules, 2: rules}
SCHEMES = {1: 1, 2: 2}  # how chance is made checkable (docs/interchange.md)
CURRENT = 2
NAMELESS = (
    2  # from here on entries have no field for a person's name; before, workers expect one and get it empty
)


class UnknownRules(Exception):
    """This worker does not know the rules version of a game; another, newer one does."""


def engine_for(version: int) -> Engine:
    """The engine of a rules version; raises UnknownRules."""
    try:
        return ENGINES[version]
    except KeyError:
        raise UnknownRules(f"rules version {version} is not known to this worker") from None
