"""How much a bot may think: nodes, so that a bench can be repeated, or seconds, in a room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on one decision. None means: not limited by this."""

    nodes: int | None = None
    seconds: float | None = None


class Meter:
    """Counts the nodes of one decision and says when it is time to stop."""

    __slots__ = ("_clock", "_deadline", "_most", "_seconds", "nodes")

    def __init__(self, budget: Budget, clock: Callable[[], float] = monotonic) -> None:
        self.nodes = 0
        self._most = budget.nodes
        self._clock = clock
        self._seconds = budget.seconds
        self._deadline = None if budget.seconds is None else clock() + budget.seconds

    def is_spent(self) -> bool:
        if self._most is not None and self.nodes >= self._most:
            return True
        return self._deadline is not None and self._clock() >= self._deadline

    def share_spent(self) -> float:
        """From 0 at the beginning to 1 when nothing is left."""
        share = 0.0
        if self._most is not None:
            share = self.nodes / self._most if self._most else 1.0
        if self._deadline is not None and self._seconds is not None:
            left = (self._deadline - self._clock()) / self._seconds if self._seconds else 0.0
            share = max(share, 1.0 - left)
        return min(1.0, share)
