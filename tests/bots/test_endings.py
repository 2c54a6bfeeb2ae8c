"""Games come to an end, whoever sits opposite: programs that hoard, wait or wander about."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from app import rules
from app.play.schedule import forfeit
from app.rules.core.event import TurnPassed
from tests.bots.tables import Json, chosen, seed

Silly = Callable[[Sequence[Json], random.Random], Json]
MOST = 1_200
"""Actions; games between bots take about a hundred."""


def first_of(kinds: Sequence[str]) -> Silly:
    """Somebody who does the first of these that is allowed, any one of its kind."""

    def choose(actions: Sequence[Json], rng: random.Random) -> Json:
        for kind in kinds:
            fitting = [action for action in actions if action["type"] == kind]
            if fitting:
                return rng.choice(fitting)
        return actions[0]

    return choose


SILLY: dict[str, Silly] = {
    "hoards": first_of(("retreat", "end", "advance")),
    "waits": first_of(("end", "retreat", "advance")),
    "to and fro": first_of(("retreat", "advance", "end")),
    "wanders": lambda actions, rng: rng.choice(actions),
}


def actions_until_over(level: str, preset: str, silly: Silly, number: int) -> int:
    position = rules.new_game(rules.parse_options({"preset": preset, "players": 2}), seed(f"silly|{number}"))
    bot = number % 2
    rng = random.Random(number)
    history: list[Json] = []
    count = 0
    turns = 0
    # From there on a bot in a room gives up (tests/play/schedule/test_forfeit.py).
    while position.winner is None and count < MOST and turns <= forfeit.MOST_ACTIONS // 3:
        seat = rules.seats_to_act(position)[0]
        if seat == bot:
            move = chosen(position, seat, history, level, 150, f"silly|{number}|{count}")
        else:
            move = silly([rules.action_to_json(action) for action in rules.legal(position, seat)], rng)
        position, events = rules.apply(position, seat, rules.action_from_json(move))
        turns += any(isinstance(event, TurnPassed) and event.seat == bot for event in events)
        history += rules.events_for(events, bot, position.options)
        count += 1
    return count


@pytest.mark.parametrize("level", ["sailor", "mate", "captain", "legend"])
def test_a_game_against_somebody_silly_ends(level: str):
    # Only a sailor ever went in circles: it meets everybody everywhere, the slower ones each of them once.
    presets = ("jamaica", "tortuga", "hispaniola")
    for number, (who, silly) in enumerate(SILLY.items()):
        for preset in presets if level == "sailor" else (presets[number % 3],):
            assert actions_until_over(level, preset, silly, number) < MOST, (who, preset)
