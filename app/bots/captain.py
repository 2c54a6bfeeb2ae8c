"""The captain: its own turn, judged by what the others' best replies leave of it."""

from __future__ import annotations

from collections.abc import Sequence

from app.bots.decision import Decision
from app.bots.evaluation import chances
from app.bots.playouts import candidates, play_plan, play_turn
from app.bots.turn_search import Plan
from app.rules.core.action import Action
from app.rules.core.position import Position

_WIDTH = 60
_ROUNDS = (8, 5, 3, 3)
"""How many plans are compared in each round; every round is an imagined position of its own."""
_REPLY_WIDTH = 6


def captain(decision: Decision) -> Action:
    position = decision.sampler.sample(decision.rng)
    found = candidates(decision, position, _WIDTH, _ROUNDS[0])
    if len(found) < 2:
        return found[0].actions[0] if found else decision.listed[0]
    decision.best(found[0].actions[0])
    totals: list[float] = []
    is_known = decision.sampler.is_open and position.ruleset.has_row
    for number, count in enumerate(_ROUNDS[:1] if is_known else _ROUNDS):
        if number:
            # The best come first; whoever is left out has fewer rounds and is not looked at again.
            order = sorted(range(len(found)), key=lambda index: -totals[index])[:count]
            found, totals = [found[n] for n in order], [totals[n] for n in order]
            decision.best(found[0].actions[0])
            position = decision.sampler.sample(decision.rng)
        scores = _round(decision, position, found)
        if len(scores) == len(found):
            totals = [a + b for a, b in zip(totals or [0.0] * len(found), scores, strict=True)]
        elif not number:
            totals, found = scores, found[: len(scores)]
        if decision.meter.is_spent():
            break
    return found[max(range(len(found)), key=lambda index: totals[index])].actions[0]


def _round(decision: Decision, position: Position, found: Sequence[Plan]) -> list[float]:
    """The seat's chance after each plan and everybody's reply; fewer scores when the budget ran out.

    Replies that were searched with nothing left are poor ones, so they do not count: they would favour
    the plan they answer.
    """
    seat, meter = decision.seat, decision.meter
    weights = decision.weights(position)
    scores: list[float] = []
    for plan in found:
        after = play_plan(position, seat, plan.actions)
        while after.winner is None and after.seat != seat:
            after = play_turn(after, weights, _REPLY_WIDTH, meter)
        if scores and meter.is_spent():
            break
        scores.append(chances(after, weights)[seat])
    return scores
