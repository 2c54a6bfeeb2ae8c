"""`choose`: what a bot of some level does, from a seat's view, its legal list and the events it has seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.captain import captain
from app.bots.decision import Best, Decision
from app.bots.legend import legend
from app.bots.levels import LEVELS
from app.bots.owed import answer
from app.bots.own_turn import cabin_boy, mate, sailor, yardstick
from app.bots.sampling import PositionSampler, acting_seat
from app.rules import Json
from app.rules.core.action import Action
from app.rules.modules.scoundrels import Discard, OwedDiscard

_USUAL_TURNS = 40
"""Games of bots take 12 to 30 turns a seat; from here on they lose patience."""

PLAYERS: dict[str, Callable[[Decision], Action]] = {
    "cabin-boy": cabin_boy,
    "sailor": sailor,
    "mate": mate,
    "captain": captain,
    "legend": legend,
    "yardstick": yardstick,
}
"""The levels, and the yardstick that benches measure them against."""
assert tuple(PLAYERS)[:-1] == LEVELS


def choose(
    view: Json,
    actions: Sequence[Json],
    history: Sequence[Json],
    level: str,
    budget: Budget,
    rng: Random,
    *,
    seat: int | None = None,
    best: Best | None = None,
) -> Json:
    """One of the actions, an owed discard filled in.

    `best` is told of the best move so far while a strong level thinks, so that whoever waits can take it
    when time is up. `seat` need not be said but where open hands leave it unclear who discards.
    """
    if not actions:
        raise ValueError("there is nothing to choose from")
    who = acting_seat(view, actions) if seat is None else seat
    if len(actions) == 1 and "count" not in actions[0]:
        return actions[0]
    listed = [_parsed(action) for action in actions]
    sampler = PositionSampler(view, who, history)
    must_move = view["turn"]["taken"] == 0 and _passed_last_turn(history, who)
    turns = _turns_ended(history, who)
    decision = Decision(
        sampler,
        who,
        listed,
        Meter(budget),
        rng,
        best or (lambda action: None),
        must_move,
        turns,
        max(0.0, min(1.0, (turns - _USUAL_TURNS) / _USUAL_TURNS)),
    )
    if view["pending"] is not None:
        return rules.action_to_json(_owed(decision, level))
    return rules.action_to_json(PLAYERS[level](decision))


def _turns_ended(history: Sequence[Json], seat: int) -> int:
    return sum(event["type"] == "turn_passed" and event["seat"] == seat for event in history)


def _passed_last_turn(history: Sequence[Json], seat: int) -> bool:
    """Whether the seat's last turn held nothing but its end."""
    for index in range(len(history) - 1, 0, -1):
        event = history[index]
        if event["type"] == "turn_passed" and event["seat"] == seat:
            return bool(history[index - 1]["type"] == "turn_passed")
    return False


def _parsed(action: Json) -> Action:
    if action["type"] == "discard" and "count" in action:
        return OwedDiscard(action["count"])
    return rules.action_from_json(action)


def _owed(decision: Decision, level: str) -> Action:
    """What is owed is answered by the worth of the cards; a cabin boy grabs whatever comes."""
    position = decision.sampler.sample(decision.rng)
    if level == "cabin-boy":
        first = decision.listed[0]
        if isinstance(first, OwedDiscard):
            cards = decision.rng.sample(list(position.hand_names(decision.seat)), first.count)
            return Discard(tuple(sorted(cards)))
        return decision.rng.choice(decision.listed)
    return answer(position, decision.seat, decision.listed)


def safe_choice(view: Json, actions: Sequence[Json], seat: int | None = None) -> Json:
    """A legal move that needs no thinking: what is owed with the lowest cards, else end, retreat, anything."""
    first = actions[0]
    if first["type"] == "discard" and "count" in first:
        who = acting_seat(view, actions) if seat is None else seat
        return {"type": "discard", "cards": list(view["players"][who]["hand"][: first["count"]])}
    for kind in ("end", "retreat"):
        for action in actions:
            if action["type"] == kind:
                return action
    return first
