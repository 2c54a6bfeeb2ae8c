"""Every level finishes games with all presets and modules, alone and combined."""

from __future__ import annotations

import pytest

from app import rules
from app.bots import LEVELS
from tests.bots.tables import Json, choose_action, play, play_randomly

# Pairwise coverage: any two values of (preset, card gain, scoundrels, black magic, hands) occur together.
TABLES: list[tuple[Json, tuple[str, ...]]] = [
    ({"preset": "jamaica"}, ("legend", "cabin-boy")),
    ({"preset": "jamaica", "card_gain": "both", "scoundrels": True}, ("mate", "sailor", "captain")),
    ({"preset": "tortuga", "card_gain": "morgan"}, ("captain", "cabin-boy", "sailor")),
    ({"preset": "tortuga", "scoundrels": True, "min_actions": 0}, ("legend", "mate")),
    ({"preset": "hispaniola", "card_gain": "both"}, ("sailor", "legend", "cabin-boy", "mate")),
    ({"preset": "hispaniola", "hands": "open", "scoundrels": True}, ("captain", "sailor")),
    ({"preset": "first-escape", "row_size": 1, "card_gain": "morgan"}, ("mate", "captain")),
    ({"preset": "first-escape", "copies": 10}, ("legend", "sailor", "mate", "captain", "sailor")),
    ({"preset": "dungeon", "black_magic": True}, ("mate", "legend")),
    ({"preset": "dungeon", "black_magic": True, "scoundrels": True, "hands": "open"}, ("captain", "sailor")),
    ({"preset": "dungeon", "card_gain": "both", "actions": 5, "scoundrels": True}, ("sailor", "captain")),
    ({"preset": "jungle", "card_gain": "morgan", "black_magic": True}, ("legend", "sailor", "cabin-boy")),
    ({"preset": "jungle", "scoundrels": True, "pirates": 8, "relief": "start"}, ("mate", "sailor")),
    ({"preset": "jungle", "jungle_boards": 4, "actions": 1, "hands": "open"}, ("captain", "mate")),
    ({"preset": "complete"}, ("captain", "mate")),
    ({"preset": "complete", "card_gain": "split", "scoundrels": True}, ("legend", "sailor", "mate")),
    ({"preset": "complete", "card_gain": "morgan", "black_magic": True}, ("sailor", "captain", "cabin-boy")),
    (
        {"preset": "complete", "card_gain": "both", "scoundrels": True, "black_magic": True},
        ("mate", "captain", "legend", "sailor", "cabin-boy"),
    ),
    ({"preset": "complete", "hands": "open", "supply": "row", "relief": "start"}, ("legend", "captain")),
]


@pytest.mark.parametrize(("options", "levels"), TABLES)
def test_bots_finish_their_games(options: Json, levels: tuple[str, ...]):
    position, moves = play(options, levels)
    assert position.winner is not None, f"not over after {len(moves)} actions"


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_finishes_against_itself(level: str):
    position, _ = play({"preset": "jamaica"}, (level, level), number=3, max_actions=4000)
    assert position.winner is not None


@pytest.mark.parametrize("level", LEVELS)
def test_every_pending_choice_is_answered(level: str):
    """Steal, share, stack and discard, with every level, with open and hidden hands."""
    answered: set[str] = set()
    met: set[str] = set()
    for hands in ("hidden", "open"):
        options = {"preset": "dungeon", "players": 3, "black_magic": True, "scoundrels": True, "hands": hands}
        for number in range(12):
            for position, histories in play_randomly(options, number):
                if position.pending is None or position.winner is not None:
                    continue
                owed = type(position.pending).__name__ + hands
                if owed in met:
                    continue
                met.add(owed)
                for seat in rules.seats_to_act(position):
                    move = choose_action(position, seat, histories[seat], level, 100, f"{number}")
                    rules.apply(position, seat, rules.action_from_json(move))
                    answered.add(move["type"] + hands)
            if len(answered) == (4 if hands == "hidden" else 8):
                break
    assert len(answered) == 8, answered


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_random_seed_gives_the_same_game(level: str):
    options = {"preset": "hispaniola"}
    one = play(options, (level, "sailor"), number=5, max_actions=25)
    assert play(options, (level, "sailor"), number=5, max_actions=25) == one


@pytest.mark.parametrize("level", ["mate", "captain", "legend"])
@pytest.mark.parametrize("preset", ["jamaica", "tortuga"])
def test_a_turn_that_wins_is_found_and_played(level: str, preset: str):
    position = rules.new_game(rules.parse_options({"preset": preset, "players": 2, "first": 0}), seed_of_win)
    goal = position.ruleset.route.goal
    # Three pirates are left, each one card away from the goal.
    position.pirates[0] = [goal - 1, goal - 1, goal - 1, goal, goal, goal]
    position.occupancy[:] = bytes(len(position.occupancy))
    for places in position.pirates:
        for place in places:
            position.occupancy[place] += 1
    for number in range(3):
        move = choose_action(position, 0, [], level, 5_000, f"win|{number}")
        position, _ = rules.apply(position, 0, rules.action_from_json(move))
    assert position.winner == 0


seed_of_win = "5" * 64


def test_two_patient_bots_do_not_pass_forever():
    """With min_actions 0 a seat may always pass, but a bot never passes twice in a row without an action."""
    position, moves = play({"preset": "tortuga", "scoundrels": True, "min_actions": 0}, ("mate", "mate"))
    assert position.winner is not None
    assert len(moves) < 600
