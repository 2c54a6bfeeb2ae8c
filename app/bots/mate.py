"""The mate: plays out its whole turn in its head, in the likely ways, and takes the best end; and the yardstick.

The yardstick is the plain greedy own-turn player that the strong levels are measured against; it stays
as it is, whatever the evaluation learns.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.bots.decision import Decision
from app.bots.evaluation import rough_strength
from app.bots.turn_search import plans
from app.rules.core.action import Action
from app.rules.core.position import Position

__all__ = ["mate", "plain_worth", "yardstick"]

_WIDTH = 15
"""Tables followed after each action: the most promising ones. All of them would make a mate that a captain
beats in only 65 of 100 games where hands are hidden; with fifteen it is 72, and a sailor loses 80."""
_PLAIN_WIDTH = 60

PLAIN_CARD = 7.0


def mate(decision: Decision) -> Action:
    position = decision.sampler.sample(decision.rng)
    found = plans(position, decision.seat, decision.weights(position), _WIDTH, decision.meter, rough_strength)
    found = decision.worth_trying(found)
    if not found:
        return decision.listed[0]
    return max(found, key=lambda plan: plan.value).actions[0]


def plain_worth(position: Position, seat: int, weights: Sequence[float]) -> float:
    """Spaces gone, and seven for a card."""
    return sum(position.pirates[seat]) + PLAIN_CARD * position.held[seat]


def yardstick(decision: Decision) -> Action:
    position = decision.sampler.sample(decision.rng)
    found = plans(position, decision.seat, (), _PLAIN_WIDTH, decision.meter, plain_worth, plain_worth)
    found = decision.worth_trying(found)
    if not found:
        return decision.listed[0]
    return max(found, key=lambda plan: plan.value).actions[0]
