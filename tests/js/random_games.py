"""Random games of the server's engine as every audience sees them."""

from __future__ import annotations

import random
from typing import Any

from app import rules
from tests.choices import choices_of


def play_at_random(options: dict[str, Any], seed: str, steps: int, chance: int = 1) -> list[dict[str, Any]]:
    """Return one frame per action: seat and action, and events, views and choices by audience ("None": spectators)."""
    dice = random.Random(chance)
    position = rules.new_game(rules.parse_options(options), seed)
    audiences: list[int | None] = [*range(position.options.players), None]
    frames = [frame(position, audiences, None, None, ())]
    for _ in range(steps):
        actors = rules.seats_to_act(position)
        if not actors:
            break
        seat = dice.choice(actors)
        legal = rules.legal(position, seat)
        weights = [0.25 if rules.action_to_json(action)["type"] == "end" else 1.0 for action in legal]
        chosen = rules.action_to_json(dice.choices(legal, weights)[0])
        if chosen["type"] == "discard" and "count" in chosen:
            hand = rules.view(position, seat)["players"][seat]["hand"]
            chosen = {"type": "discard", "cards": sorted(dice.sample(hand, chosen["count"]))}
        position, events = rules.apply(position, seat, rules.action_from_json(chosen))
        frames.append(frame(position, audiences, seat, chosen, events))
    return frames


def frame(
    position: Any, audiences: list[int | None], seat: int | None, action: Any, events: Any
) -> dict[str, Any]:
    return {
        "seat": seat,
        "action": action,
        "events": {str(a): rules.events_for(events, a, position.options) for a in audiences},
        "views": {str(a): rules.view(position, a) for a in audiences},
        "choices": {str(a): choices_of(position, a) for a in audiences if a is not None},
    }


PRESETS: tuple[dict[str, Any], ...] = (
    {"preset": "jamaica", "players": 3},
    {"preset": "tortuga", "players": 2},
    {"preset": "hispaniola", "players": 4},
    {"preset": "first-escape", "players": 5},
    {"preset": "dungeon", "players": 3, "black_magic": True, "scoundrels": True},
    {"preset": "jungle", "players": 2, "card_gain": "morgan", "scoundrels": True},
    {"preset": "complete", "players": 5, "card_gain": "split"},
    {
        "preset": "complete",
        "players": 3,
        "black_magic": True,
        "scoundrels": True,
        "card_gain": "both",
        "hands": "open",
    },
)
