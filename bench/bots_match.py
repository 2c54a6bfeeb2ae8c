"""One game between bots, each knowing only its seat's view, reproducible from its number."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from statistics import median
from time import process_time
from typing import Any

from app import rules
from app.bots.budget import Budget
from app.bots.choosing import choose
from bench.bots_old import ask_old_bot

__all__ = ["NODES", "Played", "Setting", "plain", "play"]

NODES: dict[str, int | None] = {
    "cabin-boy": None,
    "sailor": None,
    "mate": None,
    "yardstick": None,
    "captain": 8_000,
    "legend": 30_000,
}
"""Node budgets of one decision; None where the level has its own limit."""

SEEING = "*"
"""Suffix of a level that is shown every hand: an upper bound for what inference could gain."""

MOST_ACTIONS = 1_200
"""A longer game counts by its places, as if it had been aborted."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """One game to play: levels by seat, options and number (the seed)."""

    table: str
    options: tuple[tuple[str, Any], ...]
    levels: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Played:
    table: str
    levels: tuple[str, ...]
    number: int
    winner: int | None
    places: tuple[int, ...]
    actions: int
    decisions: tuple[int, ...]
    """Decisions of each seat; forced moves count and take no time."""
    seconds: tuple[float, ...]
    medians: tuple[float, ...]
    """Median CPU milliseconds of each seat's decisions with a choice."""

    def as_json(self) -> Json:
        return asdict(self)

    @classmethod
    def from_json(cls, row: Json) -> Played:
        values: Json = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        return cls(**values)


def plain(level: str) -> str:
    """Return the level without its suffixes: sees all hands, other budget, older commit."""
    return level.split("@")[0].split("#")[0].removesuffix(SEEING)


def nodes_of(level: str) -> int | None:
    """Return the node budget: that of the level, or the number after `#` in its name."""
    marked = level.split("@")[0].split("#")
    return int(marked[1]) if len(marked) > 1 else NODES[plain(level)]


def _view(position: rules.Position, seat: int, level: str) -> Json:
    view = rules.view(position, seat)
    if level.endswith(SEEING) and position.pending is None:
        view["options"] = {**view["options"], "hands": "open"}
        for number, player in enumerate(view["players"]):
            player["hand"] = list(position.hand_names(number))
    return view


def _move(
    position: rules.Position, seat: int, level: str, history: list[Json], chance: str
) -> tuple[Json, float | None]:
    """Return the bot's move and the CPU seconds it took, None where there was no choice."""
    view = _view(position, seat, level)
    actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
    if len(actions) == 1 and "count" not in actions[0]:
        return actions[0], None
    nodes = nodes_of(level)
    if "@" in level:
        asked = {"view": view, "actions": actions, "history": history, "level": plain(level), "seat": seat}
        return ask_old_bot(level.split("@")[1], {**asked, "nodes": nodes, "seed": chance})
    began = process_time()
    action = choose(
        view, actions, history, plain(level), Budget(nodes=nodes), random.Random(chance), seat=seat
    )
    return action, process_time() - began


def play(setting: Setting) -> Played:
    chance = random.Random(f"bots|{setting.number}")
    options = rules.parse_options(dict(setting.options))
    position = rules.new_game(options, f"{chance.getrandbits(256):064x}")
    histories: list[list[Json]] = [[] for _ in setting.levels]
    decisions = [0] * len(setting.levels)
    times: list[list[float]] = [[] for _ in setting.levels]
    count = 0
    while position.winner is None and count < MOST_ACTIONS:
        seat = rules.seats_to_act(position)[0]
        level = setting.levels[seat]
        action, spent = _move(position, seat, level, histories[seat], f"thought|{setting.number}|{count}")
        if spent is not None:
            times[seat].append(spent)
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
        tuple(rules.finishing_places(position)),
        count,
        tuple(decisions),
        tuple(round(sum(spent), 3) for spent in times),
        tuple(round(1000 * median(spent or [0.0]), 2) for spent in times),
    )
