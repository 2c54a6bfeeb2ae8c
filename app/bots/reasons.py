"""Why a move is good, in one clause: a code and its numbers, taken from what the evaluation gains by it.

Only what the seat itself knows goes in: its own pirates, hand and number of cards before and after. Cards that
the move would draw from a deck stay unknown (`step`), and a card's power is named, not judged: what it brings
depends on hands and chests that nobody has seen.
"""

from __future__ import annotations

from typing import Any

from app.bots.evaluation import FEATURES, features, weights_for
from app.bots.turn_search import step
from app.rules.core.action import Action
from app.rules.core.position import Position

__all__ = ["REASONS", "reason"]

REASONS: tuple[str, ...] = (
    *("wins", "home", "out", "last", "jump", "company", "draws", "sails", "saves", "nothing_better"),
    *("aims", "rum", "lantern", "chest", "keeps_best"),
)
"""Every code a hint may give (docs/protocol.md)."""

_BY_TYPE = {
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
_GROUPS = {
    "out": ("at_start",),
    "last": ("hindmost", "second_hindmost", "hindmost_reach"),
    "jump": ("spaces_left", "home", "crossed", "ready_to_cross"),
    "company": ("retreat", "company"),
}


def reason(position: Position, seat: int, action: Action) -> dict[str, Any]:
    """{"why": code, "params": {…}}: what speaks for the action most. `n` is a number of cards or of spaces."""
    by_type = _BY_TYPE.get(action.type)
    if by_type is not None:
        return {"why": by_type, "params": {}}
    if action.type == "end":
        can_play = position.held[seat] and position.taken < position.ruleset.actions
        return {"why": "saves" if can_play else "nothing_better", "params": {}}
    after = step(position, seat, action)
    if after.winner == seat:
        return {"why": "wins", "params": {}}
    drawn = after.held[seat] - position.held[seat]
    if drawn > 0:  # whoever falls back, or rests, does it for the cards
        return {"why": "draws", "params": {"n": drawn}}
    was, now = features(position, seat), features(after, seat)
    gains = {
        name: weight * (new - old)
        for name, weight, new, old in zip(FEATURES, weights_for(position), now, was, strict=True)
    }
    best = max(_GROUPS, key=lambda group: sum(gains[name] for name in _GROUPS[group]))
    if best != "jump":
        return {"why": best, "params": {}}
    goal = position.ruleset.route.goal
    if after.pirates[seat].count(goal) > position.pirates[seat].count(goal):
        return {"why": "home", "params": {}}
    return {"why": "jump", "params": {"n": sum(after.pirates[seat]) - sum(position.pirates[seat])}}
