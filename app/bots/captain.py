"""The captain: its own turn, judged by what the others' best replies leave of it."""

from __future__ import annotations

from app.bots.evaluation import chances
from app.bots.futures import edge, play_plan, play_turn
from app.bots.thought import Thought
from app.bots.turn_search import plans
from app.rules.actions import Action

__all__ = ["captain"]

_WIDTH = 60
_CANDIDATES = 8
_SAMPLES = 4
_REPLY_WIDTH = 6


def captain(thought: Thought) -> Action:
    seat = thought.seat
    position = thought.imagination.sample(thought.rng)
    weights = thought.weights(position)
    found = thought.worth_trying(plans(position, seat, weights, _WIDTH, thought.meter))
    if not found:
        return thought.listed[0]
    if found[0].value == float("inf"):
        return found[0].actions[0]
    found.sort(key=lambda plan: -plan.value)
    found = found[: 3 * _CANDIDATES]
    found.sort(key=lambda plan: -edge(plan.after, seat, weights))
    found = found[:_CANDIDATES]
    thought.best(found[0].actions[0])
    totals = [0.0] * len(found)
    samples = 1 if thought.imagination.is_open and position.ruleset.has_row else _SAMPLES
    for number in range(samples):
        if number:
            position = thought.imagination.sample(thought.rng)
        for index, plan in enumerate(found):
            after = play_plan(position, seat, plan.actions)
            while after.winner is None and after.seat != seat:
                after = play_turn(after, weights, _REPLY_WIDTH, thought.meter)
            totals[index] += chances(after, weights)[seat]
        if thought.meter.is_spent():
            break
    return found[max(range(len(found)), key=lambda index: totals[index])].actions[0]
