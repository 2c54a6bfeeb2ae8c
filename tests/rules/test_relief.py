"""The relief draw: one card for an empty hand, where the table allows it, and the turn is over."""

from __future__ import annotations

import pytest

from app.rules import Advance, Draw, End, Retreat
from tests.rules.table import deck, hand, kinds_of, may, picture, play, playing, row

LINE = "start:rb hat:b key bottle:r skull goal"


@pytest.mark.parametrize("relief", ["rest", "start"])
def test_an_empty_hand_may_draw_one_card_and_the_turn_is_over_at_once(relief):
    after = play(picture(LINE, options={"relief": relief}, deck="skull key"), Draw())
    assert hand(after, "red") == "skull"
    assert deck(after) == "key"
    assert (after.seat, after.taken) == (1, 0)


def test_where_there_is_no_relief_nobody_draws():
    assert not may(picture(LINE, options={"relief": "none"}, deck="skull"), Draw())


@pytest.mark.parametrize("relief", ["rest", "start", "none"])
def test_a_hand_with_a_card_never_draws(relief):
    assert not may(picture(LINE, options={"relief": relief}, red="hat", deck="skull"), Draw())


def test_rest_allows_the_draw_at_any_point_of_the_turn():
    before = picture(LINE, options={"relief": "rest"}, red="hat", deck="skull")
    played = play(before, Advance("hat", 3))
    assert may(played, Draw())
    assert hand(play(played, Draw()), "red") == "skull"


def test_start_allows_the_draw_only_before_the_first_action():
    before = picture(LINE, options={"relief": "start"}, red="hat", deck="skull")
    assert not may(play(before, Advance("hat", 3)), Draw())


@pytest.mark.parametrize("relief", ["rest", "start"])
def test_the_draw_needs_an_action_left(relief):
    before = picture(LINE, options={"relief": relief}, taken=3, deck="skull")
    assert not may(before, Draw())
    assert may(before, End())


def test_the_draw_ends_the_turn_whatever_the_least_number_of_actions():
    before = picture(LINE, options={"relief": "rest", "min_actions": 3}, deck="skull")
    assert not may(before, End())
    assert play(before, Draw()).seat == 1


def test_the_draw_is_legal_even_if_no_card_is_to_be_had():
    before = picture(LINE, options={"relief": "rest"})
    after, told = playing(before, Draw())
    assert (hand(after, "red"), after.seat) == ("", 1)
    assert [event["type"] for event in told] == ["rested", "turn_passed"]


def test_the_relief_card_comes_from_the_deck_even_where_there_is_a_row():
    after = play(picture(LINE, options={"relief": "start"}, row="key key", deck="skull bottle"), Draw())
    assert (hand(after, "red"), row(after), deck(after)) == ("skull", "key key", "bottle")


def test_the_relief_card_comes_from_the_shuffled_discards_before_the_row():
    after = play(picture(LINE, options={"relief": "start"}, row="key key", discard="skull"), Draw())
    assert (hand(after, "red"), row(after), after.shuffles) == ("skull", "key key", 1)


def test_with_deck_and_discards_empty_the_relief_card_comes_from_the_row():
    after = play(picture(LINE, options={"relief": "start"}, row="hat key"), Draw())
    assert (hand(after, "red"), row(after)) == ("hat", "key")


def test_the_draw_is_a_choice_beside_others_and_no_forced_pass():
    before = picture(LINE, options={"relief": "rest"}, deck="skull skull", forced_passes=1)
    assert kinds_of(before) == {"retreat", "draw"}
    assert play(before, Draw()).forced_passes == 0
    assert play(before, Retreat(3)).seat == 0
