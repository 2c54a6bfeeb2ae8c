"""The worked examples of docs/rules.md, with printed boards B on 7–12, E on 13–18 and C on 19–24, all forward."""

from __future__ import annotations

import pytest

from app.rules import Advance, Retreat
from app.rules.core.cards import PRINTED_BOARDS
from tests.rules.layout import hand, lay_out, play

ROUTE = [symbol for letter in "ABECDF" for symbol in PRINTED_BOARDS[letter]]


def lay_out_route(start="", goal="", cards="", deck="", spaces=ROUTE, **pirates):
    """`s8="r"` puts a red pirate on space 8."""
    words = [f"start:{start}" if start else "start"]
    for number, symbol in enumerate(spaces, 1):
        here = pirates.get(f"s{number}", "")
        words.append(f"{symbol}:{here}" if here else symbol)
    words.append(f"goal:{goal}" if goal else "goal")
    return " ".join(words)


def places_of(position, seat):
    return [position.ruleset.route.names[place] for place in position.pirates[seat]]


@pytest.mark.parametrize(
    ("symbol", "spaces"), [("dagger", [7, 15, 24]), ("skull", [12, 17, 23]), ("bottle", [18])]
)
def test_the_symbols_lie_where_the_case_says(symbol, spaces):
    assert {7, 12, 15, 17, 18, 23, 24} >= set(spaces)
    assert all(ROUTE[space - 1] == symbol for space in spaces)


def test_yellow_passes_two_occupied_skulls():
    before = lay_out(lay_out_route("rby", s9="y", s12="r", s17="b"), turn="yellow", yellow="skull")
    assert places_of(play(before, Advance("skull", 9)), 2) == ["start", 23]


def test_three_dagger_cards_put_blue_on_7_15_and_24_in_that_order():
    position = lay_out(lay_out_route("rb", s5="r", s6="bb"), turn="blue", blue="dagger dagger dagger")
    landings = []
    for origin in ("start", 6, 6):
        before = set(places_of(position, 1))
        position = play(position, Advance("dagger", origin))
        landings += [place for place in places_of(position, 1) if place not in before]
    assert landings == [7, 15, 24]
    assert places_of(position, 1) == [7, 15, 24]


def test_red_on_8_retreats_to_two_pirates_on_6_for_two_cards():
    before = lay_out(lay_out_route("rb", s6="bb", s8="r"), deck="hat key skull")
    after = play(before, Retreat(8))
    assert places_of(after, 0) == ["start", 6]
    assert hand(after, "red") == "hat key"


def test_blue_retreats_three_times_with_changing_company():
    before = lay_out(
        lay_out_route("rb", s12="r", s17="rrb", s18="b"), turn="blue", deck="hat hat hat hat hat hat"
    )
    first = play(before, Retreat(17))
    assert (places_of(first, 1), hand(first, "blue")) == (["start", 12, 18], "hat")
    second = play(first, Retreat(18))
    assert (places_of(second, 1), hand(second, "blue")) == (["start", 12, 17], "hat hat hat")
    third = play(second, Retreat(17))
    assert (places_of(third, 1), hand(third, "blue")) == (["start", 12, 12], "hat hat hat hat hat")


def test_with_every_bottle_ahead_occupied_a_bottle_moves_blue_to_the_goal():
    bottles = {f"s{n}": "r" for n, symbol in enumerate(ROUTE, 1) if symbol == "bottle" and n > 17}
    before = lay_out(lay_out_route("rb", s17="b", **bottles), turn="blue", blue="bottle")
    assert places_of(play(before, Advance("bottle", 17)), 1) == ["start", "goal"]


@pytest.mark.parametrize("preset", ["dungeon", "jungle"])
def test_in_2017_a_pirate_at_the_goal_retreats_to_one_on_36_for_one_card(preset):
    spaces = ["chest", "hook", "lantern", "parrot", "pistol", "rum"] * 6
    before = lay_out(
        lay_out_route("rb", "r", s36="b", spaces=spaces), deck="hook rum", options={"preset": preset}
    )
    after = play(before, Retreat("goal"))
    assert (places_of(after, 0), hand(after, "red")) == (["start", 36], "hook")
