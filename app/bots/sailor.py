"""The sailor: looks one action ahead and takes what looks best at once."""

from __future__ import annotations

from app.bots.evaluation import rough_strength
from app.bots.thought import Thought
from app.bots.turn_search import step
from app.rules.actions import Action, End

__all__ = ["sailor"]

_PATIENCE = 0.15
"""An action must not cost more than this, or the sailor ends the turn where that is allowed."""


def sailor(thought: Thought) -> Action:
    position = thought.imagination.sample(thought.rng)
    seat = thought.seat
    weights = thought.weights(position)
    now = rough_strength(position, seat, weights)
    best, best_value = thought.listed[-1], float("-inf")
    for action in thought.listed:
        if type(action) is End and thought.must_move:
            continue
        if type(action) is End:
            value = now - _PATIENCE
        else:
            after = step(position, seat, action)
            thought.meter.nodes += 1
            if after.winner is not None:
                value = float("inf") if after.winner == seat else float("-inf")
            else:
                value = rough_strength(after, seat, weights) - weights[-1] * ((after.seat == seat) - 1)
        if value > best_value:
            best, best_value = action, value
    return best
