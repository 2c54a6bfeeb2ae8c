"""Winning: looked at as soon as pirates have moved, and then nothing more happens."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, Draw, End, Resign, Retreat
from app.rules.modules.black_magic.hook import Hook
from app.rules.modules.black_magic.parrot import Parrot
from app.rules.modules.black_magic.pistol import Steal
from app.rules.modules.morgan import Morgan
from tests.rules.table import discard, drawn, hand, picture, play, playing, refusal

LAST_STEP = "start:b hat:r key:b goal:r"


def test_a_seat_with_all_its_pirates_at_the_goal_has_won():
    after = play(picture(LAST_STEP, red="key"), Advance("key", 1))
    assert after.winner == 0
    assert drawn(after) == "start:b hat key:b goal:rr"


def test_a_pirate_that_is_still_on_the_way_keeps_the_game_going():
    after = play(picture("start:rb hat:r key:b goal:r", red="key"), Advance("key", 1))
    assert after.winner is None


def test_the_winning_action_counts_and_the_turn_stays_as_it_is():
    after = play(picture(LAST_STEP, red="key", taken=1), Advance("key", 1))
    assert (after.seat, after.taken) == (0, 2)


def test_after_the_win_nothing_is_legal():
    after = play(picture(LAST_STEP, red="key key", blue="hat"), Advance("key", 1))
    assert rules.legal_for_all(after) == []
    assert rules.legal(after, 0) == rules.legal(after, 1) == []
    assert rules.seats_to_act(after) == ()
    assert after.winner is not None


def test_after_the_win_every_action_is_refused():
    after = play(picture(LAST_STEP, red="key key", blue="hat"), Advance("key", 1))
    actions: list[rules.Action] = [
        Advance("key", "goal"),
        Retreat("goal"),
        End(),
        Draw(),
        Resign(),
        Steal("hat"),
        Morgan(1, 1),
    ]
    for action in actions:
        for seat in ("red", "blue"):
            assert refusal(after, action, by=seat) == "game_over"


def test_the_played_card_lies_on_the_discards_after_the_win():
    after = play(picture(LAST_STEP, red="key skull"), Advance("key", 1))
    assert (hand(after, "red"), discard(after)) == ("skull", "key")


def test_nothing_is_owed_after_a_win_with_a_dark_card():
    before = picture(LAST_STEP, red="key*", blue="hat hat hat hat hat hat hat hat")
    after, told = playing(before, Advance("key*", 1))
    assert (after.winner, after.pending) == (0, None)
    assert [event["type"] for event in told] == ["advanced", "game_won"]


@pytest.mark.parametrize("deck", ["", "key hat skull"])
def test_morgan_can_make_the_other_seat_win_and_nobody_draws(deck):
    line = "start:r hat:r key:b goal:b"
    before = picture(line, options={"card_gain": "morgan"}, deck=deck)
    after, told = playing(before, Morgan(1, 2))
    assert (after.winner, after.seat, after.taken) == (1, 0, 1)
    assert hand(after, "red") == ""
    assert [event["type"] for event in told] == ["morgan_moved", "game_won"]


def test_a_win_by_two_parrots():
    before = picture("start:b hook:r rum:b goal:r", red="parrot parrot", options={"black_magic": True})
    after = play(before, Parrot(("parrot", "parrot"), "rum", 1))
    assert (after.winner, after.taken) == (0, 1)


def test_a_win_by_a_hook_with_the_last_two_pirates():
    before = picture("start:b hook:rr rum:b goal:r", red="hook rum*", options={"black_magic": True})
    after = play(before, Hook("hook", "rum*", 1))
    assert (after.winner, after.taken, after.pending) == (0, 2, None)


def test_a_retreat_from_the_goal_takes_a_seat_further_from_winning():
    after = play(picture("start:b hat:r key goal:rr", deck="skull"), Retreat("goal"))
    assert drawn(after) == "start:b hat:rr key goal:r"
    assert after.winner is None


def test_the_last_event_reveals_everything():
    before = picture(LAST_STEP, red="key hat", blue="skull", deck="bottle")
    _, told = playing(before, Advance("key", 1))
    assert told[-1] == {
        "type": "game_won",
        "seat": 0,
        "reason": "goal",
        "seed": before.seed,
        "hands": [["hat"], ["skull"]],
        "deck": ["bottle"],
        "chests": {},
        "chests_aside": [],
    }


def test_places_after_the_winner_go_by_pirates_home_then_spaces_then_cards():
    """docs/interchange.md, the end of a record."""
    by_goal = picture("start:rbb hat:y key:y skull goal:rrb", red="skull skull skull")
    by_goal.winner = 0
    assert rules.places(by_goal) == [1, 2, 3]
    by_spaces = picture("start:r hat:b key:y skull:bb bottle:yy goal:rr")
    by_spaces.winner = 0
    assert rules.places(by_spaces) == [1, 3, 2]
    by_cards = picture("start hat:b key:y hat:y key:b goal:rr", blue="hat", yellow="hat hat")
    by_cards.winner = 0
    by_cards.pirates[1], by_cards.pirates[2] = [1, 4], [2, 3]
    assert rules.places(by_cards) == [1, 3, 2]


def test_equal_seats_share_a_place():
    shared = picture("start:byg hat key goal:rr", green="hat")
    shared.winner = 0
    assert rules.places(shared) == [1, 3, 3, 2]
