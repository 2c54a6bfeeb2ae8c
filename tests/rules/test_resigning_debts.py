"""Resigning with debts: what the seat owes is settled first, in the order (a) to (f)."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Resign
from app.rules.modules.black_magic.lantern import OwedStack
from app.rules.modules.black_magic.pistol import OwedSteal
from app.rules.modules.black_magic.rum import OwedShare, Share
from app.rules.modules.scoundrels import Discard, OwedDiscards
from tests.rules.table import deck, discard, hand, picture, play, playing

LINE = "start:rbyg hook rum goal"
MAGIC = {"black_magic": True, "scoundrels": True}
EIGHT = "chest chest hook lantern lantern parrot rum rum"
CHEST, HOOK, LANTERN, PARROT, PISTOL, RUM = 0, 2, 4, 6, 8, 10
"""The light cards by their number, where each symbol has a dark one beside it."""


def magic(line=LINE, **more):
    return picture(line, taken=1, options=MAGIC, **more)


def types(told):
    return [event["type"] for event in told]


# --- (a) what the seat owes is settled


def test_a_thief_takes_the_lowest_card_as_text_and_the_victim_draws():
    before = magic(
        pending=OwedSteal(0, 2, False), red="rum", yellow="parrot hook", deck="pistol", discard="lantern"
    )
    after, told = playing(before, Resign(), by="red")
    assert hand(after, "yellow") == "parrot pistol"
    assert discard(after) == "lantern hook rum"
    assert types(told) == ["card_stolen", "cards_drawn", "resigned", "turn_passed"]
    assert (after.pending, after.seat) == (None, 1)


def test_a_stack_keeps_the_lowest_and_puts_the_others_back_ascending():
    before = magic(pending=OwedStack(0, (HOOK, LANTERN, RUM, RUM), False), red="parrot", deck="chest")
    after, told = playing(before, Resign(), by="red")
    assert deck(after) == "lantern rum rum chest"
    assert discard(after) == "hook parrot"
    assert types(told) == ["cards_stacked", "resigned", "turn_passed"]


def test_a_share_keeps_the_lowest_and_gives_the_others_ascending_by_seat():
    before = magic(pending=OwedShare(0, (CHEST, HOOK, LANTERN, PARROT, RUM), False), red="pistol")
    after, told = playing(before, Resign(), by="red")
    assert [hand(after, colour) for colour in ("blue", "yellow", "green")] == ["lantern", "parrot", "rum"]
    assert discard(after) == "chest hook pistol"
    assert types(told) == ["cards_shared", "resigned", "turn_passed"]


def test_a_share_counts_only_the_other_seats_still_in():
    before = magic(
        pending=OwedShare(0, (CHEST, HOOK, LANTERN, PARROT, RUM), False), red="pistol", resigned="yellow"
    )
    after = play(before, Resign(), by="red")
    assert [hand(after, colour) for colour in ("blue", "yellow", "green")] == ["parrot", "", "rum"]
    assert discard(after) == "chest hook lantern pistol"


def test_owed_discards_are_the_lowest_cards():
    before = magic(pending=OwedDiscards(((1, 1), (2, 2))), blue=EIGHT, yellow=EIGHT + " rum*")
    after, told = playing(before, Resign(), by="blue")
    assert discard(after) == EIGHT
    assert after.pending == OwedDiscards(((2, 2),))
    assert types(told) == ["cards_discarded", "resigned"]
    assert told[0]["cards"] == ["chest"]


def test_the_last_debt_paid_by_resigning_lets_the_turn_go_on():
    before = magic(pending=OwedDiscards(((1, 1),)), blue=EIGHT)
    after = play(before, Resign(), by="blue")
    assert (after.pending, after.seat, after.taken) == (None, 0, 1)
    assert rules.seats_to_act(after) == (0,)


@pytest.mark.parametrize(
    "pending",
    [
        OwedSteal(0, 1, True),
        OwedShare(0, (CHEST, CHEST, CHEST, CHEST, RUM), True),
        OwedStack(0, (RUM,), True),
    ],
)
def test_a_dark_cards_consequence_follows_as_usual(pending):
    before = magic(pending=pending, blue=EIGHT, yellow=EIGHT + " rum", green="hook", deck="rum rum rum")
    after, told = playing(before, Resign(), by="red")
    assert isinstance(after.pending, OwedDiscards)
    owed = dict(after.pending.owed)
    shared = 1 if isinstance(pending, OwedShare) else 0
    assert owed == {1: 1 + shared, 2: 2 + shared}
    assert after.seat == 1, "(f) the next seat begins a fresh turn even while discards are owed."
    assert after.taken == 0
    assert types(told)[-3:] == ["discard_owed", "resigned", "turn_passed"]


def test_the_seat_that_resigns_does_not_owe_for_its_own_dark_card():
    before = magic(pending=OwedStack(0, (RUM,), True), red=EIGHT)
    after = play(before, Resign(), by="red")
    assert after.pending is None


# --- (b) a steal from it lapses


def test_a_steal_from_the_seat_lapses_nobody_takes_or_draws():
    before = magic(pending=OwedSteal(0, 2, False), red="rum", yellow="parrot hook", deck="pistol")
    after, told = playing(before, Resign(), by="yellow")
    assert (hand(after, "red"), hand(after, "yellow"), deck(after)) == ("rum", "", "pistol")
    assert discard(after) == "hook parrot"
    assert (after.pending, after.seat, after.taken) == (None, 0, 1)
    assert types(told) == ["steal_lapsed", "resigned"]


def test_after_a_lapsed_steal_a_dark_cards_consequence_still_follows():
    before = magic(pending=OwedSteal(0, 2, True), blue=EIGHT, yellow="parrot hook")
    after = play(before, Resign(), by="yellow")
    assert after.pending == OwedDiscards(((1, 1),))
    assert rules.seats_to_act(after) == (1,)


def test_the_victim_itself_owes_nothing_once_it_is_gone():
    before = magic(pending=OwedSteal(0, 2, True), yellow=EIGHT)
    after = play(before, Resign(), by="yellow")
    assert after.pending is None
    assert discard(after) == EIGHT


def test_a_steal_between_others_stands():
    before = magic(pending=OwedSteal(0, 2, False), yellow="parrot", blue="hook")
    after = play(before, Resign(), by="blue")
    assert after.pending == OwedSteal(0, 2, False)
    assert rules.seats_to_act(after) == (0,)


# --- a standing share when somebody else leaves


def test_in_a_standing_share_the_chooser_gives_to_those_still_in_and_keeps_the_rest():
    before = magic(pending=OwedShare(0, (CHEST, HOOK, LANTERN, PARROT, RUM), False), yellow="rum")
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


def test_a_standing_stack_is_untouched():
    before = magic(pending=OwedStack(0, (HOOK, RUM), False), yellow="rum")
    assert play(before, Resign(), by="yellow").pending == OwedStack(0, (HOOK, RUM), False)


# --- (d) forced passes, (e) one seat left


def test_forced_passes_become_nothing():
    before = magic(pending=OwedDiscards(((1, 1),)), blue=EIGHT, forced_passes=2)
    assert play(before, Resign(), by="yellow").forced_passes == 0


def test_with_one_seat_left_pending_cards_go_on_the_discards_in_text_order():
    before = magic(
        "start:rb hook rum goal",
        pending=OwedShare(0, (HOOK, LANTERN, RUM), False),
        blue="rum chest",
        discard="parrot",
    )
    after, told = playing(before, Resign(), by="blue")
    assert (after.winner, after.pending, after.seat, after.taken) == (0, None, 0, 1)
    assert discard(after) == "parrot chest rum hook lantern rum"
    assert types(told) == ["resigned", "pending_discarded", "game_won"]


def test_with_one_seat_left_a_chooser_that_resigns_has_settled_first():
    before = magic("start:rb hook rum goal", pending=OwedStack(0, (HOOK, LANTERN), False), red="rum")
    after = play(before, Resign(), by="red")
    assert (after.winner, deck(after), discard(after)) == (1, "lantern", "hook rum")


def test_with_one_seat_left_its_own_debt_is_gone():
    before = magic("start:rb hook rum goal", pending=OwedDiscards(((1, 1),)), red="rum", blue=EIGHT)
    after = play(before, Resign(), by="red")
    assert (after.winner, after.pending, hand(after, "blue")) == (1, None, EIGHT)


def test_debts_are_still_paid_after_the_one_in_turn_has_left():
    before = magic(pending=OwedDiscards(((2, 1),)), yellow=EIGHT)
    left = play(before, Resign(), by="red")
    assert (left.seat, rules.seats_to_act(left)) == (1, (2,))
    after = play(left, Discard(("hook",)))
    assert (after.pending, after.seat, rules.seats_to_act(after)) == (None, 1, (1,))
