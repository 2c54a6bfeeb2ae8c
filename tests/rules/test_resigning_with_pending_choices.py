"""Resigning with a pending choice: it is settled first, in the order (a) to (f) of the rules."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Resign
from app.rules.modules.black_magic.lantern import PendingStack
from app.rules.modules.black_magic.pistol import PendingSteal
from app.rules.modules.black_magic.rum import PendingShare, Share
from app.rules.modules.scoundrels import Discard, PendingDiscards
from tests.rules.layout import deck, discard, hand, lay_out, play, play_with_events

LINE = "start:rbyg hook rum goal"
MAGIC = {"black_magic": True, "scoundrels": True}
EIGHT = "chest chest hook lantern lantern parrot rum rum"
CHEST, HOOK, LANTERN, PARROT, PISTOL, RUM = 0, 2, 4, 6, 8, 10
"""Kinds of the light cards in a game with dark cards."""


def magic(line=LINE, **more):
    return lay_out(line, taken=1, options=MAGIC, **more)


def types(events):
    return [event["type"] for event in events]


# --- (a) the pending choice of the seat is settled


def test_a_thief_takes_the_lowest_card_as_text_and_the_victim_draws():
    before = magic(
        pending=PendingSteal(0, 2, False), red="rum", yellow="parrot hook", deck="pistol", discard="lantern"
    )
    after, events = play_with_events(before, Resign(), by="red")
    assert hand(after, "yellow") == "parrot pistol"
    assert discard(after) == "lantern hook rum"
    assert types(events) == ["card_stolen", "cards_drawn", "resigned", "turn_passed"]
    assert (after.pending, after.turn_seat) == (None, 1)


def test_a_stack_keeps_the_lowest_and_puts_the_others_back_ascending():
    before = magic(pending=PendingStack(0, (HOOK, LANTERN, RUM, RUM), False), red="parrot", deck="chest")
    after, events = play_with_events(before, Resign(), by="red")
    assert deck(after) == "lantern rum rum chest"
    assert discard(after) == "hook parrot"
    assert types(events) == ["cards_stacked", "resigned", "turn_passed"]


def test_a_share_keeps_the_lowest_and_gives_the_others_ascending_by_seat():
    before = magic(pending=PendingShare(0, (CHEST, HOOK, LANTERN, PARROT, RUM), False), red="pistol")
    after, events = play_with_events(before, Resign(), by="red")
    assert [hand(after, colour) for colour in ("blue", "yellow", "green")] == ["lantern", "parrot", "rum"]
    assert discard(after) == "chest hook pistol"
    assert types(events) == ["cards_shared", "resigned", "turn_passed"]


def test_a_share_counts_only_the_other_seats_still_in():
    before = magic(
        pending=PendingShare(0, (CHEST, HOOK, LANTERN, PARROT, RUM), False), red="pistol", resigned="yellow"
    )
    after = play(before, Resign(), by="red")
    assert [hand(after, colour) for colour in ("blue", "yellow", "green")] == ["parrot", "", "rum"]
    assert discard(after) == "chest hook lantern pistol"


def test_pending_discards_are_settled_with_the_lowest_cards():
    before = magic(pending=PendingDiscards(((1, 1), (2, 2))), blue=EIGHT, yellow=EIGHT + " rum*")
    after, events = play_with_events(before, Resign(), by="blue")
    assert discard(after) == EIGHT
    assert after.pending == PendingDiscards(((2, 2),))
    assert types(events) == ["cards_discarded", "resigned"]
    assert events[0]["cards"] == ["chest"]


def test_settling_the_last_discard_lets_the_turn_go_on():
    before = magic(pending=PendingDiscards(((1, 1),)), blue=EIGHT)
    after = play(before, Resign(), by="blue")
    assert (after.pending, after.turn_seat, after.actions_taken) == (None, 0, 1)
    assert rules.seats_to_act(after) == (0,)


@pytest.mark.parametrize(
    "pending",
    [
        PendingSteal(0, 1, True),
        PendingShare(0, (CHEST, CHEST, CHEST, CHEST, RUM), True),
        PendingStack(0, (RUM,), True),
    ],
)
def test_a_dark_cards_consequence_follows_as_usual(pending):
    before = magic(pending=pending, blue=EIGHT, yellow=EIGHT + " rum", green="hook", deck="rum rum rum")
    after, events = play_with_events(before, Resign(), by="red")
    assert isinstance(after.pending, PendingDiscards)
    owed = dict(after.pending.owed)
    shared = 1 if isinstance(pending, PendingShare) else 0
    assert owed == {1: 1 + shared, 2: 2 + shared}
    assert after.turn_seat == 1, "(f) the next seat begins a fresh turn even while discards are owed."
    assert after.actions_taken == 0
    assert types(events)[-3:] == ["discard_owed", "resigned", "turn_passed"]


def test_the_resigning_seat_need_not_discard_for_its_own_dark_card():
    before = magic(pending=PendingStack(0, (RUM,), True), red=EIGHT)
    after = play(before, Resign(), by="red")
    assert after.pending is None


# --- (b) a steal from the seat lapses


def test_a_steal_from_a_resigning_seat_lapses_without_cards_moving():
    before = magic(pending=PendingSteal(0, 2, False), red="rum", yellow="parrot hook", deck="pistol")
    after, events = play_with_events(before, Resign(), by="yellow")
    assert (hand(after, "red"), hand(after, "yellow"), deck(after)) == ("rum", "", "pistol")
    assert discard(after) == "hook parrot"
    assert (after.pending, after.turn_seat, after.actions_taken) == (None, 0, 1)
    assert types(events) == ["steal_lapsed", "resigned"]


def test_after_a_lapsed_steal_a_dark_cards_consequence_still_follows():
    before = magic(pending=PendingSteal(0, 2, True), blue=EIGHT, yellow="parrot hook")
    after = play(before, Resign(), by="yellow")
    assert after.pending == PendingDiscards(((1, 1),))
    assert rules.seats_to_act(after) == (1,)


def test_a_resigned_victim_need_not_discard():
    before = magic(pending=PendingSteal(0, 2, True), yellow=EIGHT)
    after = play(before, Resign(), by="yellow")
    assert after.pending is None
    assert discard(after) == EIGHT


def test_a_steal_between_other_seats_stays_pending():
    before = magic(pending=PendingSteal(0, 2, False), yellow="parrot", blue="hook")
    after = play(before, Resign(), by="blue")
    assert after.pending == PendingSteal(0, 2, False)
    assert rules.seats_to_act(after) == (0,)


# --- a pending choice of another seat


def test_after_a_resignation_a_share_goes_to_the_seats_still_in():
    before = magic(pending=PendingShare(0, (CHEST, HOOK, LANTERN, PARROT, RUM), False), yellow="rum")
    after = play(before, Resign(), by="yellow")
    listed = rules.legal(after, 0)
    assert all(isinstance(action, Share) for action in listed)
    assert Share(("chest", "hook", "lantern"), ((1, "parrot"), (3, "rum"))) in listed
    shared = play(after, Share(("chest", "hook", "lantern"), ((1, "rum"), (3, "parrot"))))
    assert [hand(shared, seat) for seat in ("red", "blue", "green")] == [
        "chest hook lantern",
        "rum",
        "parrot",
    ]


def test_a_pending_stack_is_unchanged_by_another_seats_resignation():
    before = magic(pending=PendingStack(0, (HOOK, RUM), False), yellow="rum")
    assert play(before, Resign(), by="yellow").pending == PendingStack(0, (HOOK, RUM), False)


# --- (d) forced passes, (e) one seat left


def test_resigning_resets_the_forced_passes():
    before = magic(pending=PendingDiscards(((1, 1),)), blue=EIGHT, forced_passes=2)
    assert play(before, Resign(), by="yellow").forced_passes == 0


def test_with_one_seat_left_pending_cards_go_on_the_discards_in_text_order():
    before = magic(
        "start:rb hook rum goal",
        pending=PendingShare(0, (HOOK, LANTERN, RUM), False),
        blue="rum chest",
        discard="parrot",
    )
    after, events = play_with_events(before, Resign(), by="blue")
    assert (after.winner, after.pending, after.turn_seat, after.actions_taken) == (0, None, 0, 1)
    assert discard(after) == "parrot chest rum hook lantern rum"
    assert types(events) == ["resigned", "pending_discarded", "game_won"]


def test_a_resigning_chooser_settles_before_the_last_seat_wins():
    before = magic("start:rb hook rum goal", pending=PendingStack(0, (HOOK, LANTERN), False), red="rum")
    after = play(before, Resign(), by="red")
    assert (after.winner, deck(after), discard(after)) == (1, "lantern", "hook rum")


def test_the_pending_choice_of_the_last_seat_is_dropped():
    before = magic("start:rb hook rum goal", pending=PendingDiscards(((1, 1),)), red="rum", blue=EIGHT)
    after = play(before, Resign(), by="red")
    assert (after.winner, after.pending, hand(after, "blue")) == (1, None, EIGHT)


def test_discards_stay_pending_after_the_seat_whose_turn_it_is_resigns():
    before = magic(pending=PendingDiscards(((2, 1),)), yellow=EIGHT)
    left = play(before, Resign(), by="red")
    assert (left.turn_seat, rules.seats_to_act(left)) == (1, (2,))
    after = play(left, Discard(("hook",)))
    assert (after.pending, after.turn_seat, rules.seats_to_act(after)) == (None, 1, (1,))
