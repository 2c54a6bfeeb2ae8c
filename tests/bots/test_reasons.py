"""Why a hint is good: one clause from the evaluation, and nothing the seat does not know."""

from __future__ import annotations

import re
from typing import Any

import pytest

from app import rules
from app.bots.reasons import REASONS, reason
from app.rules.modules.scoundrels import Discard, OwedDiscard
from tests.bots.tables import seed, wander
from tests.docs.protocol_page import PAGE

Json = dict[str, Any]

EVERYTHING = {
    "preset": "complete",
    "players": 3,
    "black_magic": True,
    "scoundrels": True,
    "card_gain": "both",
    "hands": "hidden",
}


def opening(**options: Any) -> Json:
    given = rules.parse_options({"preset": "jamaica", "players": 2, **options})
    return rules.position_to_json(rules.new_game(given, seed(1)))


def placed(pirates: list[Any], others: list[Any] | None = None) -> rules.Position:
    given = opening()
    given["turn"]["seat"] = 0
    given["players"][0]["pirates"] = pirates
    given["players"][1]["pirates"] = others or ["start"] * 6
    return rules.position_from_json(given)


def said(position: rules.Position, action: rules.Action) -> Json:
    assert action in rules.legal(position, 0)
    return reason(position, 0, action)


def first_card(position: rules.Position) -> str:
    return position.hand_names(0)[0]


def test_the_last_pirate_home_wins():
    position = placed([36, "goal", "goal", "goal", "goal", "goal"])
    assert said(position, rules.Advance(first_card(position), 36)) == {"why": "wins", "params": {}}


def test_a_pirate_that_reaches_the_goal_is_brought_home():
    position = placed([30, 36, "goal", "goal", "goal", "goal"])
    assert said(position, rules.Advance(first_card(position), 36)) == {"why": "home", "params": {}}


def test_a_long_way_is_told_in_spaces():
    position = placed([10, 11, "goal", "goal", "goal", "goal"])
    for card in set(position.hand_names(0)):
        action = rules.Advance(card, 11)
        after, _ = rules.apply(position, 0, action)
        found = said(position, action)
        if found["why"] == "jump":
            assert found["params"]["n"] == sum(after.pirates[0]) - sum(position.pirates[0])
            return
    pytest.fail("no card was played for the way it goes")


def test_a_retreat_is_told_in_cards():
    position = placed(
        [12, 20, "goal", "goal", "goal", "goal"], ["start", "start", "start", "start", "start", 12]
    )
    assert said(position, rules.Retreat(20)) == {"why": "draws", "params": {"n": 2}}


def test_an_end_saves_cards_while_actions_are_left():
    position = placed(["start"] * 6)
    position.taken = 1
    assert reason(position, 0, rules.End())["why"] == "saves"
    position.taken = position.ruleset.actions
    assert reason(position, 0, rules.End())["why"] == "nothing_better"


def test_every_action_has_a_reason_that_the_protocol_names():
    documented = set(re.findall(r"`(\w+)`", PAGE.split("| why | because it |")[1].split("\n\n")[0])) - {"n"}
    assert documented == set(REASONS)
    met = set()
    for number in range(3):
        for position, _ in wander(EVERYTHING, number, most=60):
            if position.winner is not None:
                break
            for seat in rules.seats_to_act(position):
                for action in rules.legal(position, seat):
                    if isinstance(action, OwedDiscard):
                        action = Discard(tuple(position.hand_names(seat)[: action.count]))
                    found = reason(position, seat, action)
                    met.add(found["why"])
                    assert found["why"] in REASONS
                    assert found["params"].get("n", 1) > 0
    assert {"draws", "jump", "sails", "aims", "rum", "lantern", "chest", "keeps_best", "saves"} <= met


def test_a_reason_tells_nothing_of_the_deck_or_of_other_hands():
    """The same table as the seat sees it, with all that it does not see dealt otherwise: the same reasons."""
    compared = 0
    for position, _ in wander({"preset": "jamaica", "players": 2, "card_gain": "both"}, "secret", most=60):
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
            assert reason(position, seat, action) == reason(dealt, seat, action)
            compared += 1
    assert compared > 100
