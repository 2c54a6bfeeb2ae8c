"""A turn: up to `actions` actions in any order, then an explicit `end`."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End, Resign, Retreat
from tests.rules.layout import is_legal, lay_out, layout_of, legal_types, play, play_with_events, refusal_code

LINE = "start:rrb hat:b key dagger skull bottle goal"


def test_a_seat_mixes_advances_and_retreats_in_any_order():
    before = lay_out(LINE, red="key skull", deck="bottle bottle")
    after = play(before, Advance("key", "start"), Retreat(2), Advance("skull", "start"))
    assert layout_of(after) == "start:b hat:rb key dagger skull:r bottle goal"
    assert after.actions_taken == 3


@pytest.mark.parametrize("actions", [1, 2, 3, 4, 5])
def test_after_the_last_action_only_end_is_left(actions):
    cards = "key dagger skull bottle hat"
    line = "start:rrrrrrb hat key dagger skull bottle goal"
    position = lay_out(line, red=cards, options={"actions": actions})
    for card in cards.split()[:actions]:
        assert legal_types(position) >= {"advance"}
        position = play(position, Advance(card, "start"))
    assert rules.legal(position, 0) == [End()]
    assert refusal_code(position, Advance("hat", "start")) == "illegal"


def test_a_turn_does_not_end_by_itself():
    after = play(lay_out(LINE, red="key", taken=2), Advance("key", "start"))
    assert (after.turn_seat, after.actions_taken) == (0, 3)
    assert rules.seats_to_act(after) == (0,)


def test_ending_the_turn_starts_the_next_seats_turn():
    after, events = play_with_events(lay_out(LINE, taken=2), End())
    assert (after.turn_seat, after.actions_taken, after.captain_used) == (1, 0, False)
    assert events == [{"type": "turn_passed", "seat": 0, "next": 1, "forced": False}]


def test_after_the_last_seat_the_first_follows():
    assert play(lay_out(LINE, turn="blue", taken=1), End()).turn_seat == 0


def test_seats_that_have_resigned_are_skipped():
    line = "start:rbyg hat:r key goal"
    assert play(lay_out(line, taken=1, resigned="blue yellow"), End()).turn_seat == 3
    assert play(lay_out(line, turn="green", taken=1, resigned="red blue"), End()).turn_seat == 2


@pytest.mark.parametrize("least", [0, 1, 2, 3])
def test_end_is_legal_after_min_actions(least):
    for taken in range(4):
        position = lay_out(LINE, red="key skull", taken=taken, options={"min_actions": least})
        assert is_legal(position, End()) == (taken >= least)


@pytest.mark.parametrize("least", [0, 1, 3])
def test_end_is_legal_when_nothing_else_is(least):
    position = lay_out("start:rb hat key goal", options={"min_actions": least})
    assert rules.legal(position, 0) == [End()]


def test_end_is_legal_in_the_middle_of_a_turn_when_nothing_else_is():
    position = lay_out("start:rb hat key goal", options={"min_actions": 3}, red="hat")
    assert rules.legal(play(position, Advance("hat", "start")), 0) == [End()]


def test_resigning_does_not_count_as_something_else_to_do():
    position = lay_out("start:rby hat key goal", options={"min_actions": 1})
    assert rules.legal(position, 0) == [End()]
    assert refusal_code(position, Resign()) == ""


def test_resign_is_never_listed():
    position = lay_out(LINE, red="key skull")
    assert all(not isinstance(action, Resign) for _, action in rules.legal_for_all(position))


def test_only_the_seat_whose_turn_it_is_may_act():
    position = lay_out(LINE, red="key", blue="key", taken=1)
    assert rules.legal(position, 1) == []
    assert refusal_code(position, Advance("key", "start"), by="blue") == "not_your_turn"
    assert refusal_code(position, End(), by="blue") == "not_your_turn"


def test_a_seat_that_is_not_at_the_table_is_refused():
    position = lay_out(LINE, red="key")
    for seat in (-1, 2, 5):
        with pytest.raises(rules.BadSeat):
            rules.apply(position, seat, End())


def test_each_distinct_action_is_listed_once():
    position = lay_out("start:rrrb hat:rr key goal", red="hat hat key key")
    listed = rules.legal(position, 0)
    assert len(listed) == len(set(listed))
