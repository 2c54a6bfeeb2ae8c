"""The captain: searches its own turn and plays the one that leaves it the best chance to win."""

from __future__ import annotations

from app.bots.decision import Decision
from app.bots.turn_search import Plan, plans
from app.rules.core.action import Action
from app.rules.core.position import Position

__all__ = ["captain", "ranked_plans", "search_plans"]

_SEARCH_WIDTH = 32


def captain(decision: Decision) -> Action:
    """Return the first action of the turn with the best chance to win."""
    candidates = ranked_plans(decision, decision.sampler.sample(decision.rng), _SEARCH_WIDTH)
    return candidates[0].actions[0] if candidates else decision.listed[0]


def ranked_plans(decision: Decision, position: Position, width: int) -> list[Plan]:
    """Return plans for the turn, best first. A winning plan is returned alone."""
    return decision.drop_passes(search_plans(decision, position, width))


def search_plans(decision: Decision, position: Position, width: int = _SEARCH_WIDTH) -> list[Plan]:
    """Return plans for the turn, best first, with those that only pass."""
    evaluator = decision.evaluator()
    found = plans(position, decision.seat, width, decision.meter, evaluator.value, evaluator.rough_score)
    found.sort(key=lambda plan: -plan.value)
    return found
