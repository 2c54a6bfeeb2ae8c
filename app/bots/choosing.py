"""Choosing an action: from a seat's view, its legal actions and the events it has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.captain import captain
from app.bots.decision import Decision, OnBest
from app.bots.legend import legend
from app.bots.levels import LEVELS
from app.bots.own_turn import cabin_boy, mate, sailor, yardstick
from app.bots.pending_choice import answer
from app.bots.sampling import PositionSampler, acting_seat
from app.rules import Json
from app.rules.core.action import Action
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder

_PATIENCE_TURNS = 40
"""Turns of its own after which a bot grows impatient. Games between bots take 12 to 30 turns per seat."""

CHOOSERS: dict[str, Callable[[Decision], Action]] = {
    "cabin-boy": cabin_boy,
    "sailor": sailor,
    "mate": mate,
    "captain": captain,
    "legend": legend,
    "yardstick": yardstick,
}
"""The levels, and the yardstick that benchmarks measure them against."""
assert tuple(CHOOSERS)[:-1] == LEVELS


def choose(
    view: Json,
    actions: Sequence[Json],
    history: Sequence[Json],
    level: str,
    budget: Budget,
    rng: Random,
    *,
    seat: int | None = None,
    on_best: OnBest | None = None,
) -> Json:
    """Return one of the actions, with the cards of a pending discard filled in.

    `on_best` is called with the best action so far while a strong level searches, so that the caller can use it when
    time is up. `seat` is needed only if several seats have to discard and hands are open; otherwise the view shows it.
    """
    if not actions:
        raise ValueError("there is nothing to choose from")
    if len(actions) == 1 and "count" not in actions[0]:
        return actions[0]
    decision = make_decision(view, actions, history, level, budget, rng, seat=seat, on_best=on_best)
    if view["pending"] is not None:
        return rules.action_to_json(_answer_pending(decision, level))
    return rules.action_to_json(CHOOSERS[level](decision))


def make_decision(
    view: Json,
    actions: Sequence[Json],
    history: Sequence[Json],
    level: str,
    budget: Budget,
    rng: Random,
    *,
    seat: int | None = None,
    on_best: OnBest | None = None,
) -> Decision:
    """Return the input of a level's decision."""
    own_seat = acting_seat(view, actions) if seat is None else seat
    listed = [_parse_action(action) for action in actions]
    sampler = PositionSampler(view, own_seat, history, infers=level == "legend")
    must_move = view["turn"]["taken"] == 0 and _passed_last_turn(history, own_seat)
    turns = _count_turns_ended(history, own_seat)
    return Decision(
        sampler,
        own_seat,
        listed,
        Meter(budget),
        rng,
        on_best or (lambda action: None),
        must_move,
        turns,
        max(0.0, min(1.0, (turns - _PATIENCE_TURNS) / _PATIENCE_TURNS)),
    )


def _count_turns_ended(history: Sequence[Json], seat: int) -> int:
    return sum(event["type"] == "turn_passed" and event["seat"] == seat for event in history)


def _passed_last_turn(history: Sequence[Json], seat: int) -> bool:
    """Return whether the seat ended its last turn without any action."""
    for index in range(len(history) - 1, 0, -1):
        event = history[index]
        if event["type"] == "turn_passed" and event["seat"] == seat:
            return bool(history[index - 1]["type"] == "turn_passed")
    return False


def _parse_action(action: Json) -> Action:
    if action["type"] == "discard" and "count" in action:
        return DiscardPlaceholder(action["count"])
    return rules.action_from_json(action)


def _answer_pending(decision: Decision, level: str) -> Action:
    """Answer a pending choice by the value of the cards; a cabin boy answers at random."""
    position = decision.sampler.sample(decision.rng)
    if level == "cabin-boy":
        first = decision.listed[0]
        if isinstance(first, DiscardPlaceholder):
            cards = decision.rng.sample(list(position.hand_names(decision.seat)), first.count)
            return Discard(tuple(sorted(cards)))
        return decision.rng.choice(decision.listed)
    return answer(position, decision.seat, decision.listed)


def fallback_action(view: Json, actions: Sequence[Json], seat: int | None = None) -> Json:
    """Return a legal action without any search.

    It is the lowest answer to a pending choice, else the end of the turn, else a retreat, else the first action.
    """
    first = actions[0]
    if first["type"] == "discard" and "count" in first:
        own_seat = acting_seat(view, actions) if seat is None else seat
        return {"type": "discard", "cards": list(view["players"][own_seat]["hand"][: first["count"]])}
    for kind in ("end", "retreat"):
        for action in actions:
            if action["type"] == kind:
                return action
    return first
