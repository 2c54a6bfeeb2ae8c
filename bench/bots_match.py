"""One game between bots, each knowing only its seat's view, repeatable from its number."""

from __future__ import annotations

import random
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from app import rules
from app.bots.budget import Budget
from app.bots.choosing import choose

__all__ = ["NODES", "Played", "Setting", "play"]

NODES: dict[str, int | None] = {
    "cabin-boy": None,
    "sailor": None,
    "mate": None,
    "yardstick": None,
    "captain": 6_000,
    "legend": 10_000,
}
"""Node budgets of one decision; None where the level has an end of its own."""

MOST_ACTIONS = 1_200
"""A game that is not over by then counts half for each of its two best placed seats."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """One game to be played: who sits where, with which options, out of which chance."""

    options: tuple[tuple[str, Any], ...]
    levels: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Played:
    setting: Setting
    winner: int | None
    places: tuple[int, ...]
    actions: int
    seconds: tuple[float, ...]


def play(setting: Setting) -> Played:
    chance = random.Random(f"bots|{setting.number}")
    options = rules.parse_options(dict(setting.options))
    position = rules.new_game(options, f"{chance.getrandbits(256):064x}")
    histories: list[list[Json]] = [[] for _ in setting.levels]
    seconds = [0.0] * len(setting.levels)
    count = 0
    while position.winner is None and count < MOST_ACTIONS:
        seat = rules.seats_to_act(position)[0]
        level = setting.levels[seat]
        began = perf_counter()
        action = choose(
            rules.view(position, seat),
            [rules.action_to_json(action) for action in rules.legal(position, seat)],
            histories[seat],
            level,
            Budget(nodes=NODES[level]),
            random.Random(f"thought|{setting.number}|{count}"),
            seat=seat,
        )
        seconds[seat] += perf_counter() - began
        position, events = rules.apply(position, seat, rules.action_from_json(action))
        count += 1
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, options)
    return Played(setting, position.winner, tuple(rules.places(position)), count, tuple(seconds))
