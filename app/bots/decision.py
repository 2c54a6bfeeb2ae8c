"""What a level has before it when it thinks: possible positions, its legal list, a meter, chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from app.bots.budget import Meter
from app.bots.evaluation import weights_for
from app.bots.sampling import PositionSampler
from app.bots.turn_search import Plan
from app.rules.core.action import Action, End
from app.rules.core.position import Position

Best = Callable[[Action], None]


@dataclass(slots=True)
class Decision:
    sampler: PositionSampler
    seat: int
    listed: Sequence[Action]
    meter: Meter
    rng: Random
    best: Best
    """Told of the best move so far."""
    must_move: bool = False
    """Its last turn was a bare pass: another would let two patient bots wait for each other for ever."""

    turns: int = 0
    """How many turns of its own it has ended."""

    impatience: float = 0.0
    """How much longer than usual the game has taken already, from 0 to 1."""

    def weights(self, position: Position) -> Sequence[float]:
        return weights_for(position, self.impatience)

    def worth_trying(self, found: list[Plan]) -> list[Plan]:
        """The plans without a bare pass, where the seat must move and can."""
        if not self.must_move:
            return found
        return [plan for plan in found if type(plan.actions[0]) is not End] or found
