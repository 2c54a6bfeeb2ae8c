"""Resigning when nothing is owed, and what a resigned seat's pirates still do."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End, Resign, Retreat
from app.rules.modules.black_magic.pistol import Pistol
from app.rules.modules.morgan import Morgan
from tests.rules.table import COLOURS, discard, drawn, hand, may, picture, play, playing, refusal

LINE = "start:rby hat:r key:b skull:y goal"


@pytest.mark.parametrize("colour", COLOURS[:3])
@pytest.mark.parametrize("turn", COLOURS[:3])
def test_any_seat_still_in_may_resign_at_any_time(colour, turn):
    after = play(picture(LINE, turn=turn), Resign(), by=colour)
    assert after.resigned == tuple(colour == other for other in COLOURS[:3])
    assert after.winner is None


def test_a_seat_resigns_only_once():
    after = play(picture(LINE), Resign(), by="blue")
    assert refusal(after, Resign(), by="blue") == "illegal"


def test_its_hand_goes_on_the_discards_in_text_order():
    before = picture(LINE, blue="skull bottle key bottle", discard="hat")
    after, told = playing(before, Resign(), by="blue")
    assert (hand(after, "blue"), discard(after)) == ("", "hat bottle bottle key skull")
    assert told == [{"type": "resigned", "seat": 1, "cards": ["bottle", "bottle", "key", "skull"]}]


def test_in_its_own_turn_the_next_seat_still_in_begins_a_fresh_turn():
    after, told = playing(picture(LINE, taken=2, captain_used=True), Resign())
    assert (after.seat, after.taken, after.captain_used) == (1, 0, False)
    assert told[-1] == {"type": "turn_passed", "seat": 0, "next": 1, "forced": False}


def test_in_anothers_turn_that_turn_goes_on_as_it_was():
    after = play(picture(LINE, taken=2), Resign(), by="blue")
    assert (after.seat, after.taken) == (0, 2)


def test_when_one_seat_is_left_it_wins_and_the_turn_stays():
    before = picture("start:rb hat key goal", taken=2, red="hat key", blue="skull")
    after, told = playing(before, Resign())
    assert (after.winner, after.seat, after.taken) == (1, 0, 2)
    assert discard(after) == "hat key"
    assert [event["type"] for event in told] == ["resigned", "game_won"]
    assert told[-1]["reason"] == "resigned"


def test_the_last_but_one_of_many_seats_hands_the_win_to_the_last():
    before = picture("start:rbyg hat key goal", resigned="red green")
    before.seat = 1
    assert play(before, Resign(), by="yellow").winner == 1
    assert play(before, Resign(), by="blue").winner == 2


def test_a_seat_that_has_resigned_is_skipped_and_cannot_act():
    position = play(picture(LINE, taken=1), Resign(), by="blue")
    assert refusal(position, End(), by="blue") == "not_your_turn"
    assert play(position, End()).seat == 2


def test_its_pirates_stay_where_they_stand():
    assert drawn(play(picture(LINE), Resign(), by="blue")) == LINE


def test_its_pirates_still_occupy_their_spaces():
    before = picture("start:ry hat:b key hat goal", resigned="blue", red="hat")
    assert drawn(play(before, Advance("hat", "start"))) == "start:y hat:b key hat:r goal"


def test_its_pirates_are_still_company():
    before = picture("start:ry hat:b key:r hat goal", resigned="blue", deck="skull")
    assert hand(play(before, Retreat(2)), "red") == "skull"


def test_its_pirates_cannot_be_moved_by_morgan():
    before = picture("start:ry hat:b key:y skull:r goal", resigned="blue", options={"card_gain": "morgan"})
    assert not may(before, Morgan(1, 1))
    assert may(before, Morgan(2, 2))


def test_it_cannot_be_robbed():
    before = picture(
        "start:rby hook rum goal", resigned="blue", red="pistol", yellow="rum", options={"black_magic": True}
    )
    assert not may(before, Pistol("pistol", 1))
    assert may(before, Pistol("pistol", 2))


def test_it_cannot_win_any_more():
    position = picture("start:ry hat key goal:b", resigned="blue", taken=1)
    assert position.winner is None
    assert rules.legal(position, 0) == [End()]


def test_resigning_is_refused_for_a_seat_that_is_not_there():
    with pytest.raises(rules.BadSeat):
        rules.apply(picture(LINE), 7, Resign())
