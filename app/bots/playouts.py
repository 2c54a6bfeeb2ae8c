"""Playing plans on sampled positions, up to the start of the next seat's turn."""

from __future__ import annotations

from collections.abc import Sequence

from app import rules
from app.bots.budget import Meter
from app.bots.evaluation import Evaluator
from app.bots.pending_choice import settle_all
from app.bots.turn_search import Plan, plans, reveal
from app.rules.core.action import Action, End
from app.rules.core.position import Position

__all__ = ["finish_plan", "play_plan", "play_turn"]

_END = End()


def finish_plan(plan: Plan, seat: int) -> Position:
    """Return the position at the start of the next seat's turn after the plan, which is not changed."""
    after = plan.after.copy()
    reveal(after, seat)
    if after.winner is None and plan.actions[-1] == _END:
        rules.apply_in_place(after, seat, _END)
    return after


def play_plan(position: Position, seat: int, actions: Sequence[Action]) -> Position:
    """Return the position after playing the actions on another sampled position.

    If an action is illegal there, the turn is ended instead.
    """
    after = position.copy()
    for action in actions:
        listed = rules.legal(after, seat)
        if action not in listed:
            action = _END if _END in listed else listed[0]
        rules.apply_in_place(after, seat, action)
        settle_all(after)
        if after.winner is not None or after.turn_seat != seat:
            return after
    while after.winner is None and after.turn_seat == seat:
        listed = rules.legal(after, seat)
        rules.apply_in_place(after, seat, _END if _END in listed else listed[0])
        settle_all(after)
    return after


def play_turn(position: Position, evaluator: Evaluator, width: int, meter: Meter) -> Position:
    """Return the position after the best turn, by the evaluation, of the seat whose turn it is."""
    seat = position.turn_seat
    candidates = plans(position, seat, width, meter, evaluator.value, evaluator.rough_score)
    if not candidates:
        return play_plan(position, seat, ())
    return finish_plan(max(candidates, key=lambda plan: plan.value), seat)
