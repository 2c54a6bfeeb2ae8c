"""Self-play for training: games between noisy players that search their own turn, recorded as table entries."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.evaluation import CERTAINTY, Evaluator, Weights, next_seat
from app.bots.pending_choice import settle_all
from app.bots.tables import MAX_ENTRIES, SIZE, TableIndex
from app.bots.turn_search import Plan, plans
from app.rules.core.action import Action, End
from app.rules.core.position import Position

__all__ = ["BANK_SIZE", "GameTask", "RecordedGame", "draw_plan", "play_game"]

BANK_SIZE = SIZE + 1
"""Entries of one bank. The last one is padding and has the weight zero."""
_END = End()
_SEARCH_WIDTH = 6
_MAX_TURNS = 60
"""Turns per seat. Longer games go in circles and are left out."""
_TEMPERATURES = (4, 10, 20, 40)
"""How far seats stray from their best turn, in percent of a natural logarithm of odds; drawn for each seat and game."""


@dataclass(frozen=True)
class GameTask:
    """A game to play. Everything in it follows from the options and the name, which is the random seed."""

    options: tuple[tuple[str, Any], ...]
    name: str


@dataclass(frozen=True)
class RecordedGame:
    """The recorded positions of a game, with MAX_ENTRIES entries for each seat, offset by the seat's bank."""

    seats: int
    entries: array[int]
    winners: array[int]


def play_game(task: GameTask, weights: Weights) -> RecordedGame:
    """Play one game and return its record, which is empty if the game does not end."""
    rng = Random(task.name)
    options = rules.parse_options(dict(task.options))
    position = rules.new_game(options, f"{rng.getrandbits(256):064x}")
    seats = options.players
    evaluators = [Evaluator(position.ruleset, seat, weights=weights) for seat in range(seats)]
    temperatures = [rng.choice(_TEMPERATURES) for _ in range(seats)]
    index = TableIndex(position.ruleset)
    is_hidden = options.hands == "hidden"
    entries = array("H")
    has_passed = [False] * seats
    count = 0
    for _ in range(_MAX_TURNS * seats):
        seat = position.turn_seat
        evaluator = evaluators[seat]
        candidates = plans(
            position, seat, _SEARCH_WIDTH, Meter(Budget()), evaluator.value, evaluator.rough_score
        )
        if has_passed[seat]:
            candidates = [plan for plan in candidates if type(plan.actions[0]) is not End] or candidates
        if not candidates:
            break
        plan = draw_plan(candidates, temperatures[seat], rng)
        has_passed[seat] = type(plan.actions[0]) is End
        if plan.value < CERTAINTY and seats == len(position.active_seats):
            after = plan.after
            to_move = after.turn_seat if after.turn_seat != seat else next_seat(after, seat)
            entries.extend(_row(index.entries(after, seat), to_move))
            count += 1
        _play_out(position, seat, plan.actions)
        if position.winner is not None:
            return RecordedGame(seats, entries, array("B", [position.winner]) * count)
        if is_hidden:
            entries.extend(_row(index.entries(position), position.turn_seat))
            count += 1
    return RecordedGame(seats, array("H"), array("B"))


def draw_plan(candidates: Sequence[Plan], temperature: int, rng: Random) -> Plan:
    """Return a random plan; better odds are likelier. Uses only integers, so that all platforms draw the same plan."""
    best = max(plan.value for plan in candidates)
    if best == CERTAINTY:
        return next(plan for plan in candidates if plan.value == best)
    # A chance p has the odds p / (1 - p); the ratio to the best odds is raised to the power 100 / temperature.
    power = 100 // temperature
    top = best * 1024 // (CERTAINTY - best + 1) + 1
    weights = []
    for plan in candidates:
        odds = plan.value * 1024 // (CERTAINTY - plan.value + 1) + 1
        ratio = (odds << 20) // top
        weight = ratio
        for _ in range(power - 1):
            weight = weight * ratio >> 20
        weights.append(weight + 1)
    return rng.choices(candidates, weights)[0]


def _play_out(position: Position, seat: int, actions: Sequence[Action]) -> None:
    """Play the actions in place. If an action is illegal after a random draw, end the turn instead."""
    for action in actions:
        listed = rules.legal(position, seat)
        if action not in listed:
            action = _END if _END in listed else listed[0]
        rules.apply_in_place(position, seat, action)
        settle_all(position)
        if position.winner is not None or position.turn_seat != seat:
            return
    while position.winner is None and position.turn_seat == seat:
        listed = rules.legal(position, seat)
        rules.apply_in_place(position, seat, _END if _END in listed else listed[0])
        settle_all(position)


def _row(entries: Sequence[Sequence[int]], to_move: int) -> list[int]:
    """Return the entries of all seats, padded and offset by each seat's bank."""
    seats = len(entries)
    row: list[int] = []
    for seat, seat_entries in enumerate(entries):
        rank = (seat - to_move) % seats
        if seats == 2:
            bank = rank
        else:
            bank = 2 if not rank else 4 if rank == seats - 1 else 3
        offset = bank * BANK_SIZE
        row += [offset + entry for entry in seat_entries]
        row += [offset + SIZE] * (MAX_ENTRIES - len(seat_entries))
    return row
