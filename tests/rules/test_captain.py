"""The captain: the first sail of a turn is free for a seat if no other seat has more pirates aboard."""

from __future__ import annotations

from app import rules
from app.rules import Advance, End
from app.rules.modules.complete import Sail
from tests.rules.layout import is_legal, lay_out, play

CAPTAIN = "start:rb chest hook sloop@cartagena:rrb rum pistol goal:b"


def test_the_captain_sails_free():
    after = play(lay_out(CAPTAIN), Sail())
    assert (after.actions_taken, after.captain_used, after.sloop) == (0, True, "tortuga")


def test_a_tie_is_enough_to_be_captain():
    after = play(lay_out("start:rb chest hook sloop@cartagena:rb rum pistol goal"), Sail())
    assert (after.actions_taken, after.captain_used) == (0, True)


def test_a_sail_costs_an_action_with_fewer_aboard_than_another_seat():
    after = play(lay_out("start:rb chest hook sloop@cartagena:rbb rum pistol goal"), Sail())
    assert (after.actions_taken, after.captain_used) == (1, False)


def test_a_sail_costs_an_action_with_no_pirate_aboard():
    after = play(lay_out("start:rb chest hook sloop@tortuga rum pistol goal"), Sail())
    assert (after.actions_taken, after.captain_used, after.sloop) == (1, False, "cartagena")


def test_seats_that_have_resigned_do_not_count():
    line = "start:rby chest hook sloop@cartagena:rbb rum pistol goal"
    after = play(lay_out(line, resigned="blue"), Sail())
    assert (after.actions_taken, after.captain_used) == (0, True)


def test_the_free_sail_comes_before_the_first_action():
    after = play(lay_out(CAPTAIN, taken=1), Sail())
    assert (after.actions_taken, after.captain_used) == (2, False)


def test_the_free_sail_comes_once_a_turn():
    after = play(lay_out(CAPTAIN), Sail(), Sail())
    assert (after.actions_taken, after.captain_used, after.sloop) == (1, True, "cartagena")


def test_the_free_sail_cannot_be_paid_for_instead():
    assert rules.legal(lay_out(CAPTAIN), 0).count(Sail()) == 1


def test_the_free_sail_does_not_count_towards_min_actions():
    before = lay_out(CAPTAIN, red="rum", options={"min_actions": 1})
    assert not is_legal(play(before, Sail()), End())
    assert is_legal(play(before, Sail(), Advance("rum", "sloop")), End())


def test_after_the_free_sail_all_actions_are_left():
    before = lay_out(CAPTAIN, red="chest rum rum rum")
    after = play(before, Sail(), Advance("rum", "sloop"), Advance("rum", "sloop"), Advance("chest", "start"))
    assert (after.actions_taken, rules.legal(after, 0)) == (3, [End()])


def test_the_captain_sails_free_from_tortuga_if_a_pirate_is_left_behind():
    after = play(lay_out("start:rb chest hook sloop@tortuga:r rum pistol goal"), Sail())
    assert (after.actions_taken, after.captain_used, after.sloop) == (0, True, "cartagena")


def test_the_conditions_of_a_sail_still_hold():
    assert not is_legal(lay_out("start:b chest hook sloop@tortuga:rr rum pistol goal"), Sail())


def test_the_next_turn_begins_with_a_fresh_captain():
    after = play(lay_out(CAPTAIN, options={"min_actions": 0}), Sail(), End())
    assert (after.turn_seat, after.captain_used) == (1, False)
