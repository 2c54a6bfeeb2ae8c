"""Helpers for bot tests: games between bots and random games."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from app import rules
from app.bots import Budget, choose
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder

Json = dict[str, Any]


def seed(number: int | str) -> str:
    return f"{random.Random(f'table|{number}').getrandbits(256):064x}"


def choose_action(
    position: rules.Position, seat: int, history: Sequence[Json], level: str, nodes: int, chance: str
) -> Json:
    """Return the action of a bot, which receives the view, the legal actions and the events, as in a room."""
    return choose(
        rules.view(position, seat),
        [rules.action_to_json(action) for action in rules.legal(position, seat)],
        history,
        level,
        Budget(nodes=nodes),
        random.Random(chance),
        seat=seat,
    )


def play(
    options: Json, levels: Sequence[str], number: int = 0, nodes: int = 150, max_actions: int = 1500
) -> tuple[rules.Position, list[tuple[int, Json]]]:
    """Play a game between bots and return its last position and its actions."""
    position = rules.new_game(rules.parse_options({"players": len(levels), **options}), seed(number))
    histories: list[list[Json]] = [[] for _ in levels]
    moves: list[tuple[int, Json]] = []
    while position.winner is None and len(moves) < max_actions:
        seat = rules.seats_to_act(position)[-1]
        move = choose_action(position, seat, histories[seat], levels[seat], nodes, f"{number}|{len(moves)}")
        position, events = rules.apply(position, seat, rules.action_from_json(move))
        moves.append((seat, move))
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, position.options)
    return position, moves


def play_randomly(
    options: Json, number: int | str, max_actions: int = 300
) -> Iterator[tuple[rules.Position, list[list[Json]]]]:
    """Play a random game and yield each position with the events that every seat has seen so far."""
    rng = random.Random(f"wander|{number}")
    position = rules.new_game(rules.parse_options(options), seed(number))
    histories: list[list[Json]] = [[] for _ in range(position.options.players)]
    yield position, histories
    for _ in range(max_actions):
        if position.winner is not None:
            return
        seat = rng.choice(rules.seats_to_act(position))
        listed = rules.legal(position, seat)
        # Prefer powers, which are rare among the legal actions, so that all pending choices occur.
        rare = [a for a in listed if not isinstance(a, rules.Advance | rules.Retreat | rules.End)]
        action = rng.choice(rare if rare and rng.random() < 0.5 else listed)
        if isinstance(action, DiscardPlaceholder):
            action = Discard(tuple(rng.sample(position.hand_names(seat), action.count)))
        position, events = rules.apply(position, seat, action)
        for other, history in enumerate(histories):
            history += rules.events_for(events, other, position.options)
        yield position, histories
