"""Clicks become actions: card and pirate in either order, or pirate and place; several matches become candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

KEY_FROM_START = {"action": {"type": "advance", "card": "key", "from": "start"}, "to": 5}
HAT_FROM_START = {"action": {"type": "advance", "card": "hat", "from": "start"}, "to": 3}
KEY_FROM_8 = {"action": {"type": "advance", "card": "key", "from": 8}, "to": 12}
DARK_KEY_FROM_8 = {"action": {"type": "advance", "card": "key*", "from": 8}, "to": 12}
BACK_FROM_8 = {"action": {"type": "retreat", "from": 8}, "to": 6, "draws": 2, "final": True}
END = {"action": {"type": "end"}, "final": True}
LIST = [KEY_FROM_START, HAT_FROM_START, KEY_FROM_8, BACK_FROM_8, END]

Run = Callable[..., Any]


def click(run: Run, name: str, choices: list[Any], selection: dict[str, Any], on: Any) -> Any:
    return run("table/selection.js", f"(m, g) => m.{name}(g[0], g[1], g[2])", [choices, selection, on])


def test_card_then_pirate_plays_the_card(run: Run) -> None:
    assert click(run, "clickCard", LIST, {}, "key") == {"selection": {"card": "key"}}
    assert click(run, "clickPlace", LIST, {"card": "key"}, 8) == {"action": KEY_FROM_8["action"]}


def test_pirate_then_card_plays_the_card(run: Run) -> None:
    assert click(run, "clickPlace", LIST, {}, "start") == {"selection": {"from": "start"}}
    assert click(run, "clickCard", LIST, {"from": "start"}, "hat") == {"action": HAT_FROM_START["action"]}


def test_pirate_then_landing_place_plays_the_move(run: Run) -> None:
    assert click(run, "clickPlace", LIST, {"from": 8}, 6) == {"action": BACK_FROM_8["action"]}


def test_card_then_landing_place_plays_the_card(run: Run) -> None:
    assert click(run, "clickPlace", LIST, {"card": "hat"}, 3) == {"action": HAT_FROM_START["action"]}


def test_second_click_clears_the_selection(run: Run) -> None:
    assert click(run, "clickCard", LIST, {"card": "key"}, "key") == {"selection": {}}
    assert click(run, "clickPlace", LIST, {"from": 8}, 8) == {"selection": {}}


def test_click_on_a_place_without_choices_clears_the_selection(run: Run) -> None:
    assert click(run, "clickPlace", LIST, {"card": "key"}, 30) == {"selection": {}}
    assert click(run, "clickCard", LIST, {}, "skull") == {"selection": {}}


def test_light_and_dark_card_to_the_same_place_are_both_candidates(run: Run) -> None:
    choices = [*LIST, DARK_KEY_FROM_8]
    answer = click(run, "clickPlace", choices, {"from": 8}, 12)
    assert answer["candidates"] == [KEY_FROM_8, DARK_KEY_FROM_8]
    assert click(run, "clickCard", choices, {"from": 8}, "key*") == {"action": DARK_KEY_FROM_8["action"]}


def test_parrots_with_the_same_effect_are_one_candidate(run: Run) -> None:
    parrots = ["parrot", "parrot"]
    choices = [
        {"action": {"type": "parrot", "cards": parrots, "as": symbol, "from": 34}, "to": "goal"}
        for symbol in ("chest", "hook", "rum")
    ]
    assert click(run, "clickPlace", choices, {"from": 34}, "goal") == {"action": choices[0]["action"]}


def test_power_and_advance_of_one_card_are_both_candidates(run: Run) -> None:
    advance = {"action": {"type": "advance", "card": "chest", "from": 7}, "to": 11}
    power = {"action": {"type": "chest", "card": "chest", "from": 7}, "final": True}
    assert click(run, "clickPlace", [advance, power], {"card": "chest"}, 7)["candidates"] == [advance, power]


def test_click_on_a_plate_aims_the_pistol(run: Run) -> None:
    shots = [{"action": {"type": "pistol", "card": "pistol", "player": who}, "final": True} for who in (1, 2)]
    assert click(run, "clickSeat", shots, {"card": "pistol"}, 2) == {"action": shots[1]["action"]}


def test_highlights_follow_from_the_choices(run: Run) -> None:
    lit = run(
        "table/selection.js",
        """(m, [choices, selection]) => {
          const {cards, sources, targets, list} = m.offers(choices, selection);
          const keys = (map) => [...map.keys()];
          return {cards: keys(cards), sources: keys(sources), targets: keys(targets), list: list.length};
        }""",
        [LIST, {"from": 8}],
    )
    assert lit == {"cards": ["key"], "sources": ["start", 8], "targets": [12, 6], "list": 2}


@pytest.mark.parametrize(
    ("selection", "left"),
    [({"card": "key"}, {"card": "key"}), ({"from": 9}, {}), ({"card": "key", "from": 9}, {"card": "key"})],
)
def test_selection_keeps_the_part_that_still_fits(run: Run, selection: Any, left: Any) -> None:
    assert (
        run("table/selection.js", "(m, [choices, s]) => m.keepFitting(choices, s)", [LIST, selection]) == left
    )


def test_answers_to_a_pending_choice_are_not_offered_on_the_board(run: Run) -> None:
    steal = [{"action": {"type": "steal", "card": "rum"}, "final": True}]
    assert run("table/selection.js", "(m, choices) => m.boardChoices(choices)", steal) == []


def test_two_parrots_are_not_offered_as_a_parrot(run: Run) -> None:
    parrots = {"type": "parrot", "cards": ["parrot", "parrot"], "from": 4}
    wasteful, useful = ({"action": {**parrots, "as": symbol}, "to": 9} for symbol in ("parrot", "rum"))
    assert run("table/selection.js", "(m, choices) => m.boardChoices(choices)", [wasteful, useful]) == [
        useful
    ]


def test_the_two_cards_of_a_hook_in_either_order_are_one_choice(run: Run) -> None:
    both = [
        {"action": {"type": "hook", "card": card, "with": other, "from": 4}, "to": 9}
        for card, other in (("hook", "hook*"), ("hook*", "hook"))
    ]
    assert click(run, "clickPlace", both, {"from": 4}, 9) == {"action": both[0]["action"]}


@pytest.mark.parametrize(
    ("name", "on", "before", "inert"),
    [
        ("clickCard", "key", {}, False),
        ("clickCard", "skull", {}, True),
        ("clickCard", "key", {"card": "key"}, False),
        ("clickPlace", 8, {}, False),
        ("clickPlace", 30, {}, True),
        ("clickPlace", 30, {"card": "key"}, True),
        ("clickPlace", 8, {"from": 8}, False),
        ("clickPlace", 8, {"card": "key"}, False),
        ("clickSeat", 2, {"card": "key"}, True),
    ],
)
def test_clicks_without_effect_are_recognised(
    run: Run, name: str, on: Any, before: dict[str, Any], inert: bool
) -> None:
    clicked = {{"clickCard": "card", "clickPlace": "place", "clickSeat": "player"}[name]: on}
    meant = click(run, name, LIST, before, on)
    asked = [meant, before, clicked]
    assert (
        run("table/selection.js", "(m, [meant, before, clicked]) => m.isInert(meant, before, clicked)", asked)
        == inert
    )
