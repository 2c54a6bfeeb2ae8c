"""Powers that move cards: pistol, rum and lantern."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End
from app.rules.modules.black_magic.lantern import LightLantern, PendingStack, Stack
from app.rules.modules.black_magic.pistol import AimPistol, PendingSteal, Steal
from app.rules.modules.black_magic.rum import PendingShare, PourRum, Share
from tests.rules.layout import deck, discard, hand, is_legal, lay_out, play, play_with_events, refusal_code

LINE = "start:rby hook rum goal"


def magic(line=LINE, **more):
    return lay_out(line, options={"black_magic": True} | more.pop("options", {}), **more)


def names(position, cards):
    return [position.ruleset.kinds.names[card] for card in cards]


# --- pistol


def test_a_pistol_shows_a_hand_and_takes_one_card_from_it():
    before = magic(red="pistol hook", yellow="rum chest", deck="lantern")
    aimed = play(before, AimPistol("pistol", 2))
    assert aimed.pending == PendingSteal(0, 2, False)
    assert (aimed.actions_taken, discard(aimed), hand(aimed, "red")) == (1, "pistol", "hook")
    assert rules.legal(aimed, 0) == [Steal("chest"), Steal("rum")]
    after = play(aimed, Steal("rum"))
    assert hand(after, "red") == "hook rum"


def test_the_victim_of_a_pistol_draws_a_card():
    before = magic(red="pistol", yellow="rum chest", deck="lantern parrot")
    after, events = play_with_events(before, AimPistol("pistol", 2), Steal("rum"))
    assert (hand(after, "yellow"), deck(after)) == ("chest lantern", "parrot")
    assert [event["type"] for event in events] == ["pistol_aimed", "card_stolen", "cards_drawn"]
    assert events[-1]["seat"] == 2


def test_a_pistol_counts_as_an_action_but_its_answer_does_not():
    after = play(magic(red="pistol", yellow="rum", deck="hook"), AimPistol("pistol", 2), Steal("rum"))
    assert (after.turn_seat, after.actions_taken) == (0, 1)


def test_a_victim_with_one_card_still_leaves_a_choice():
    aimed = play(magic(red="pistol", yellow="rum", deck="hook"), AimPistol("pistol", 2))
    assert rules.legal(aimed, 0) == [Steal("rum")]


def test_a_pistol_cannot_aim_at_an_empty_hand_the_own_seat_or_a_missing_seat():
    before = magic(red="pistol rum", yellow="rum")
    assert not is_legal(before, AimPistol("pistol", 1))
    assert not is_legal(before, AimPistol("pistol", 0))
    assert not is_legal(before, AimPistol("pistol", 4))


def test_a_steal_takes_only_one_of_several_equal_cards():
    after = play(magic(red="pistol", yellow="rum rum", deck="hook"), AimPistol("pistol", 2), Steal("rum"))
    assert (hand(after, "red"), hand(after, "yellow")) == ("rum", "hook rum")


def test_nothing_else_is_legal_while_a_steal_is_pending():
    aimed = play(magic(red="pistol hook", blue="rum", yellow="rum chest"), AimPistol("pistol", 2))
    assert rules.legal(aimed, 1) == rules.legal(aimed, 2) == []
    assert refusal_code(aimed, Advance("hook", "start")) == "illegal"
    assert refusal_code(aimed, End()) == "illegal"
    assert refusal_code(aimed, Steal("parrot")) == "illegal"
    assert refusal_code(aimed, Steal("rum"), by="yellow") == "not_your_turn"


def test_the_victim_can_draw_the_pistol_just_played():
    after = play(magic(red="pistol", yellow="rum"), AimPistol("pistol", 2), Steal("rum"))
    assert (hand(after, "yellow"), after.shuffles) == ("pistol", 1)


# --- rum


def test_rum_draws_a_card_for_every_seat_still_in_and_one_more():
    before = magic(red="rum", deck="hook lantern chest parrot pistol")
    poured = play(before, PourRum("rum"))
    assert isinstance(poured.pending, PendingShare)
    assert names(poured, poured.pending.cards) == ["chest", "hook", "lantern", "parrot"]
    assert (deck(poured), discard(poured), poured.actions_taken) == ("pistol", "rum", 1)


def test_two_cards_are_kept_and_one_is_given_to_each_other_seat():
    poured = play(magic(red="rum", deck="hook lantern chest parrot"), PourRum("rum"))
    after = play(poured, Share(("chest", "parrot"), ((1, "lantern"), (2, "hook"))))
    assert [hand(after, colour) for colour in ("red", "blue", "yellow")] == [
        "chest parrot",
        "lantern",
        "hook",
    ]
    assert (after.pending, after.actions_taken) == (None, 1)


def test_every_distinct_share_is_listed_once():
    poured = play(magic(red="rum", deck="hook hook chest parrot"), PourRum("rum"))
    listed = rules.legal(poured, 0)
    assert len(listed) == len(set(listed)) == 7
    assert all(isinstance(action, Share) and list(action.keep) == sorted(action.keep) for action in listed)


def test_a_share_may_name_the_kept_cards_in_any_order():
    poured = play(magic(red="rum", deck="hook lantern chest parrot"), PourRum("rum"))
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
    poured = play(magic(red="rum", deck="hook lantern chest parrot"), PourRum("rum"))
    assert refusal_code(poured, wrong) == "illegal"


def test_resigned_seats_get_no_card_from_rum():
    poured = play(magic(red="rum", deck="hook lantern chest parrot", resigned="blue"), PourRum("rum"))
    assert isinstance(poured.pending, PendingShare)
    assert len(poured.pending.cards) == 3
    assert hand(play(poured, Share(("chest", "hook"), ((2, "lantern"),))), "yellow") == "lantern"


def test_rum_needs_enough_cards_in_deck_and_discards_including_the_rum():
    assert not is_legal(magic(red="rum", deck="hook", discard="chest"), PourRum("rum"))
    assert is_legal(magic(red="rum", deck="hook lantern", discard="chest"), PourRum("rum"))
    assert is_legal(magic(red="rum", deck="hook lantern chest"), PourRum("rum"))
    assert is_legal(magic(red="rum", discard="hook lantern chest"), PourRum("rum"))


def test_the_rum_just_played_may_be_drawn_again():
    poured = play(magic(red="rum", deck="hook lantern chest"), PourRum("rum"))
    assert isinstance(poured.pending, PendingShare)
    assert names(poured, poured.pending.cards) == ["chest", "hook", "lantern", "rum"]
    assert poured.shuffles == 1


# --- lantern


def test_a_lantern_draws_four_keeps_one_and_puts_the_others_back_in_a_chosen_order():
    lit = play(magic(red="lantern", deck="rum hook rum chest parrot"), LightLantern("lantern"))
    assert isinstance(lit.pending, PendingStack)
    assert names(lit, lit.pending.cards) == ["chest", "hook", "rum", "rum"]
    after = play(lit, Stack("hook", ("rum", "chest", "rum")))
    assert hand(after, "red") == "hook"
    assert deck(after) == "rum chest rum parrot", "The first listed lies on top."
    assert (after.pending, after.actions_taken) == (None, 1)


def test_every_distinct_stack_is_listed_once():
    lit = play(magic(red="lantern", deck="rum hook rum chest"), LightLantern("lantern"))
    listed = rules.legal(lit, 0)
    assert len(listed) == len(set(listed)) == 12


def test_the_order_of_the_cards_put_back_matters():
    lit = play(magic(red="lantern", deck="rum hook rum chest"), LightLantern("lantern"))
    one, other = Stack("rum", ("rum", "hook", "chest")), Stack("rum", ("chest", "hook", "rum"))
    assert deck(play(lit, one)) != deck(play(lit, other))


def test_a_lantern_draws_fewer_cards_if_fewer_are_left_but_at_least_itself():
    lit = play(magic(red="lantern", deck="rum"), LightLantern("lantern"))
    assert isinstance(lit.pending, PendingStack)
    assert names(lit, lit.pending.cards) == ["lantern", "rum"]


def test_a_stack_of_one_card_puts_nothing_back():
    lit = play(magic(red="lantern"), LightLantern("lantern"))
    assert rules.legal(lit, 0) == [Stack("lantern", ())]
    assert hand(play(lit, Stack("lantern", ())), "red") == "lantern"


@pytest.mark.parametrize(
    "wrong", [Stack("hook", ("rum", "rum")), Stack("hook", ("rum", "rum", "hook")), Stack("parrot", ())]
)
def test_a_stack_that_does_not_use_each_card_once_is_refused(wrong):
    lit = play(magic(red="lantern", deck="rum hook rum chest"), LightLantern("lantern"))
    assert refusal_code(lit, wrong) == "illegal"


# --- all of them


def test_a_card_has_only_the_power_of_its_symbol():
    before = magic(red="rum lantern pistol", yellow="rum", deck="hook hook hook hook")
    assert not is_legal(before, PourRum("lantern"))
    assert not is_legal(before, LightLantern("rum"))
    assert not is_legal(before, AimPistol("rum", 2))


def test_a_card_can_advance_instead_of_using_its_power():
    before = magic(red="rum", deck="hook hook hook hook")
    assert is_legal(before, PourRum("rum"))
    assert is_legal(before, Advance("rum", "start"))


def test_without_black_magic_a_card_has_no_power():
    before = magic(red="rum lantern pistol", yellow="rum", deck="hook", options={"black_magic": False})
    for action in (PourRum("rum"), LightLantern("lantern"), AimPistol("pistol", 2)):
        assert not is_legal(before, action)


def test_a_power_needs_an_action_left():
    before = magic(red="rum lantern pistol", yellow="rum", deck="hook hook hook hook", taken=3)
    for action in (PourRum("rum"), LightLantern("lantern"), AimPistol("pistol", 2)):
        assert not is_legal(before, action)
