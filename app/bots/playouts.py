"""Futures: playing plans out on imagined positions, and what the table looks like after them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from app import rules
from app.bots.budget import Meter
from app.bots.decision import Decision
from app.bots.evaluation import strength, strengths
from app.bots.owed import settle_all
from app.bots.turn_search import Plan, plans, reveal
from app.rules.core.action import Action, End
from app.rules.core.position import Position

_END = End()


def edge(position: Position, seat: int, weights: Sequence[float]) -> float:
    """How far the seat is ahead of all the others together: the logarithm of its odds to win."""
    values = strengths(position, weights)
    own = values[seat]
    rest = [value for other, value in enumerate(values) if other != seat]
    most = max(rest)
    return own - most - log(sum(exp(value - most) for value in rest))


def candidates(decision: Decision, position: Position, width: int, most: int) -> list[Plan]:
    """The plans worth a closer look, that of the greatest edge first; a plan that wins stands alone."""
    seat = decision.seat
    weights = decision.weights(position)
    found = decision.worth_trying(plans(position, seat, weights, width, decision.meter))
    found.sort(key=lambda plan: -plan.value)
    if found and found[0].value == float("inf"):
        return found[:1]
    del found[3 * most :]
    found.sort(key=lambda plan: -edge(plan.after, seat, weights))
    return found[:most]


def finish(plan: Plan, seat: int) -> Position:
    """The table as the next seat finds it after the plan; the plan itself stays as it was."""
    after = plan.after.copy()
    reveal(after, seat)
    if after.winner is None and plan.actions[-1] == _END:
        rules.play(after, seat, _END)
    return after


def play_plan(position: Position, seat: int, actions: Sequence[Action]) -> Position:
    """The plan on another imagined position, where chance may stop it: then the turn just ends."""
    after = position.copy()
    for action in actions:
        listed = rules.legal(after, seat)
        if action not in listed:
            action = _END if _END in listed else listed[0]
        rules.play(after, seat, action)
        settle_all(after)
        if after.winner is not None or after.seat != seat:
            return after
    while after.winner is None and after.seat == seat:
        listed = rules.legal(after, seat)
        rules.play(after, seat, _END if _END in listed else listed[0])
        settle_all(after)
    return after


def play_turn(position: Position, weights: Sequence[float], width: int, meter: Meter) -> Position:
    """The seat in turn plays what its own turn search likes best."""
    seat = position.seat
    found = plans(position, seat, weights, width, meter, strength)
    if not found:
        return play_plan(position, seat, ())
    return finish(max(found, key=lambda plan: plan.value), seat)
