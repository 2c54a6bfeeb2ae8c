"""One game between bots, each knowing only its seat's view, repeatable from its number."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from time import process_time
from typing import Any

from app import rules
from app.bots.budget import Budget
from app.bots.choosing import choose

__all__ = ["NODES", "Played", "Setting", "plain", "play"]

NODES: dict[str, int | None] = {
    "cabin-boy": None,
    "sailor": None,
    "mate": None,
    "yardstick": None,
    "captain": 8_000,
    "legend": 30_000,
}
"""Node budgets of one decision; None where the level has an end of its own."""

SEEING = "*"
"""After a level's name: it is shown every hand. Nobody plays so in a room; it bounds what guessing could win."""

MOST_ACTIONS = 1_200
"""A game that is not over by then counts by its places, as if it had been broken off."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """One game to be played: who sits where, with which options, out of which chance."""

    table: str
    options: tuple[tuple[str, Any], ...]
    levels: tuple[str, ...]
    number: int
    legend_nodes: int | None = None
    """Another budget for the legend, to see what more thinking is worth."""


@dataclass(frozen=True)
class Played:
    table: str
    levels: tuple[str, ...]
    number: int
    winner: int | None
    places: tuple[int, ...]
    actions: int
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]

    def as_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, row: Json) -> Played:
        values: Json = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        return cls(**values)


def plain(level: str) -> str:
    """The level without the mark of one who sees all hands."""
    return level.removesuffix(SEEING)


def _view(position: rules.Position, seat: int, level: str) -> Json:
    view = rules.view(position, seat)
    if level.endswith(SEEING) and position.pending is None:
        view["options"] = {**view["options"], "hands": "open"}
        for number, player in enumerate(view["players"]):
            player["hand"] = list(position.hand_names(number))
    return view


def play(setting: Setting) -> Played:
    chance = random.Random(f"bots|{setting.number}")
    options = rules.parse_options(dict(setting.options))
    position = rules.new_game(options, f"{chance.getrandbits(256):064x}")
    histories: list[list[Json]] = [[] for _ in setting.levels]
    seconds, decisions = [0.0] * len(setting.levels), [0] * len(setting.levels)
    count = 0
    while position.winner is None and count < MOST_ACTIONS:
        seat = rules.seats_to_act(position)[0]
        level = setting.levels[seat]
        nodes = NODES[plain(level)]
        if level == "legend" and setting.legend_nodes is not None:
            nodes = setting.legend_nodes
        began = process_time()
        action = choose(
            _view(position, seat, level),
            [rules.action_to_json(action) for action in rules.legal(position, seat)],
            histories[seat],
            plain(level),
            Budget(nodes=nodes),
            random.Random(f"thought|{setting.number}|{count}"),
            seat=seat,
        )
        seconds[seat] += process_time() - began
        decisions[seat] += 1
        position, events = rules.apply(position, seat, rules.action_from_json(action))
        count += 1
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, options)
    return Played(
        setting.table,
        setting.levels,
        setting.number,
        position.winner,
        tuple(rules.places(position)),
        count,
        tuple(decisions),
        tuple(round(spent, 3) for spent in seconds),
    )
