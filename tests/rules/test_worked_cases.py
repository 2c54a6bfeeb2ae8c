"""The worked cases of docs/rules.md, on the printed boards B on 7–12, E on 13–18, C on 19–24, all forward."""

from __future__ import annotations

import pytest

from app.rules import Advance, Retreat
from app.rules.core.cards import PRINTED_BOARDS
from tests.rules.table import hand, picture, play

ROUTE = [symbol for letter in "ABECDF" for symbol in PRINTED_BOARDS[letter]]


def boards(start="", goal="", cards="", deck="", spaces=ROUTE, **pirates):
    """`s8="r"` puts a red pirate on space 8."""
    words = [f"start:{start}" if start else "start"]
    for number, symbol in enumerate(spaces, 1):
        here = pirates.get(f"s{number}", "")
        words.append(f"{symbol}:{here}" if here else symbol)
    words.append(f"goal:{goal}" if goal else "goal")
    return " ".join(words)


def where(position, seat):
    return [position.ruleset.route.names[place] for place in position.pirates[seat]]


@pytest.mark.parametrize(
    ("symbol", "spaces"), [("dagger", [7, 15, 24]), ("skull", [12, 17, 23]), ("bottle", [18])]
)
def test_the_symbols_lie_where_the_case_says(symbol, spaces):
    assert {7, 12, 15, 17, 18, 23, 24} >= set(spaces)
    assert all(ROUTE[space - 1] == symbol for space in spaces)


def test_yellow_passes_two_taken_skulls():
    before = picture(boards("rby", s9="y", s12="r", s17="b"), turn="yellow", yellow="skull")
    assert where(play(before, Advance("skull", 9)), 2) == ["start", 23]


def test_three_dagger_cards_put_blue_on_7_15_and_24_in_that_order():
    position = picture(boards("rb", s5="r", s6="bb"), turn="blue", blue="dagger dagger dagger")
    landings = []
    for origin in ("start", 6, 6):
        before = set(where(position, 1))
        position = play(position, Advance("dagger", origin))
        landings += [place for place in where(position, 1) if place not in before]
    assert landings == [7, 15, 24]
    assert where(position, 1) == [7, 15, 24]


def test_red_on_8_falls_back_to_two_pirates_on_6_for_two_cards():
    before = picture(boards("rb", s6="bb", s8="r"), deck="hat key skull")
    after = play(before, Retreat(8))
    assert where(after, 0) == ["start", 6]
    assert hand(after, "red") == "hat key"


def test_blue_falls_back_thrice_with_company_changing_under_way():
    before = picture(boards("rb", s12="r", s17="rrb", s18="b"), turn="blue", deck="hat hat hat hat hat hat")
    first = play(before, Retreat(17))
    assert (where(first, 1), hand(first, "blue")) == (["start", 12, 18], "hat")
    second = play(first, Retreat(18))
    assert (where(second, 1), hand(second, "blue")) == (["start", 12, 17], "hat hat hat")
    third = play(second, Retreat(17))
    assert (where(third, 1), hand(third, "blue")) == (["start", 12, 12], "hat hat hat hat hat")


def test_with_every_bottle_ahead_taken_a_bottle_takes_blue_to_the_goal():
    bottles = {f"s{n}": "r" for n, symbol in enumerate(ROUTE, 1) if symbol == "bottle" and n > 17}
    before = picture(boards("rb", s17="b", **bottles), turn="blue", blue="bottle")
    assert where(play(before, Advance("bottle", 17)), 1) == ["start", "goal"]


@pytest.mark.parametrize("preset", ["dungeon", "jungle"])
def test_in_2017_a_pirate_at_the_goal_falls_back_to_one_on_36_for_one_card(preset):
    spaces = ["chest", "hook", "lantern", "parrot", "pistol", "rum"] * 6
    before = picture(boards("rb", "r", s36="b", spaces=spaces), deck="hook rum", options={"preset": preset})
    after = play(before, Retreat("goal"))
    assert (where(after, 0), hand(after, "red")) == (["start", 36], "hook")
