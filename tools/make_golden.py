"""Replay the golden games and write them with their playthroughs into tests/golden (`make golden`).

A changed golden file is a change of the rules: read the difference before you commit it.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app import rules  # noqa: E402
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder  # noqa: E402
from tests.rules.playthrough import playthrough  # noqa: E402
from tools.records import record_to_json  # noqa: E402

TARGET = ROOT / "tests" / "golden"
MOST_ACTIONS = 400
Chooser = Callable[[rules.Position, int, random.Random], rules.Action]


def sensible(position: rules.Position, seat: int, chance: random.Random) -> rules.Action:
    """Plays cards, retreats without any, and tries every power, so that games end."""
    listed = rules.legal(position, seat)
    if isinstance(listed[0], DiscardPlaceholder):
        return Discard(tuple(chance.sample(position.hand_names(seat), listed[0].count)))
    weights = [_weight(position, seat, action) for action in listed]
    return chance.choices(listed, weights)[0]


def _weight(position: rules.Position, seat: int, action: rules.Action) -> float:
    # Some hoard cards, so that dark cards can punish them.
    is_rich = position.hand_sizes[seat] > (9 if position.options.scoundrels and seat % 2 else 2)
    sloop = position.pirates[seat].count(position.ruleset.route.sloop)
    match action:
        case rules.Advance(_, origin):
            # The last pirate first, or it never reaches the goal.
            behind = position.ruleset.route.goal - position.ruleset.route.places[origin]
            return (6 if is_rich else 2) * behind / 8
        case rules.Retreat(origin):
            return 0.1 if is_rich or origin in ("goal", "sloop") else 4
        case rules.End():
            return 0.1 if position.actions_taken < position.options.actions else 1
        case _:
            pass
    match action.type:
        case "sail":
            return (
                6 * sloop
                if position.sloop == "cartagena"
                else 0.1
                if sloop and position.hand_sizes[seat]
                else 4
            )
        case "morgan":
            return 0.3 if is_rich else 5
        case "hook" | "chest" | "parrot":
            return 5
        case _:
            return 2


def thrifty(position: rules.Position, seat: int, chance: random.Random) -> rules.Action:
    """Spends all cards on the leading pirates and never retreats, so that it gets stuck."""
    listed = rules.legal(position, seat)
    advances = [action for action in listed if isinstance(action, rules.Advance)]
    if advances:
        places = position.ruleset.route.places
        front = max(places[action.origin] for action in advances)
        return chance.choice([action for action in advances if places[action.origin] == front])
    return next((action for action in listed if isinstance(action, rules.End)), listed[0])


@dataclass(frozen=True)
class Game:
    name: str
    options: dict[str, Any]
    wanted: tuple[str, ...] = ()
    """Event types that must occur; otherwise another seed is tried."""
    resigning: float = 0.0
    """Probability that a player leaves before an action; five times that while a choice is pending."""
    chooser: Chooser = sensible


MAGIC: dict[str, Any] = {"black_magic": True}
DARK: dict[str, Any] = {"scoundrels": True}
FEW: dict[str, Any] = {"copies": 10}
THREE_AND_THREE: dict[str, Any] = {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3}
POWERS = ("card_stolen", "cards_shared", "cards_stacked", "parrot_advanced", "hook_advanced", "snake_struck")


def game(name: str, preset: str, players: int, *wanted: str, resigning: float = 0.0, **changed: Any) -> Game:
    return Game(name, {"preset": preset, "players": players, **changed}, wanted, resigning)


GAMES = (
    game("jamaica", "jamaica", 2),
    game("jamaica-reshuffled", "jamaica", 4, "deck_shuffled", copies=10, pirates=4),
    game("tortuga", "tortuga", 3, "row_laid"),
    game("tortuga-short-rows", "tortuga", 2, "row_laid", "deck_shuffled", row_size=2, **FEW),
    game("hispaniola", "hispaniola", 4, "row_laid", pirates=4),
    game("first-escape", "first-escape", 3, "row_laid", pirates=5),
    game("first-escape-relief", "first-escape", 2, "rested"),
    game("dungeon", "dungeon", 2, "cards_drawn"),
    game("jungle", "jungle", 5, pirates=4),
    game("complete", "complete", 3, "sailed", pirates=4),
    game("complete-captain", "complete", 2, "sailed", actions=4, min_actions=0, pirates=4, passage_boards=4),
    game("printed-complete", "jamaica", 2, "sailed", relief="rest", pirates=4, **THREE_AND_THREE),
    game("morgan", "jamaica", 3, "morgan_moved", card_gain="morgan", pirates=5),
    game("morgan-both", "tortuga", 2, "morgan_moved", "retreated", card_gain="both"),
    game("morgan-complete", "complete", 3, "morgan_moved", card_gain="morgan", pirates=4),
    game("morgan-split", "complete", 2, "morgan_moved", "retreated", card_gain="split"),
    game("scoundrels", "jamaica", 3, "discard_owed", pirates=4, **DARK, **FEW),
    game("scoundrels-rows", "hispaniola", 5, "discard_owed", card_gain="both", pirates=4, **DARK, **FEW),
    game("black-magic", "dungeon", 3, *POWERS, "chests_laid", pirates=5, **MAGIC),
    game("black-magic-jungle", "jungle", 2, *POWERS, jungle_boards=8, pirates=4, **MAGIC, **FEW),
    game("black-magic-open", "dungeon", 2, *POWERS, hands="open", pirates=4, **MAGIC),
    game("black-magic-complete", "complete", 2, *POWERS, "sailed", pirates=4, **MAGIC),
    game("dark-magic", "dungeon", 4, *POWERS, "discard_owed", pirates=4, **MAGIC, **DARK, **FEW),
    game("everything", "complete", 5, "discard_owed", card_gain="split", pirates=4, **MAGIC, **DARK),
    game("everything-both-open", "complete", 3, card_gain="both", hands="open", pirates=4, **MAGIC, **DARK),
    game("resigned", "jamaica", 4, "resigned", resigning=0.02, pirates=4),
    game("resigned-to-the-last", "tortuga", 3, "resigned", "row_laid", resigning=0.06),
    game(
        "resigned-with-debts",
        "dungeon",
        5,
        "resigned",
        "steal_lapsed",
        resigning=0.04,
        **MAGIC,
        **DARK,
        **FEW,
    ),
    game("resigned-and-won", "dungeon", 3, "pending_discarded", resigning=0.05, **MAGIC, **DARK),
    Game(
        "stalemate",
        {"preset": "jamaica", "players": 2, "board": "random", "passage_boards": 4, "pirates": 4},
        ("stalemate_broken",),
        chooser=thrifty,
    ),
)


def hexadecimal(text: str, length: int) -> str:
    return sha256(text.encode()).hexdigest()[:length]


def play(plan: Game, attempt: int) -> rules.Record | None:
    """Return the record of a finished game in which every required event occurred, or None."""
    options = rules.parse_options(plan.options)
    chance = random.Random(f"{plan.name} {attempt}")
    server_seed = hexadecimal(f"golden {plan.name} {attempt}", 64)
    nonces = tuple(hexadecimal(f"{plan.name} {attempt} {seat}", 32) for seat in range(options.players))
    position = rules.new_game(options, rules.seed_from(server_seed, nonces))
    moves: list[rules.Move] = []
    happened: set[str] = set()
    while position.winner is None:
        if len(moves) == MOST_ACTIONS:
            return None
        action: rules.Action = rules.Resign()
        chooser = sensible if plan.chooser is thrifty and "stalemate_broken" in happened else plan.chooser
        if chooser is thrifty and len(moves) > 40:
            return None
        if chance.random() < plan.resigning * (5 if position.pending else 1):
            seat = chance.choice(position.active_seats)
        else:
            seat = chance.choice(rules.seats_to_act(position))
            action = chooser(position, seat, chance)
        position, events = rules.apply(position, seat, action)
        happened.update(rules.event_to_json(event)["type"] for event in events)
        moves.append(rules.Move(seat, action, len(moves) + 0.5, ("person", "bot", "clock")[seat % 3]))
    if not set(plan.wanted) <= happened:
        return None
    is_home = all(place == position.ruleset.route.goal for place in position.pirates[position.winner or 0])
    return rules.Record(
        options=options,
        commitment=rules.commitment_of(server_seed),
        server_seed=server_seed,
        nonces=nonces,
        players=tuple((f"pirate {rules.SEAT_LETTERS[seat]}", None) for seat in range(options.players)),
        moves=tuple(moves),
        winner=position.winner,
        places=tuple(rules.finishing_places(position)),
        reason="goal" if is_home else "resigned",
    )


def write(plan: Game) -> None:
    for attempt in range(60_000):
        record = play(plan, attempt)
        if record is not None:
            break
    else:
        raise SystemExit(f"{plan.name}: no such game was found.")
    text = json.dumps(record_to_json(record), separators=(",", ":")).replace('{"seat"', '\n{"seat"')
    (TARGET / f"{plan.name}.json").write_text(text + "\n", encoding="utf-8")
    told = playthrough(record)
    (TARGET / f"{plan.name}.txt").write_text(told, encoding="utf-8")
    print(f"{plan.name}: {len(record.moves)} actions, try {attempt}, {len(told) // 1024} kB")


def main(names: list[str]) -> None:
    TARGET.mkdir(exist_ok=True)
    for plan in GAMES:
        if not names or plan.name in names:
            write(plan)


if __name__ == "__main__":
    main(sys.argv[1:])
