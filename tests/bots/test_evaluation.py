"""The learned evaluation: integer chances of all seats from what one seat knows."""

from __future__ import annotations

import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.bots import evaluation
from app.bots.evaluation import BANKS, CERTAINTY, KINDS, Evaluator, load_weights, next_seat
from app.bots.sampling import PositionSampler
from app.bots.tables import MAX_ENTRIES, SIZE, TableIndex
from tests.bots.tables import Json, choose_action, play_randomly

TABLES: list[Json] = [
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 5},
    {"preset": "hispaniola", "players": 3, "scoundrels": True, "pirates": 8},
    {"preset": "jungle", "players": 2, "jungle_boards": 8, "card_gain": "morgan"},
    {"preset": "dungeon", "players": 4, "black_magic": True, "passage_boards": 4, "pirates": 4},
    {"preset": "complete", "players": 3, "black_magic": True, "card_gain": "both"},
    {"preset": "complete", "players": 2, "passage_boards": 5, "jungle_boards": 3},
]


def positions_of_game(table: Json, number: int = 1, max_actions: int = 120) -> list[rules.Position]:
    return [position for position, _ in play_randomly(table, number, max_actions) if position.winner is None]


@pytest.mark.parametrize("table", TABLES)
def test_chances_are_integers_that_add_up(table: Json) -> None:
    for position in positions_of_game(table):
        for viewer in (None, position.turn_seat):
            chances = Evaluator(position.ruleset, viewer).chances(position)
            assert all(type(chance) is int and chance >= 0 for chance in chances)
            assert CERTAINTY - len(chances) < sum(chances) <= CERTAINTY


@pytest.mark.parametrize("table", TABLES)
def test_every_entry_lies_within_the_tables(table: Json) -> None:
    for position in positions_of_game(table, 2):
        for entries in TableIndex(position.ruleset).entries(position):
            assert 0 < len(entries) <= MAX_ENTRIES
            assert all(0 <= entry < SIZE for entry in entries)


def test_cards_that_the_viewer_cannot_see_do_not_count() -> None:
    for position in positions_of_game(TABLES[1]):
        seat = position.turn_seat
        other = PositionSampler(rules.view(position, seat), seat, ()).sample(random.Random(3))
        judge = Evaluator(position.ruleset, seat)
        assert judge.chances(position) == judge.chances(other)


def test_a_winner_is_certain_and_a_seat_that_resigned_has_no_chance() -> None:
    position = rules.new_game(rules.parse_options({"preset": "jamaica", "players": 3, "first": 0}), "2" * 64)
    after, _ = rules.apply(position, 1, rules.Resign())
    chances = Evaluator(after.ruleset).chances(after)
    assert chances[1] == 0
    assert min(chances[0], chances[2]) > 0
    assert next_seat(after, 0) == 2
    won, _ = rules.apply(after, 2, rules.Resign())
    assert Evaluator(won.ruleset).chances(won) == [CERTAINTY, 0, 0]


def test_pirates_further_on_and_more_cards_are_better() -> None:
    for preset in ("tortuga", "jamaica", "complete"):
        position = rules.new_game(rules.parse_options({"preset": preset, "players": 2, "first": 0}), "3" * 64)
        told = rules.position_to_json(position)
        told["players"][0]["pirates"] = [10, 20, 30, 31, "goal", "goal"]
        ahead = rules.position_from_json(told)
        judge = Evaluator(position.ruleset)
        assert judge.chances(ahead)[0] > 0.8 * CERTAINTY
        poor = position.copy()
        poor.hands[0], poor.hand_sizes[0] = bytearray(6), 0
        assert judge.chances(poor)[0] < judge.chances(position)[0]


def test_the_weights_are_one_small_file_of_integers() -> None:
    file = Path(evaluation.__file__).with_name("weights.json")
    assert file.stat().st_size < 500_000
    weights = load_weights()
    assert tuple(weights) == KINDS
    for banks in weights.values():
        assert tuple(banks) == BANKS
        assert all(
            len(bank) == SIZE and {type(weight) for weight in bank} == {int} for bank in banks.values()
        )


def test_every_platform_makes_the_same_decisions() -> None:
    """Replace the digest with the value of a new run whenever the weights or the search change on purpose."""
    told: list[Any] = []
    for number, table in enumerate(TABLES):
        for count, (position, histories) in enumerate(play_randomly(table, number, 60)):
            if position.winner is not None:
                break
            if count % 12 == 5:
                seat = rules.seats_to_act(position)[0]
                told.append(Evaluator(position.ruleset, seat).chances(position))
                told += [
                    [choose_action(position, seat, histories[seat], level, 400, f"{count}")]
                    for level in ("sailor", "mate", "captain", "legend")
                ]
    assert sha256(repr(told).encode()).hexdigest()[:16] == "782d411dbfb1049d"
