"""Reasons of hints come from the evaluation and reveal nothing that the seat does not know."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app import rules
from app.bots.reasons import REASONS, find_reason
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder
from tests.bots.tables import play_randomly, seed
from tests.docs.protocol_page import PAGE

Json = dict[str, Any]

ALL_MODULES = {
    "preset": "complete",
    "players": 3,
    "black_magic": True,
    "scoundrels": True,
    "card_gain": "both",
    "hands": "hidden",
}


def new_position_json(**options: Any) -> Json:
    json = rules.parse_options({"preset": "jamaica", "players": 2, **options})
    return rules.position_to_json(rules.new_game(json, seed(1)))


def position_with(pirates: list[Any], others: list[Any] | None = None) -> rules.Position:
    json = new_position_json()
    json["turn"]["seat"] = 0
    json["players"][0]["pirates"] = pirates
    json["players"][1]["pirates"] = others or ["start"] * 6
    return rules.position_from_json(json)


def reason_for(position: rules.Position, action: rules.Action) -> Json:
    assert action in rules.legal(position, 0)
    return find_reason(position, 0, action)


def first_card(position: rules.Position) -> str:
    return position.hand_names(0)[0]


def test_the_last_pirate_home_wins():
    position = position_with([36, "goal", "goal", "goal", "goal", "goal"])
    assert reason_for(position, rules.Advance(first_card(position), 36)) == {"why": "wins", "params": {}}


def test_a_pirate_that_reaches_the_goal_is_brought_home():
    position = position_with([30, 36, "goal", "goal", "goal", "goal"])
    assert reason_for(position, rules.Advance(first_card(position), 36)) == {"why": "home", "params": {}}


def test_the_reason_for_a_long_jump_counts_spaces():
    position = position_with([10, 11, "goal", "goal", "goal", "goal"])
    for card in set(position.hand_names(0)):
        action = rules.Advance(card, 11)
        after, _ = rules.apply(position, 0, action)
        found = reason_for(position, action)
        if found["why"] == "jump":
            assert found["params"]["n"] == sum(after.pirates[0]) - sum(position.pirates[0])
            return
    pytest.fail("no card was played for the way it goes")


def test_the_reason_for_a_retreat_counts_cards():
    position = position_with(
        [12, 20, "goal", "goal", "goal", "goal"], ["start", "start", "start", "start", "start", 12]
    )
    assert reason_for(position, rules.Retreat(20)) == {"why": "draws", "params": {"n": 2}}


def test_an_end_saves_cards_while_actions_are_left():
    position = position_with(["start"] * 6)
    position.actions_taken = 1
    assert find_reason(position, 0, rules.End())["why"] == "saves"
    position.actions_taken = position.ruleset.actions
    assert find_reason(position, 0, rules.End())["why"] == "nothing_better"


def test_every_action_has_a_reason_that_the_protocol_names():
    documented = set(re.findall(r"`(\w+)`", PAGE.split("| why | because it |")[1].split("\n\n")[0])) - {"n"}
    assert documented == set(REASONS)
    met = set()
    for number in range(3):
        for position, _ in play_randomly(ALL_MODULES, number, max_actions=60):
            if position.winner is not None:
                break
            for seat in rules.seats_to_act(position):
                for action in rules.legal(position, seat):
                    if isinstance(action, DiscardPlaceholder):
                        action = Discard(tuple(position.hand_names(seat)[: action.count]))
                    found = find_reason(position, seat, action)
                    met.add(found["why"])
                    assert found["why"] in REASONS
                    assert found["params"].get("n", 1) > 0
    assert {"draws", "jump", "sails", "aims", "rum", "lantern", "chest", "keeps_best", "saves"} <= met


def test_a_reason_reveals_nothing_about_deck_or_other_hands():
    """Positions that look the same to the seat have the same reasons."""
    compared = 0
    for position, _ in play_randomly(
        {"preset": "jamaica", "players": 2, "card_gain": "both"}, "secret", max_actions=60
    ):
        if position.winner is not None or position.pending is not None:
            continue
        seat = rules.seats_to_act(position)[0]
        other = rules.position_to_json(position)
        unseen = sorted([*other["players"][1 - seat]["hand"], *other["deck"]], reverse=True)
        held = len(other["players"][1 - seat]["hand"])
        other["players"][1 - seat]["hand"] = sorted(unseen[:held])
        other["deck"] = unseen[held:]
        dealt = rules.position_from_json(other)
        for action in rules.legal(position, seat):
            assert find_reason(position, seat, action) == find_reason(dealt, seat, action)
            compared += 1
    assert compared > 100
