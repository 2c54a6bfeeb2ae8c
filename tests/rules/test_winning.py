"""Winning: checked right after pirates move, and nothing happens afterwards."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, Draw, End, Resign, Retreat
from app.rules.modules.black_magic.hook import AdvanceWithHook
from app.rules.modules.black_magic.parrot import AdvanceWithParrots
from app.rules.modules.black_magic.pistol import Steal
from app.rules.modules.morgan import MoveWithMorgan
from tests.rules.layout import discard, hand, lay_out, layout_of, play, play_with_events, refusal_code

LAST_STEP = "start:b hat:r key:b goal:r"


def test_a_seat_with_all_its_pirates_at_the_goal_has_won():
    after = play(lay_out(LAST_STEP, red="key"), Advance("key", 1))
    assert after.winner == 0
    assert layout_of(after) == "start:b hat key:b goal:rr"


def test_a_pirate_that_is_still_on_the_way_keeps_the_game_going():
    after = play(lay_out("start:rb hat:r key:b goal:r", red="key"), Advance("key", 1))
    assert after.winner is None


def test_the_winning_action_counts_and_the_turn_stays_as_it_is():
    after = play(lay_out(LAST_STEP, red="key", taken=1), Advance("key", 1))
    assert (after.turn_seat, after.actions_taken) == (0, 2)


def test_after_the_win_nothing_is_legal():
    after = play(lay_out(LAST_STEP, red="key key", blue="hat"), Advance("key", 1))
    assert rules.legal_for_all(after) == []
    assert rules.legal(after, 0) == rules.legal(after, 1) == []
    assert rules.seats_to_act(after) == ()
    assert after.winner is not None


def test_after_the_win_every_action_is_refused():
    after = play(lay_out(LAST_STEP, red="key key", blue="hat"), Advance("key", 1))
    actions: list[rules.Action] = [
        Advance("key", "goal"),
        Retreat("goal"),
        End(),
        Draw(),
        Resign(),
        Steal("hat"),
        MoveWithMorgan(1, 1),
    ]
    for action in actions:
        for seat in ("red", "blue"):
            assert refusal_code(after, action, by=seat) == "game_over"


def test_the_played_card_lies_on_the_discards_after_the_win():
    after = play(lay_out(LAST_STEP, red="key skull"), Advance("key", 1))
    assert (hand(after, "red"), discard(after)) == ("skull", "key")


def test_a_win_with_a_dark_card_requires_no_discards():
    before = lay_out(LAST_STEP, red="key*", blue="hat hat hat hat hat hat hat hat")
    after, events = play_with_events(before, Advance("key*", 1))
    assert (after.winner, after.pending) == (0, None)
    assert [event["type"] for event in events] == ["advanced", "game_won"]


@pytest.mark.parametrize("deck", ["", "key hat skull"])
def test_morgan_can_make_the_other_seat_win_without_drawing(deck):
    line = "start:r hat:r key:b goal:b"
    before = lay_out(line, options={"card_gain": "morgan"}, deck=deck)
    after, events = play_with_events(before, MoveWithMorgan(1, 2))
    assert (after.winner, after.turn_seat, after.actions_taken) == (1, 0, 1)
    assert hand(after, "red") == ""
    assert [event["type"] for event in events] == ["morgan_moved", "game_won"]


def test_a_win_by_two_parrots():
    before = lay_out("start:b hook:r rum:b goal:r", red="parrot parrot", options={"black_magic": True})
    after = play(before, AdvanceWithParrots(("parrot", "parrot"), "rum", 1))
    assert (after.winner, after.actions_taken) == (0, 1)


def test_a_win_by_a_hook_with_the_last_two_pirates():
    before = lay_out("start:b hook:rr rum:b goal:r", red="hook rum*", options={"black_magic": True})
    after = play(before, AdvanceWithHook("hook", "rum*", 1))
    assert (after.winner, after.actions_taken, after.pending) == (0, 2, None)


def test_a_retreat_from_the_goal_takes_a_seat_further_from_winning():
    after = play(lay_out("start:b hat:r key goal:rr", deck="skull"), Retreat("goal"))
    assert layout_of(after) == "start:b hat:rr key goal:r"
    assert after.winner is None


def test_the_last_event_reveals_everything():
    before = lay_out(LAST_STEP, red="key hat", blue="skull", deck="bottle")
    _, events = play_with_events(before, Advance("key", 1))
    assert events[-1] == {
        "type": "game_won",
        "seat": 0,
        "reason": "goal",
        "seed": before.seed,
        "hands": [["hat"], ["skull"]],
        "deck": ["bottle"],
        "chests": {},
        "chests_aside": [],
    }


def test_places_are_decided_by_pirates_at_the_goal_then_spaces_then_cards():
    """See docs/interchange.md, the result of a record."""
    by_goal = lay_out("start:rbb hat:y key:y skull goal:rrb", red="skull skull skull")
    by_goal.winner = 0
    assert rules.finishing_places(by_goal) == [1, 2, 3]
    by_spaces = lay_out("start:r hat:b key:y skull:bb bottle:yy goal:rr")
    by_spaces.winner = 0
    assert rules.finishing_places(by_spaces) == [1, 3, 2]
    by_cards = lay_out("start hat:b key:y hat:y key:b goal:rr", blue="hat", yellow="hat hat")
    by_cards.winner = 0
    by_cards.pirates[1], by_cards.pirates[2] = [1, 4], [2, 3]
    assert rules.finishing_places(by_cards) == [1, 3, 2]


def test_equal_seats_share_a_place():
    shared = lay_out("start:byg hat key goal:rr", green="hat")
    shared.winner = 0
    assert rules.finishing_places(shared) == [1, 3, 3, 2]
