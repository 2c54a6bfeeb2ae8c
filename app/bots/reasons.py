"""Reasons for a hint: a code with parameters that says why an action is good, derived from the evaluation.

A reason uses only what the seat knows: its pirates, its hand and its number of cards before and after. Cards drawn
from the deck stay unknown (`foresee`). A power is named but not evaluated, because its result depends on hidden cards
and tokens.
"""

from __future__ import annotations

from typing import Any

from app.bots.evaluation import Evaluator
from app.bots.turn_search import foresee
from app.rules.core.action import Action
from app.rules.core.position import Position

__all__ = ["REASONS", "find_reason"]

REASONS: tuple[str, ...] = (
    *("wins", "home", "out", "last", "jump", "company", "draws", "sails", "saves", "nothing_better"),
    *("aims", "rum", "lantern", "chest", "keeps_best"),
)
"""All codes of hints (docs/protocol.md)."""

_REASON_BY_TYPE = {
    "chest": "chest",
    "discard": "keeps_best",
    "lantern": "lantern",
    "pistol": "aims",
    "rum": "rum",
    "sail": "sails",
    "share": "keeps_best",
    "stack": "keeps_best",
    "steal": "aims",
}


def find_reason(position: Position, seat: int, action: Action) -> dict[str, Any]:
    """Return {"why": code, "params": {…}} for the strongest reason; `n` in the parameters counts cards or spaces."""
    by_type = _REASON_BY_TYPE.get(action.type)
    if by_type is not None:
        return {"why": by_type, "params": {}}
    if action.type == "end":
        can_play = position.hand_sizes[seat] and position.actions_taken < position.ruleset.actions
        return {"why": "saves" if can_play else "nothing_better", "params": {}}
    after = foresee(position, seat, action)
    if after.winner == seat:
        return {"why": "wins", "params": {}}
    drawn = after.hand_sizes[seat] - position.hand_sizes[seat]
    if drawn > 0:  # the point of a retreat or a relief card
        return {"why": "draws", "params": {"n": drawn}}
    goal = position.ruleset.route.goal
    if after.pirates[seat].count(goal) > position.pirates[seat].count(goal):
        return {"why": "home", "params": {}}
    evaluator = Evaluator(position.ruleset, seat)
    was, now = evaluator.scores_by_table(position, seat), evaluator.scores_by_table(after, seat)
    gain = {name: now[name] - was[name] for name in now}
    if gain["retreat"] > gain["rank_place"] + gain["home_rear"]:
        return {"why": "company", "params": {}}
    if after.pirates[seat].count(0) < position.pirates[seat].count(0):
        return {"why": "out", "params": {}}
    if after.pirates[seat][0] > position.pirates[seat][0]:
        return {"why": "last", "params": {}}
    return {"why": "jump", "params": {"n": sum(after.pirates[seat]) - sum(position.pirates[seat])}}
