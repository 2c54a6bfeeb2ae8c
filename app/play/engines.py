"""Which rules a game is played by: the engine of its `rules_version`, so that a running game never breaks."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from app import rules

__all__ = ["CURRENT", "ENGINES", "Engine", "UnknownRules", "engine_for"]

Engine = Any  # a module with the interface of app.rules; older versions are modules of the same shape

# A release that changes the rules adds its engine here and raises CURRENT one release later, so that
# workers of both releases can serve every game while they are exchanged.
ENGINES: dict[int, ModuleType] = {rules.RULES_VERSION: rules}
CURRENT = rules.RULES_VERSION


class UnknownRules(Exception):
    """This worker does not know the rules version of a game; another, newer one does."""


def engine_for(version: int) -> Engine:
    """The engine of a rules version; raises UnknownRules."""
    try:
        return ENGINES[version]
    except KeyError:
        raise UnknownRules(f"rules version {version} is not known to this worker") from None
