"""The relief card: with an empty hand a seat may draw one card and end its turn, if the table allows it."""

from __future__ import annotations

import pytest

from app.rules import Advance, Draw, End, Retreat
from tests.rules.layout import deck, hand, is_legal, lay_out, legal_types, play, play_with_events, row

LINE = "start:rb hat:b key bottle:r skull goal"


@pytest.mark.parametrize("relief", ["rest", "start"])
def test_an_empty_hand_may_draw_one_card_and_the_turn_is_over_at_once(relief):
    after = play(lay_out(LINE, options={"relief": relief}, deck="skull key"), Draw())
    assert hand(after, "red") == "skull"
    assert deck(after) == "key"
    assert (after.turn_seat, after.actions_taken) == (1, 0)


def test_without_relief_no_seat_draws():
    assert not is_legal(lay_out(LINE, options={"relief": "none"}, deck="skull"), Draw())


@pytest.mark.parametrize("relief", ["rest", "start", "none"])
def test_relief_needs_an_empty_hand(relief):
    assert not is_legal(lay_out(LINE, options={"relief": relief}, red="hat", deck="skull"), Draw())


def test_rest_allows_the_draw_at_any_point_of_the_turn():
    before = lay_out(LINE, options={"relief": "rest"}, red="hat", deck="skull")
    played = play(before, Advance("hat", 3))
    assert is_legal(played, Draw())
    assert hand(play(played, Draw()), "red") == "skull"


def test_start_allows_the_draw_only_before_the_first_action():
    before = lay_out(LINE, options={"relief": "start"}, red="hat", deck="skull")
    assert not is_legal(play(before, Advance("hat", 3)), Draw())


@pytest.mark.parametrize("relief", ["rest", "start"])
def test_the_draw_needs_an_action_left(relief):
    before = lay_out(LINE, options={"relief": relief}, taken=3, deck="skull")
    assert not is_legal(before, Draw())
    assert is_legal(before, End())


def test_relief_ends_the_turn_regardless_of_min_actions():
    before = lay_out(LINE, options={"relief": "rest", "min_actions": 3}, deck="skull")
    assert not is_legal(before, End())
    assert play(before, Draw()).turn_seat == 1


def test_relief_is_legal_even_if_no_card_is_left():
    before = lay_out(LINE, options={"relief": "rest"})
    after, events = play_with_events(before, Draw())
    assert (hand(after, "red"), after.turn_seat) == ("", 1)
    assert [event["type"] for event in events] == ["rested", "turn_passed"]


def test_the_relief_card_comes_from_the_deck_even_where_there_is_a_row():
    after = play(lay_out(LINE, options={"relief": "start"}, row="key key", deck="skull bottle"), Draw())
    assert (hand(after, "red"), row(after), deck(after)) == ("skull", "key key", "bottle")


def test_the_relief_card_comes_from_the_shuffled_discards_before_the_row():
    after = play(lay_out(LINE, options={"relief": "start"}, row="key key", discard="skull"), Draw())
    assert (hand(after, "red"), row(after), after.shuffles) == ("skull", "key key", 1)


def test_with_deck_and_discards_empty_the_relief_card_comes_from_the_row():
    after = play(lay_out(LINE, options={"relief": "start"}, row="hat key"), Draw())
    assert (hand(after, "red"), row(after)) == ("hat", "key")


def test_relief_is_optional_and_not_a_forced_pass():
    before = lay_out(LINE, options={"relief": "rest"}, deck="skull skull", forced_passes=1)
    assert legal_types(before) == {"retreat", "draw"}
    assert play(before, Draw()).forced_passes == 0
    assert play(before, Retreat(3)).turn_seat == 0
