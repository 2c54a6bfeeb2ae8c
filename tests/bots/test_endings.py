"""Games of bots end even against programs that hoard, wait or play at random."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from app import rules
from app.play.schedule import forfeit
from app.rules.core.event import TurnPassed
from tests.bots.tables import Json, choose_action, seed

SillyProgram = Callable[[Sequence[Json], random.Random], Json]
MAX_ACTIONS = 1_200
"""Games between bots take about a hundred actions."""


def prefer(kinds: Sequence[str]) -> SillyProgram:
    """Return a program that plays a random action of the first of these types that is legal."""

    def choose(actions: Sequence[Json], rng: random.Random) -> Json:
        for kind in kinds:
            fitting = [action for action in actions if action["type"] == kind]
            if fitting:
                return rng.choice(fitting)
        return actions[0]

    return choose


SILLY_PROGRAMS: dict[str, SillyProgram] = {
    "hoards": prefer(("retreat", "end", "advance")),
    "waits": prefer(("end", "retreat", "advance")),
    "to and fro": prefer(("retreat", "advance", "end")),
    "wanders": lambda actions, rng: rng.choice(actions),
}


def count_actions(level: str, preset: str, program: SillyProgram, number: int) -> int:
    position = rules.new_game(rules.parse_options({"preset": preset, "players": 2}), seed(f"silly|{number}"))
    bot = number % 2
    rng = random.Random(number)
    history: list[Json] = []
    count = 0
    turns = 0
    # After this many turns a bot in a room resigns (tests/play/schedule/test_forfeit.py).
    while position.winner is None and count < MAX_ACTIONS and turns <= forfeit.MAX_BOT_ACTIONS // 3:
        seat = rules.seats_to_act(position)[0]
        if seat == bot:
            move = choose_action(position, seat, history, level, 150, f"silly|{number}|{count}")
        else:
            move = program([rules.action_to_json(action) for action in rules.legal(position, seat)], rng)
        position, events = rules.apply(position, seat, rules.action_from_json(move))
        turns += any(isinstance(event, TurnPassed) and event.seat == bot for event in events)
        history += rules.events_for(events, bot, position.options)
        count += 1
    return count


@pytest.mark.parametrize("level", ["sailor", "mate", "captain", "legend"])
def test_a_game_against_a_silly_program_ends(level: str):
    # Only the sailor has ever played in circles, so it meets every program in every preset; the others once.
    presets = ("jamaica", "tortuga", "hispaniola")
    for number, (name, program) in enumerate(SILLY_PROGRAMS.items()):
        for preset in presets if level == "sailor" else (presets[number % 3],):
            assert count_actions(level, preset, program, number) < MAX_ACTIONS, (name, preset)
