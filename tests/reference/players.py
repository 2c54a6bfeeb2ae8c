"""Players of random games in several styles, so that games reach unusual positions."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]

STYLES: dict[str, dict[str, float]] = {
    "fair": {},
    "hoarder": {"retreat": 20, "morgan": 20, "end": 0.3, "advance": 0.7, "draw": 9},
    "runner": {"advance": 20, "hook": 5, "parrot": 5, "retreat": 0.2, "end": 0.2},
    "idler": {"end": 20},
    "magician": {"pistol": 8, "rum": 8, "lantern": 8, "parrot": 8, "hook": 30, "chest": 30, "end": 0.3},
    "sailor": {"sail": 10, "end": 0.5},
    "gunner": {"pistol": 20, "retreat": 8, "end": 0.5},
    "darkling": {},
}


class Players:
    """A style for each seat, and the probability of resigning."""

    def __init__(self, rng: random.Random, seats: int) -> None:
        self.rng = rng
        self.styles = [rng.choice(list(STYLES)) for _ in range(seats)]
        self.resign_probability = rng.choice([0, 0, 0, 0.01, 0.1])

    def choose(self, position: Json, listed: list[Json]) -> tuple[int, Json]:
        """Return a seat and an action to apply: one of the list, or a resignation."""
        rng = self.rng
        left = [seat for seat, player in enumerate(position["players"]) if not player["resigned"]]
        # Resign more often while a choice is pending, because that is rare otherwise.
        if rng.random() < self.resign_probability * (4 if position["pending"] else 1):
            return rng.choice(left), {"type": "resign"}
        seat = rng.choice(sorted({entry["seat"] for entry in listed}))
        by_type: dict[str, list[Json]] = {}
        for entry in listed:
            if entry["seat"] == seat:
                by_type.setdefault(entry["action"]["type"], []).append(entry["action"])
        likes = STYLES[self.styles[seat]]
        kinds = sorted(by_type)
        kind = rng.choices(kinds, [likes.get(kind, 1) for kind in kinds])[0]
        actions = by_type[kind]
        if self.styles[seat] == "darkling":
            actions = [action for action in actions if "*" in str(action)] or actions
        return seat, self.fill_in(position, seat, rng.choice(actions))

    def fill_in(self, position: Json, seat: int, action: Json) -> Json:
        """Fill in the cards of a pending discard, and shuffle lists whose order does not matter."""
        rng = self.rng
        if action["type"] == "discard":
            hand = position["players"][seat]["hand"]
            return {"type": "discard", "cards": rng.sample(hand, action["count"])}
        for field in ("cards", "keep"):
            if isinstance(action.get(field), list):
                action = {**action, field: rng.sample(action[field], len(action[field]))}
        return action
