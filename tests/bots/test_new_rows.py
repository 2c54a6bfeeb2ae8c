"""New rows: what a turn draws from a row that is laid in it stays unknown, so planned turns can be played."""

from __future__ import annotations

from random import Random

import pytest

from app import rules
from app.bots.analysis import analyse
from app.bots.budget import Budget, Meter
from app.bots.evaluation import Evaluator
from app.bots.mistakes import BadTurn, foresee_turn, turn_starts
from app.bots.playouts import finish_plan, play_plan
from app.bots.turn_search import foresee, plans
from app.rules.core.position import Position
from tests.bots.test_mistakes import by_people
from tests.bots.test_review import record_of

ONE_CARD_LEFT = "1~tortuga.2~431250234051213045103425315240305124~ADGHSXab.FINYbdab~a~~100~"
"""A position of tortuga with one card left in the row, where the best turns draw more."""


def draw_position(rng: Random, row: int) -> Position:
    """Return a position of tortuga with `row` cards left in the row and a shuffled deck."""
    options = {"preset": "tortuga", "players": 2}
    position = rules.new_game(rules.parse_options(options), f"{rng.getrandbits(256):064x}")
    goal = position.ruleset.route.goal
    data = rules.position_to_json(position)
    names = position.ruleset.route.names
    for player in data["players"]:
        places = sorted(rng.randrange(1, goal - 2) for _ in player["pirates"])
        player["pirates"] = [names[place] for place in places]
        data["deck"] += player["hand"][2:]
        player["hand"] = player["hand"][:2]
    data["deck"] += data["row"][row:]
    data["row"] = data["row"][:row]
    rng.shuffle(data["deck"])
    return rules.position_from_json(data)


def planned(position: Position) -> list[tuple[Position, Position]]:
    """Return each planned turn's end as foreseen and as really played, and check that it can be played."""
    seat = position.turn_seat
    evaluator = Evaluator(position.ruleset)
    ends = []
    for plan in plans(position, seat, 30, Meter(Budget()), evaluator.value, evaluator.rough_score):
        played = position
        for action in plan.actions:
            assert action in rules.legal(played, seat)
            played, _ = rules.apply(played, seat, action)
        ends.append((finish_plan(plan, seat), play_plan(position, seat, plan.actions)))
        assert ends[-1][1] == played
    return ends


@pytest.mark.parametrize("row", [1, 2, 3])
def test_planned_turns_can_be_played_and_end_as_foreseen(row: int) -> None:
    rng = Random(row)
    laid = 0
    for _ in range(6):
        position = draw_position(rng, row)
        for foreseen, played in planned(position):
            assert foreseen == played
            laid += len(played.deck) != len(position.deck)
    assert laid > 20


def test_what_is_foreseen_does_not_depend_on_the_deck() -> None:
    rng = Random(4)
    position = draw_position(rng, 1)
    seat = position.turn_seat
    twin = position.copy()
    twin.deck = bytes(reversed(position.deck))
    drawn = 0
    for first in rules.legal(position, seat):
        if first.type != "retreat":
            continue
        for second in rules.legal(foresee(position, seat, first), seat):
            if second.type != "retreat":
                continue
            ends = [foresee(foresee(start, seat, first), seat, second) for start in (position, twin)]
            assert ends[0].hands == ends[1].hands
            assert ends[0].hand_sizes == ends[1].hand_sizes
            assert ends[0].row == ends[1].row == b""
            drawn += 1
    assert drawn


def test_cards_of_the_old_row_are_known() -> None:
    rng = Random(5)
    while True:
        position = draw_position(rng, 1)
        seat = position.turn_seat
        two = [
            action
            for action in rules.legal(position, seat)
            if action.type == "retreat" and foresee(position, seat, action).hand_sizes[seat] == 4
        ]
        if two:
            break
    after = foresee(position, seat, two[0])
    expected = position.hands[seat][:]
    expected[position.row[0]] += 1
    assert after.hands[seat] == expected


def test_an_analysis_lists_turns_that_can_be_played() -> None:
    position = rules.position_from_code(ONE_CARD_LEFT)
    found = analyse(ONE_CARD_LEFT)
    assert found["turns"]
    laid = 0
    for turn in found["turns"]:
        played = position
        for action in map(rules.action_from_json, turn["actions"]):
            assert action in rules.legal(played, position.turn_seat)
            played, _ = rules.apply(played, position.turn_seat, action)
        laid += len(played.deck) != len(position.deck)
    assert laid
    hidden = [event for turn in found["turns"] for event in turn["events"] if event["type"] == "cards_drawn"]
    assert any(event["cards"] is None for event in hidden)


@pytest.fixture(scope="module")
def record() -> rules.Record:
    """A game with a row of four cards, so that new rows are frequent."""
    options = {"preset": "tortuga", "row_size": 4, "board": "random", "passage_boards": 4}
    return by_people(record_of(options, ("mate", "sailor")))


def test_a_turn_that_used_a_card_of_the_new_row_is_no_puzzle(record: rules.Record) -> None:
    line = list(rules.replay(record))
    used = 0
    for seat in (0, 1):
        for start in turn_starts(record, seat):
            steps = line[start.step + 1 : start.step + 1 + len(start.played)]
            if not any(event.type == "row_laid" for _, events in steps for event in events):
                continue
            try:
                plan = foresee_turn(start.position, start.played)
            except BadTurn:
                used += 1
                continue
            world = start.sampler().sample(Random(1))
            assert play_plan(world, seat, plan.actions).pirates == plan.after.pirates
    assert used
