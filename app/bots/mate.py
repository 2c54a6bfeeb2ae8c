"""The mate: plays out its whole turn in its head, in the likely ways, and takes the best end; and the yardstick.

The yardstick is the plain greedy own-turn player that the strong levels are measured against; it stays
as it is, whatever the evaluation learns.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.bots.evaluation import rough_strength
from app.bots.thought import Thought
from app.bots.turn_search import plans
from app.rules.core.actions import Action
from app.rules.core.position import Position

__all__ = ["mate", "plain_worth", "yardstick"]

_WIDTH = 15
"""Tables followed after each action: the most promising ones. All of them would make a mate that a captain
beats in only 65 of 100 games where hands are hidden; with fifteen it is 72, and a sailor loses 80."""
_PLAIN_WIDTH = 60

PLAIN_CARD = 7.0


def mate(thought: Thought) -> Action:
    position = thought.imagination.sample(thought.rng)
    found = plans(position, thought.seat, thought.weights(position), _WIDTH, thought.meter, rough_strength)
    found = thought.worth_trying(found)
    if not found:
        return thought.listed[0]
    return max(found, key=lambda plan: plan.value).actions[0]


def plain_worth(position: Position, seat: int, weights: Sequence[float]) -> float:
    """Spaces gone, and seven for a card."""
    return sum(position.pirates[seat]) + PLAIN_CARD * position.held[seat]


def yardstick(thought: Thought) -> Action:
    position = thought.imagination.sample(thought.rng)
    found = plans(position, thought.seat, (), _PLAIN_WIDTH, thought.meter, plain_worth, plain_worth)
    found = thought.worth_trying(found)
    if not found:
        return thought.listed[0]
    return max(found, key=lambda plan: plan.value).actions[0]
