"""Games played at random on the real engine, seen by every audience, for the browser's pure files."""

from __future__ import annotations

import random
from typing import Any

from app import rules


def play_at_random(options: dict[str, Any], seed: str, steps: int, chance: int = 1) -> list[dict[str, Any]]:
    """Each step: who acted and what; per audience (None: spectator) its events, view and choices."""
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
        weights = [0.25 if rules.action_to_json(each)["type"] == "end" else 1.0 for each in legal]
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
        "choices": {str(a): rules.choices(position, a) for a in audiences if a is not None},
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
