"""Black magic with cards: the pistol steals, the rum is shared, the lantern looks ahead."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End
from app.rules.modules.black_magic.lantern import Lantern, OwedStack, Stack
from app.rules.modules.black_magic.pistol import OwedSteal, Pistol, Steal
from app.rules.modules.black_magic.rum import OwedShare, Rum, Share
from tests.rules.table import deck, discard, hand, may, picture, play, playing, refusal

LINE = "start:rby hook rum goal"


def magic(line=LINE, **more):
    return picture(line, options={"black_magic": True} | more.pop("options", {}), **more)


def names(position, cards):
    return [position.ruleset.kinds.names[card] for card in cards]


# --- pistol


def test_a_pistol_looks_at_a_hand_and_takes_one_card_of_it():
    before = magic(red="pistol hook", yellow="rum chest", deck="lantern")
    aimed = play(before, Pistol("pistol", 2))
    assert aimed.pending == OwedSteal(0, 2, False)
    assert (aimed.taken, discard(aimed), hand(aimed, "red")) == (1, "pistol", "hook")
    assert rules.legal(aimed, 0) == [Steal("chest"), Steal("rum")]
    after = play(aimed, Steal("rum"))
    assert hand(after, "red") == "hook rum"


def test_the_victim_then_draws_one():
    before = magic(red="pistol", yellow="rum chest", deck="lantern parrot")
    after, told = playing(before, Pistol("pistol", 2), Steal("rum"))
    assert (hand(after, "yellow"), deck(after)) == ("chest lantern", "parrot")
    assert [event["type"] for event in told] == ["pistol_aimed", "card_stolen", "cards_drawn"]
    assert told[-1]["seat"] == 2


def test_the_pistol_counts_when_it_is_played_its_answer_does_not():
    after = play(magic(red="pistol", yellow="rum", deck="hook"), Pistol("pistol", 2), Steal("rum"))
    assert (after.seat, after.taken) == (0, 1)


def test_one_card_in_the_hand_still_makes_a_choice():
    aimed = play(magic(red="pistol", yellow="rum", deck="hook"), Pistol("pistol", 2))
    assert rules.legal(aimed, 0) == [Steal("rum")]


def test_a_hand_without_cards_an_own_hand_and_a_missing_seat_cannot_be_aimed_at():
    before = magic(red="pistol rum", yellow="rum")
    assert not may(before, Pistol("pistol", 1))
    assert not may(before, Pistol("pistol", 0))
    assert not may(before, Pistol("pistol", 4))


def test_a_card_alike_is_stolen_only_once():
    after = play(magic(red="pistol", yellow="rum rum", deck="hook"), Pistol("pistol", 2), Steal("rum"))
    assert (hand(after, "red"), hand(after, "yellow")) == ("rum", "hook rum")


def test_while_the_steal_stands_nothing_else_is_legal_for_anyone():
    aimed = play(magic(red="pistol hook", blue="rum", yellow="rum chest"), Pistol("pistol", 2))
    assert rules.legal(aimed, 1) == rules.legal(aimed, 2) == []
    assert refusal(aimed, Advance("hook", "start")) == "illegal"
    assert refusal(aimed, End()) == "illegal"
    assert refusal(aimed, Steal("parrot")) == "illegal"
    assert refusal(aimed, Steal("rum"), by="yellow") == "not_your_turn"


def test_a_stolen_pistol_from_an_empty_supply_brings_the_victim_the_played_one():
    after = play(magic(red="pistol", yellow="rum"), Pistol("pistol", 2), Steal("rum"))
    assert (hand(after, "yellow"), after.shuffles) == ("pistol", 1)


# --- rum


def test_rum_draws_a_card_for_every_seat_still_in_and_one_more():
    before = magic(red="rum", deck="hook lantern chest parrot pistol")
    poured = play(before, Rum("rum"))
    assert isinstance(poured.pending, OwedShare)
    assert names(poured, poured.pending.cards) == ["chest", "hook", "lantern", "parrot"]
    assert (deck(poured), discard(poured), poured.taken) == ("pistol", "rum", 1)


def test_two_cards_are_kept_and_one_is_given_to_each_other_seat():
    poured = play(magic(red="rum", deck="hook lantern chest parrot"), Rum("rum"))
    after = play(poured, Share(("chest", "parrot"), ((1, "lantern"), (2, "hook"))))
    assert [hand(after, colour) for colour in ("red", "blue", "yellow")] == [
        "chest parrot",
        "lantern",
        "hook",
    ]
    assert (after.pending, after.taken) == (None, 1)


def test_every_different_way_to_share_is_listed_once():
    poured = play(magic(red="rum", deck="hook hook chest parrot"), Rum("rum"))
    listed = rules.legal(poured, 0)
    assert len(listed) == len(set(listed)) == 7
    assert all(isinstance(action, Share) and list(action.keep) == sorted(action.keep) for action in listed)


def test_what_is_kept_may_be_named_in_any_order():
    poured = play(magic(red="rum", deck="hook lantern chest parrot"), Rum("rum"))
    one = play(poured, Share(("chest", "parrot"), ((1, "lantern"), (2, "hook"))))
    other = play(poured, Share(("parrot", "chest"), ((2, "hook"), (1, "lantern"))))
    assert one == other


@pytest.mark.parametrize(
    "wrong",
    [
        Share(("chest",), ((1, "lantern"), (2, "hook"))),
        Share(("chest", "chest"), ((1, "lantern"), (2, "hook"))),
        Share(("chest", "parrot", "hook"), ((1, "lantern"),)),
        Share(("chest", "parrot"), ((0, "lantern"), (2, "hook"))),
        Share(("chest", "rum"), ((1, "lantern"), (2, "hook"))),
    ],
)
def test_a_share_that_does_not_use_each_card_once_for_each_seat_is_refused(wrong):
    poured = play(magic(red="rum", deck="hook lantern chest parrot"), Rum("rum"))
    assert refusal(poured, wrong) == "illegal"


def test_seats_that_have_resigned_get_nothing():
    poured = play(magic(red="rum", deck="hook lantern chest parrot", resigned="blue"), Rum("rum"))
    assert isinstance(poured.pending, OwedShare)
    assert len(poured.pending.cards) == 3
    assert hand(play(poured, Share(("chest", "hook"), ((2, "lantern"),))), "yellow") == "lantern"


def test_rum_needs_enough_cards_in_deck_and_discards_the_rum_itself_included():
    assert not may(magic(red="rum", deck="hook", discard="chest"), Rum("rum"))
    assert may(magic(red="rum", deck="hook lantern", discard="chest"), Rum("rum"))
    assert may(magic(red="rum", deck="hook lantern chest"), Rum("rum"))
    assert may(magic(red="rum", discard="hook lantern chest"), Rum("rum"))


def test_the_rum_just_played_may_be_drawn_again():
    poured = play(magic(red="rum", deck="hook lantern chest"), Rum("rum"))
    assert isinstance(poured.pending, OwedShare)
    assert names(poured, poured.pending.cards) == ["chest", "hook", "lantern", "rum"]
    assert poured.shuffles == 1


# --- lantern


def test_a_lantern_draws_four_keeps_one_and_puts_the_others_back_in_a_chosen_order():
    lit = play(magic(red="lantern", deck="rum hook rum chest parrot"), Lantern("lantern"))
    assert isinstance(lit.pending, OwedStack)
    assert names(lit, lit.pending.cards) == ["chest", "hook", "rum", "rum"]
    after = play(lit, Stack("hook", ("rum", "chest", "rum")))
    assert hand(after, "red") == "hook"
    assert deck(after) == "rum chest rum parrot", "The first listed lies on top."
    assert (after.pending, after.taken) == (None, 1)


def test_every_different_order_is_listed_once():
    lit = play(magic(red="lantern", deck="rum hook rum chest"), Lantern("lantern"))
    listed = rules.legal(lit, 0)
    assert len(listed) == len(set(listed)) == 12


def test_the_order_of_what_goes_back_matters():
    lit = play(magic(red="lantern", deck="rum hook rum chest"), Lantern("lantern"))
    one, other = Stack("rum", ("rum", "hook", "chest")), Stack("rum", ("chest", "hook", "rum"))
    assert deck(play(lit, one)) != deck(play(lit, other))


def test_with_fewer_cards_fewer_are_drawn_and_the_lantern_itself_is_always_there():
    lit = play(magic(red="lantern", deck="rum"), Lantern("lantern"))
    assert isinstance(lit.pending, OwedStack)
    assert names(lit, lit.pending.cards) == ["lantern", "rum"]


def test_one_card_still_makes_a_choice_with_nothing_to_put_back():
    lit = play(magic(red="lantern"), Lantern("lantern"))
    assert rules.legal(lit, 0) == [Stack("lantern", ())]
    assert hand(play(lit, Stack("lantern", ())), "red") == "lantern"


@pytest.mark.parametrize(
    "wrong", [Stack("hook", ("rum", "rum")), Stack("hook", ("rum", "rum", "hook")), Stack("parrot", ())]
)
def test_a_stack_that_does_not_use_each_card_once_is_refused(wrong):
    lit = play(magic(red="lantern", deck="rum hook rum chest"), Lantern("lantern"))
    assert refusal(lit, wrong) == "illegal"


# --- all of them


def test_a_card_gives_only_its_own_power():
    before = magic(red="rum lantern pistol", yellow="rum", deck="hook hook hook hook")
    assert not may(before, Rum("lantern"))
    assert not may(before, Lantern("rum"))
    assert not may(before, Pistol("rum", 2))


def test_a_power_is_instead_of_advancing_and_the_card_may_still_advance():
    before = magic(red="rum", deck="hook hook hook hook")
    assert may(before, Rum("rum"))
    assert may(before, Advance("rum", "start"))


def test_without_black_magic_a_card_has_no_power():
    before = magic(red="rum lantern pistol", yellow="rum", deck="hook", options={"black_magic": False})
    for action in (Rum("rum"), Lantern("lantern"), Pistol("pistol", 2)):
        assert not may(before, action)


def test_a_power_needs_an_action_left():
    before = magic(red="rum lantern pistol", yellow="rum", deck="hook hook hook hook", taken=3)
    for action in (Rum("rum"), Lantern("lantern"), Pistol("pistol", 2)):
        assert not may(before, action)
