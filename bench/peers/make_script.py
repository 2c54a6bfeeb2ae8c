"""Create the script that the peers play from: games of our own rules, as numbers, in script.json.

    python -m bench.peers.make_script

Only advances and retreats, three a turn, and no shuffle, so that a few lines of JavaScript can play it. A
place is a number (0 the start), a symbol too; an action is place * 7 + symbol, with 6 for a retreat.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from app import rules

FILE = Path(__file__).resolve().parent / "script.json"
SEED = "5eed" * 16
RETREAT = 6
PER_PLACE = 7
MOST_DRAWN = 2


def record(players: int) -> dict[str, Any]:
    """Play a random game in which no pirate reaches the goal, so that it lasts as long as the deck."""
    chance = random.Random(players)
    options = rules.parse_options({"preset": "jamaica", "players": players, "first": 0})
    position = rules.new_game(options, SEED)
    places, numbers = position.ruleset.route.places, position.ruleset.kinds.by_name
    hands = [position.hand_kinds(seat) for seat in range(players)]
    deck = list(position.deck)
    actions: list[list[int]] = []
    while len(position.deck) >= MOST_DRAWN:
        seat = position.turn_seat
        if position.actions_taken == options.actions:  # turns of the peers pass automatically
            position, _ = rules.apply(position, seat, rules.End())
            continue
        listed = [
            each
            for each in json.loads(rules.choices_json(position, seat))
            if each.get("to", "goal") != "goal"
        ]
        if not listed:
            break
        action = chance.choice(listed)["action"]
        symbol = RETREAT if action["type"] == "retreat" else numbers[action["card"]]
        actions.append([seat, places[action["from"]] * PER_PLACE + symbol])
        position, _ = rules.apply(position, seat, rules.action_from_json(action))
    rounds = len(actions) // (3 * players)
    return {"hands": hands, "deck": deck, "actions": actions[: rounds * 3 * players]}


def main() -> None:
    """Write the script for two and for four players."""
    options = rules.parse_options({"preset": "jamaica", "players": 2})
    position = rules.new_game(options, SEED)
    kinds = position.ruleset.kinds
    board = [kinds.by_name[symbol] for symbol in position.ruleset.route.symbols]
    script = {"board": board, **{str(players): record(players) for players in (2, 4)}}
    FILE.write_text(json.dumps(script, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
