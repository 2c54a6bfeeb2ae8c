"""Hints: the action that a captain would choose, and the reason for it (app/bots/reasons.py).

The reason comes from the same search as the action, so it uses only what the seat knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from app import rules
from app.bots.answer_reasons import explain_answer
from app.bots.budget import Budget
from app.bots.captain import search_plans
from app.bots.choosing import fallback_action, make_decision
from app.bots.decision import Decision, OnBest
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.measures import Turn, follow
from app.bots.pending_choice import answer
from app.bots.reasons import Reason, explain_turn
from app.bots.turn_search import Plan, foresee
from app.rules import Json
from app.rules.core.action import Action, End
from app.rules.core.position import Position

__all__ = ["HINT_LEVEL", "Hint", "Rivals", "find_rival", "give_hint", "unexplained"]

HINT_LEVEL = "captain"


@dataclass(frozen=True, slots=True)
class Rivals:
    """The turn of a hint and the runner-up that its reason was compared with."""

    turn: Turn
    rival: Turn


@dataclass(frozen=True, slots=True)
class Hint:
    """An action and the reason for it; `rivals` is None for the answer to a pending choice and a single action."""

    action: Action
    reason: Reason
    rivals: Rivals | None = None

    def to_json(self) -> Json:
        return {"action": rules.action_to_json(self.action), **self.reason.to_json()}


def unexplained(action: Json) -> Json:
    """Return the hint for an action that was found without a search."""
    return {"action": action, **Reason("unexplained").to_json()}


def give_hint(
    view: Json,
    actions: Sequence[Json],
    history: Sequence[Json],
    budget: Budget,
    rng: Random,
    *,
    seat: int | None = None,
    on_best: OnBest | None = None,
) -> Hint:
    """Return the hint for a seat that may do one of the actions."""
    decision = make_decision(view, actions, history, HINT_LEVEL, budget, rng, seat=seat, on_best=on_best)
    if len(decision.listed) == 1 and not decision.listed[0].is_placeholder:
        return Hint(decision.listed[0], Reason("nothing_better"))
    position = decision.sampler.sample(decision.rng)
    if view["pending"] is not None:
        action = answer(position, decision.seat, decision.listed)
        return Hint(action, explain_answer(position, decision.seat, decision.listed, action))
    every = search_plans(decision, position)
    candidates = decision.drop_passes(every)
    if not candidates:
        return Hint(rules.action_from_json(fallback_action(view, actions, seat)), Reason("unexplained"))
    best = candidates[0]
    rival = find_rival(best, [*candidates, *_short_plans(decision, position)])
    turn = follow(position, decision.seat, best.actions)
    against = follow(position, decision.seat, rival.actions if rival else ())
    reason = explain_turn(turn, against) or _compare_chances(decision, position, best, every)
    return Hint(best.actions[0], reason, Rivals(turn, against))


def _short_plans(decision: Decision, position: Position) -> list[Plan]:
    """Return a plan for each single action after which the seat may end its turn; the search may have dropped some."""
    if position.actions_taken + 1 < position.ruleset.min_actions:
        return []
    evaluator = decision.evaluator()
    found = []
    for action in decision.listed:
        if type(action) is not End:
            after = foresee(position, decision.seat, action)
            if after.winner is None:
                found.append(Plan((action,), after, evaluator.value(after, decision.seat)))
    return found


def find_rival(best: Plan, candidates: Sequence[Plan]) -> Plan | None:
    """Return the runner-up: the best plan without the first action of the best one.

    A plan that only plays this action later is a rival if every plan plays it.
    """
    first = _plain_text(best.actions[0])
    without = [plan for plan in candidates if first not in map(_plain_text, plan.actions)]
    others = without or [plan for plan in candidates if _plain_text(plan.actions[0]) != first]
    return max(others, key=lambda plan: plan.value, default=None)


def _plain_text(action: Action) -> str:
    """Return the notation without the stars of dark cards, which jump like the others."""
    return action.to_text().replace("*", "")


def _compare_chances(
    decision: Decision, position: Position, best: Plan, candidates: Sequence[Plan]
) -> Reason:
    """Return the general reason: the chance to win, and that of the runner-up."""
    evaluator = Evaluator(position.ruleset, decision.seat)
    rival = find_rival(best, candidates)
    if rival is None:  # the search was cut short before it found another turn
        return Reason("unexplained")
    chance = _percent(evaluator, best, decision.seat)
    other = _percent(evaluator, rival, decision.seat)
    if chance == other:
        return Reason("little_between", {"n": chance})
    if chance < other:  # a bot that has passed once, or for long, moves on
        return Reason("moves_on")
    return Reason("best_chance", {"n": chance, "other": other})


def _percent(evaluator: Evaluator, plan: Plan, seat: int) -> int:
    return round(100 * evaluator.value(plan.after, seat) / CERTAINTY)
