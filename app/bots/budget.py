"""Limits on the search of one decision: nodes for reproducible results, seconds for rooms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one decision; None means no limit."""

    nodes: int | None = None
    seconds: float | None = None


class Meter:
    """Counter of the nodes and the time that one decision has used."""

    __slots__ = ("_clock", "_deadline", "_max_nodes", "_seconds", "nodes")

    def __init__(self, budget: Budget, clock: Callable[[], float] = monotonic) -> None:
        self.nodes = 0
        self._max_nodes = budget.nodes
        self._clock = clock
        self._seconds = budget.seconds
        self._deadline = None if budget.seconds is None else clock() + budget.seconds

    def is_spent(self) -> bool:
        """Return whether the budget is used up."""
        if self._max_nodes is not None and self.nodes >= self._max_nodes:
            return True
        return self._deadline is not None and self._clock() >= self._deadline

    def share_spent(self) -> float:
        """Return the share of the budget that is used up, from 0 to 1."""
        share = 0.0
        if self._max_nodes is not None:
            share = self.nodes / self._max_nodes if self._max_nodes else 1.0
        if self._deadline is not None and self._seconds is not None:
            left = (self._deadline - self._clock()) / self._seconds if self._seconds else 0.0
            share = max(share, 1.0 - left)
        return min(1.0, share)
