"""The captain: the first sail of a turn is free for whoever has most aboard."""

from __future__ import annotations

from app import rules
from app.rules import Advance, End
from app.rules.modules.complete import Sail
from tests.rules.table import may, picture, play

CAPTAIN = "start:rb chest hook sloop@cartagena:rrb rum pistol goal:b"


def test_the_captain_sails_free():
    after = play(picture(CAPTAIN), Sail())
    assert (after.taken, after.captain_used, after.sloop) == (0, True, "tortuga")


def test_a_tie_is_enough():
    after = play(picture("start:rb chest hook sloop@cartagena:rb rum pistol goal"), Sail())
    assert (after.taken, after.captain_used) == (0, True)


def test_with_fewer_aboard_than_another_the_sail_is_paid():
    after = play(picture("start:rb chest hook sloop@cartagena:rbb rum pistol goal"), Sail())
    assert (after.taken, after.captain_used) == (1, False)


def test_with_nobody_aboard_the_sail_is_paid():
    after = play(picture("start:rb chest hook sloop@tortuga rum pistol goal"), Sail())
    assert (after.taken, after.captain_used, after.sloop) == (1, False, "cartagena")


def test_seats_that_have_resigned_do_not_count():
    line = "start:rby chest hook sloop@cartagena:rbb rum pistol goal"
    after = play(picture(line, resigned="blue"), Sail())
    assert (after.taken, after.captain_used) == (0, True)


def test_only_before_the_first_action():
    after = play(picture(CAPTAIN, taken=1), Sail())
    assert (after.taken, after.captain_used) == (2, False)


def test_only_once_a_turn():
    after = play(picture(CAPTAIN), Sail(), Sail())
    assert (after.taken, after.captain_used, after.sloop) == (1, True, "cartagena")


def test_the_free_sail_cannot_be_paid_for_instead():
    assert rules.legal(picture(CAPTAIN), 0).count(Sail()) == 1


def test_the_free_sail_does_not_count_for_the_least_number_of_actions():
    before = picture(CAPTAIN, red="rum", options={"min_actions": 1})
    assert not may(play(before, Sail()), End())
    assert may(play(before, Sail(), Advance("rum", "sloop")), End())


def test_after_the_free_sail_all_actions_are_left():
    before = picture(CAPTAIN, red="chest rum rum rum")
    after = play(before, Sail(), Advance("rum", "sloop"), Advance("rum", "sloop"), Advance("chest", "start"))
    assert (after.taken, rules.legal(after, 0)) == (3, [End()])


def test_the_captain_sails_free_from_tortuga_too_if_somebody_waits_behind():
    after = play(picture("start:rb chest hook sloop@tortuga:r rum pistol goal"), Sail())
    assert (after.taken, after.captain_used, after.sloop) == (0, True, "cartagena")


def test_the_conditions_of_a_sail_still_hold():
    assert not may(picture("start:b chest hook sloop@tortuga:rr rum pistol goal"), Sail())


def test_the_next_turn_begins_with_a_fresh_captain():
    after = play(picture(CAPTAIN, options={"min_actions": 0}), Sail(), End())
    assert (after.seat, after.captain_used) == (1, False)
