"""Resigning without a pending choice, and the pirates of a resigned seat."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End, Resign, Retreat
from app.rules.modules.black_magic.pistol import AimPistol
from app.rules.modules.morgan import MoveWithMorgan
from tests.rules.layout import (
    COLOURS,
    discard,
    hand,
    is_legal,
    lay_out,
    layout_of,
    play,
    play_with_events,
    refusal_code,
)

LINE = "start:rby hat:r key:b skull:y goal"


@pytest.mark.parametrize("colour", COLOURS[:3])
@pytest.mark.parametrize("turn", COLOURS[:3])
def test_any_seat_still_in_may_resign_at_any_time(colour, turn):
    after = play(lay_out(LINE, turn=turn), Resign(), by=colour)
    assert after.resigned == tuple(colour == other for other in COLOURS[:3])
    assert after.winner is None


def test_a_seat_resigns_only_once():
    after = play(lay_out(LINE), Resign(), by="blue")
    assert refusal_code(after, Resign(), by="blue") == "illegal"


def test_the_hand_of_a_resigned_seat_goes_on_the_discards_in_text_order():
    before = lay_out(LINE, blue="skull bottle key bottle", discard="hat")
    after, events = play_with_events(before, Resign(), by="blue")
    assert (hand(after, "blue"), discard(after)) == ("", "hat bottle bottle key skull")
    assert events == [{"type": "resigned", "seat": 1, "cards": ["bottle", "bottle", "key", "skull"]}]


def test_resigning_in_ones_own_turn_starts_the_next_seats_turn():
    after, events = play_with_events(lay_out(LINE, taken=2, captain_used=True), Resign())
    assert (after.turn_seat, after.actions_taken, after.captain_used) == (1, 0, False)
    assert events[-1] == {"type": "turn_passed", "seat": 0, "next": 1, "forced": False}


def test_resigning_in_another_seats_turn_leaves_that_turn_unchanged():
    after = play(lay_out(LINE, taken=2), Resign(), by="blue")
    assert (after.turn_seat, after.actions_taken) == (0, 2)


def test_when_one_seat_is_left_it_wins_and_the_turn_stays():
    before = lay_out("start:rb hat key goal", taken=2, red="hat key", blue="skull")
    after, events = play_with_events(before, Resign())
    assert (after.winner, after.turn_seat, after.actions_taken) == (1, 0, 2)
    assert discard(after) == "hat key"
    assert [event["type"] for event in events] == ["resigned", "game_won"]
    assert events[-1]["reason"] == "resigned"


def test_the_last_seat_wins_when_the_others_have_resigned():
    before = lay_out("start:rbyg hat key goal", resigned="red green")
    before.turn_seat = 1
    assert play(before, Resign(), by="yellow").winner == 1
    assert play(before, Resign(), by="blue").winner == 2


def test_a_seat_that_has_resigned_is_skipped_and_cannot_act():
    position = play(lay_out(LINE, taken=1), Resign(), by="blue")
    assert refusal_code(position, End(), by="blue") == "not_your_turn"
    assert play(position, End()).turn_seat == 2


def test_pirates_of_a_resigned_seat_stay():
    assert layout_of(play(lay_out(LINE), Resign(), by="blue")) == LINE


def test_pirates_of_a_resigned_seat_occupy_their_spaces():
    before = lay_out("start:ry hat:b key hat goal", resigned="blue", red="hat")
    assert layout_of(play(before, Advance("hat", "start"))) == "start:y hat:b key hat:r goal"


def test_pirates_of_a_resigned_seat_are_company():
    before = lay_out("start:ry hat:b key:r hat goal", resigned="blue", deck="skull")
    assert hand(play(before, Retreat(2)), "red") == "skull"


def test_pirates_of_a_resigned_seat_cannot_be_moved_by_morgan():
    before = lay_out("start:ry hat:b key:y skull:r goal", resigned="blue", options={"card_gain": "morgan"})
    assert not is_legal(before, MoveWithMorgan(1, 1))
    assert is_legal(before, MoveWithMorgan(2, 2))


def test_a_resigned_seat_cannot_be_robbed():
    before = lay_out(
        "start:rby hook rum goal", resigned="blue", red="pistol", yellow="rum", options={"black_magic": True}
    )
    assert not is_legal(before, AimPistol("pistol", 1))
    assert is_legal(before, AimPistol("pistol", 2))


def test_a_resigned_seat_cannot_win():
    position = lay_out("start:ry hat key goal:b", resigned="blue", taken=1)
    assert position.winner is None
    assert rules.legal(position, 0) == [End()]


def test_a_missing_seat_cannot_resign():
    with pytest.raises(rules.BadSeat):
        rules.apply(lay_out(LINE), 7, Resign())
