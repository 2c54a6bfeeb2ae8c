"""Morgan: another seat's pirate goes forward to company, and cards are won by it."""

from __future__ import annotations

import pytest

from app.rules import Advance, Retreat, legal
from app.rules.modules.morgan import Morgan
from tests.rules.table import drawn, hand, kinds_of, may, picture, play, playing

MORGAN = {"card_gain": "morgan"}


def morgan(line, **more):
    return picture(line, options=MORGAN | more.pop("options", {}), **more)


def test_another_seats_pirate_goes_forward_to_the_nearest_company():
    before = morgan("start:r hat:b key skull:y bottle:r goal", deck="hat key")
    after, told = playing(before, Morgan(1, 1))
    assert drawn(after) == "start:r hat key skull:by bottle:r goal"
    assert hand(after, "red") == "hat"
    assert told[0] == {"type": "morgan_moved", "seat": 0, "player": 1, "from": 1, "to": 3}
    assert after.taken == 1


def test_company_of_two_brings_two_cards():
    after = play(morgan("start:r hat:b key:rr goal", deck="hat key skull"), Morgan(1, 1))
    assert drawn(after) == "start:r hat key:rrb goal"
    assert hand(after, "red") == "hat key"


def test_spaces_with_three_and_empty_ones_are_skipped():
    after = play(morgan("start:r hat:b key:rrb skull bottle:r goal", deck="hat key"), Morgan(1, 1))
    assert drawn(after) == "start:r hat key:rrb skull bottle:rb goal"


def test_company_behind_is_of_no_use():
    after = play(morgan("start:r hat:rr key:b skull goal:r", deck="hat key skull"), Morgan(1, 2))
    assert drawn(after) == "start:r hat:rr key skull goal:rb"


def test_without_company_ahead_it_goes_to_the_goal_for_two_cards():
    before = morgan("start:rb hat:b key skull goal", deck="hat key skull")
    after = play(before, Morgan(1, 1))
    assert drawn(after) == "start:rb hat key skull goal:b"
    assert hand(after, "red") == "hat key"


def test_from_the_start_on_an_empty_route_it_goes_straight_to_the_goal():
    after = play(morgan("start:rbb hat key goal", deck="hat key skull"), Morgan(1, "start"))
    assert drawn(after) == "start:rb hat key goal:b"
    assert hand(after, "red") == "hat key"


def test_from_the_start_it_goes_to_the_nearest_company():
    after = play(morgan("start:rb hat key:r goal", deck="hat key"), Morgan(1, "start"))
    assert drawn(after) == "start:r hat key:rb goal"


def test_never_from_the_goal():
    assert not may(morgan("start:rb hat key goal:b", deck="hat"), Morgan(1, "goal"))


def test_never_an_own_pirate():
    assert not may(morgan("start:rb hat:r key:b goal", deck="hat"), Morgan(0, 1))


def test_never_a_pirate_that_is_not_there_or_a_seat_that_is_not_there():
    before = morgan("start:rb hat:r key:b goal", deck="hat")
    assert not may(before, Morgan(1, 1))
    assert not may(before, Morgan(4, 1))


def test_morgan_needs_an_action_left():
    assert not may(morgan("start:rb hat:r key:b goal", deck="hat", taken=3), Morgan(1, 2))


def test_pirates_of_a_resigned_seat_are_company_for_morgan_too():
    before = morgan("start:rb hat key:y goal", resigned="yellow", deck="hat key")
    assert drawn(play(before, Morgan(1, "start"))) == "start:r hat key:by goal"


def test_a_card_won_by_morgan_may_be_played_at_once():
    before = morgan("start:rrb hat key:r skull goal", deck="skull")
    after = play(before, Morgan(1, "start"), Advance("skull", "start"))
    assert drawn(after) == "start:r hat key:rb skull:r goal"


# --- card_gain


@pytest.mark.parametrize(
    ("gain", "ways"),
    [("retreat", {"retreat"}), ("morgan", {"morgan"}), ("both", {"retreat", "morgan"})],
)
def test_card_gain_says_how_cards_are_won(gain, ways):
    before = picture("start:rb hat:b key:r skull goal", deck="hat", options={"card_gain": gain})
    assert kinds_of(before) == ways


@pytest.mark.parametrize("gain", ["morgan", "both"])
def test_morgan_plays_in_the_complete_escape_on_both_sides(gain):
    line = "start:rb chest:b hook:r sloop@tortuga:b rum:b pistol:r goal"
    before = picture(line, deck="hook", options={"card_gain": gain})
    moved = {action.origin for action in legal(before, 0) if isinstance(action, Morgan)}
    assert moved == {"start", 1, "sloop", 3}


# --- in the complete escape


COMPLETE = {"card_gain": "both"}


def test_company_ahead_counts_only_on_the_pirates_own_side():
    line = "start:rb chest:b hook sloop@cartagena rum:r pistol goal"
    after = play(picture(line, deck="hook hook hook", options=COMPLETE), Morgan(1, 1))
    assert drawn(after) == "start:rb chest hook sloop@cartagena:b rum:r pistol goal"
    assert hand(after, "red") == "hook hook"


def test_from_the_start_on_an_empty_passage_it_goes_straight_aboard():
    line = "start:rb chest hook sloop@cartagena rum:r pistol goal"
    after = play(picture(line, deck="hook hook hook", options=COMPLETE), Morgan(1, "start"))
    assert drawn(after) == "start:r chest hook sloop@cartagena:b rum:r pistol goal"
    assert hand(after, "red") == "hook hook"


def test_nobody_is_sent_aboard_while_the_sloop_is_away():
    line = "start:rb chest:b hook sloop@tortuga rum pistol goal"
    assert not may(picture(line, deck="hook", options=COMPLETE), Morgan(1, 1))


def test_nobody_is_sent_aboard_without_room_for_that_colour():
    line = "start:rb chest:b hook sloop@cartagena:bbb rum pistol goal"
    assert not may(picture(line, deck="hook", options=COMPLETE), Morgan(1, 1))
    other = "start:rb chest:b hook sloop@cartagena:bbr rum pistol goal"
    assert may(picture(other, deck="hook", options=COMPLETE), Morgan(1, 1))


def test_from_the_sloop_only_at_tortuga():
    line = "start:rb chest hook sloop@cartagena:b rum:r pistol goal"
    assert not may(picture(line, deck="hook", options=COMPLETE), Morgan(1, "sloop"))
    after = play(
        picture(line.replace("cartagena", "tortuga"), deck="hook", options=COMPLETE), Morgan(1, "sloop")
    )
    assert drawn(after) == "start:rb chest hook sloop@tortuga rum:rb pistol goal"


def test_from_sloop_or_jungle_without_company_ahead_to_the_goal_for_two_cards():
    line = "start:rb chest hook sloop@tortuga:b rum:b pistol goal"
    before = picture(line, deck="hook hook hook", options=COMPLETE)
    assert drawn(play(before, Morgan(1, 3))) == "start:rb chest hook sloop@tortuga:b rum pistol goal:b"
    after = play(before, Morgan(1, "sloop"))
    assert drawn(after) == "start:rb chest hook sloop@tortuga rum:bb pistol goal", (
        "Its own colour is company."
    )


# --- split


def split(line, **more):
    return picture(line, options={"card_gain": "split"}, deck="hook hook hook", **more)


def test_split_retreats_in_the_passage_and_from_the_sloop_at_cartagena():
    before = split("start:rb chest:b hook:r sloop@cartagena:r rum:b pistol:r goal:r")
    retreats = {action.origin for action in legal(before, 0) if isinstance(action, Retreat)}
    assert retreats == {2, "sloop"}


def test_split_never_retreats_from_jungle_or_goal():
    before = split("start:rb chest hook sloop@cartagena rum:b pistol:r goal:r")
    assert not may(before, Retreat(4))
    assert not may(before, Retreat("goal"))


def test_split_sends_pirates_ahead_in_the_jungle_and_from_the_sloop_at_tortuga_only():
    before = split("start:rb chest:b hook:r sloop@tortuga:b rum:b pistol:r goal:b")
    moved = {action.origin for action in legal(before, 0) if isinstance(action, Morgan)}
    assert moved == {"sloop", 3}
    at_cartagena = split("start:rb chest:b hook:r sloop@cartagena:b rum:b pistol:r goal:b")
    moved = {action.origin for action in legal(at_cartagena, 0) if isinstance(action, Morgan)}
    assert moved == {3}


def test_split_never_sends_anyone_from_start_or_passage():
    before = split("start:rb chest:b hook:r sloop@cartagena rum pistol goal")
    assert not may(before, Morgan(1, "start"))
    assert not may(before, Morgan(1, 1))
