"""The input of a level's decision: possible positions, legal actions, a meter and a random generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from app.bots.budget import Meter
from app.bots.evaluation import Evaluator
from app.bots.sampling import PositionSampler
from app.bots.turn_search import Plan
from app.rules.core.action import Action, End

OnBest = Callable[[Action], None]


@dataclass(slots=True)
class Decision:
    """Everything that a level needs to choose an action."""

    sampler: PositionSampler
    seat: int
    listed: Sequence[Action]
    meter: Meter
    rng: Random
    on_best: OnBest
    """Called with the best action so far."""
    must_move: bool = False
    """Whether the seat passed its last turn without an action. Two patient bots could otherwise pass forever."""

    turns: int = 0
    """Turns that the seat has ended."""

    impatience: float = 0.0
    """How much longer than usual the game has taken, from 0 to 1."""

    def evaluator(self) -> Evaluator:
        """Return an evaluator that uses only what the seat knows."""
        return Evaluator(self.sampler.ruleset, self.seat, self.impatience)

    def drop_passes(self, candidates: list[Plan]) -> list[Plan]:
        """Return the plans without those that only pass, if the seat must move and has another plan."""
        if not self.must_move:
            return candidates
        return [plan for plan in candidates if type(plan.actions[0]) is not End] or candidates
