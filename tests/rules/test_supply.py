"""The supply: deck, row and reshuffles."""

from __future__ import annotations

from app.rules import Advance, Retreat
from app.rules.core.chance import shuffle
from tests.rules.layout import SEED, deck, discard, hand, lay_out, play, play_with_events, row

ONE_CARD = "start:rb hat:b key bottle:r goal"
TWO_CARDS = "start:r hat:bb key bottle:r goal"


def types(events):
    return [event["type"] for event in events]


def test_cards_are_drawn_from_the_top_of_the_deck():
    after = play(lay_out(TWO_CARDS, deck="skull hat key"), Retreat(3))
    assert (hand(after, "red"), deck(after)) == ("hat skull", "key")


def test_the_leftmost_card_of_a_row_is_drawn():
    after = play(lay_out(TWO_CARDS, row="skull hat key bottle", deck="dagger"), Retreat(3))
    assert (hand(after, "red"), row(after), deck(after)) == ("hat skull", "key bottle", "dagger")


def test_a_short_row_is_not_topped_up():
    after = play(lay_out(ONE_CARD, row="skull hat", deck="dagger dagger"), Retreat(3))
    assert (row(after), deck(after)) == ("hat", "dagger dagger")


def test_a_new_row_is_laid_the_moment_the_last_card_leaves():
    after, events = play_with_events(lay_out(ONE_CARD, row="skull", deck="dagger key hat bottle"), Retreat(3))
    assert (row(after), deck(after)) == ("dagger key hat", "bottle")
    assert events[1:] == [
        {"type": "cards_drawn", "seat": 0, "source": "row", "cards": ["skull"], "count": 1},
        {"type": "row_laid", "cards": ["dagger", "key", "hat"]},
    ]


def test_a_new_row_is_laid_even_between_the_two_cards_of_one_draw():
    after, events = play_with_events(
        lay_out(TWO_CARDS, row="skull", deck="dagger key hat bottle"), Retreat(3)
    )
    assert hand(after, "red") == "dagger skull"
    assert (row(after), deck(after)) == ("key hat", "bottle")
    assert types(events) == ["retreated", "cards_drawn", "row_laid", "cards_drawn"]


def test_a_row_of_one_card_is_laid_after_every_card():
    before = lay_out(TWO_CARDS, row="skull", deck="dagger key hat", options={"row_size": 1})
    after = play(before, Retreat(3))
    assert (hand(after, "red"), row(after), deck(after)) == ("dagger skull", "key", "hat")


def test_a_row_is_laid_as_far_as_cards_last():
    after = play(lay_out(ONE_CARD, row="skull", deck="dagger key"), Retreat(3))
    assert (row(after), deck(after)) == ("dagger key", "")


def test_an_empty_deck_is_made_of_the_shuffled_discards_the_moment_a_card_is_needed():
    cards = "key hat bottle dagger skull"
    after, events = play_with_events(lay_out(ONE_CARD, discard=cards), Retreat(3))
    shuffled = shuffle(SEED, "deck:1", cards.split())
    assert hand(after, "red") == shuffled[0]
    assert deck(after).split() == shuffled[1:]
    assert (discard(after), after.shuffles) == ("", 1)
    assert types(events) == ["retreated", "deck_shuffled", "cards_drawn"]
    assert events[1]["count"] == 5


def test_a_deck_that_runs_out_is_not_reshuffled_before_a_card_is_needed():
    after = play(lay_out(ONE_CARD, deck="skull", discard="key hat"), Retreat(3))
    assert (deck(after), discard(after), after.shuffles) == ("", "key hat", 0)


def test_the_deck_may_run_out_between_the_two_cards_of_one_draw():
    cards = "key hat bottle dagger"
    after, events = play_with_events(lay_out(TWO_CARDS, deck="skull", discard=cards), Retreat(3))
    shuffled = shuffle(SEED, "deck:1", cards.split())
    assert sorted(hand(after, "red").split()) == sorted(["skull", shuffled[0]])
    assert types(events) == ["retreated", "cards_drawn", "deck_shuffled", "cards_drawn"]


def test_the_deck_may_run_out_in_the_middle_of_laying_a_row():
    before = lay_out(ONE_CARD, row="skull", deck="dagger", discard="key hat bottle")
    after, events = play_with_events(before, Retreat(3))
    shuffled = shuffle(SEED, "deck:1", ["key", "hat", "bottle"])
    assert row(after).split() == ["dagger", *shuffled[:2]]
    assert deck(after).split() == shuffled[2:]
    assert (discard(after), after.shuffles) == ("", 1)
    assert types(events) == ["retreated", "cards_drawn", "row_laid", "deck_shuffled", "row_laid"]


def test_each_reshuffle_has_a_label_of_its_own():
    before = lay_out(ONE_CARD, discard="key hat bottle dagger skull")
    before.shuffles = 4
    after = play(before, Retreat(3))
    assert after.shuffles == 5
    order = shuffle(SEED, "deck:5", ["key", "hat", "bottle", "dagger", "skull"])
    assert [hand(after, "red"), *deck(after).split()] == order


def test_with_deck_and_discards_empty_fewer_cards_are_drawn():
    after, events = play_with_events(lay_out(TWO_CARDS, deck="skull"), Retreat(3))
    assert (hand(after, "red"), after.actions_taken, after.shuffles) == ("skull", 1, 0)
    assert events[-1]["count"] == 1


def test_a_retreat_is_legal_even_if_no_card_is_left():
    after, events = play_with_events(lay_out(TWO_CARDS), Retreat(3))
    assert (hand(after, "red"), after.actions_taken) == ("", 1)
    assert types(events) == ["retreated"]


def test_with_only_a_row_left_its_cards_are_drawn():
    after = play(lay_out(TWO_CARDS, row="skull"), Retreat(3))
    assert (hand(after, "red"), row(after), deck(after)) == ("skull", "", "")


def test_an_empty_row_that_could_not_be_laid_is_laid_when_a_card_is_next_needed():
    before = lay_out("start:r hat:b key bottle:rr goal", row="", red="dagger")
    played = play(before, Advance("dagger", "start"))
    assert (row(played), discard(played)) == ("", "dagger"), "It is not laid when the discards come back."
    after, events = play_with_events(played, Retreat(3))
    assert (hand(after, "red"), row(after), after.shuffles) == ("dagger", "", 1)
    assert types(events) == ["retreated", "deck_shuffled", "row_laid", "cards_drawn"]


def test_a_played_card_lies_on_the_discards_and_may_be_drawn_again():
    before = lay_out("start:b hat:b key bottle:rr skull goal", red="skull")
    after = play(before, Advance("skull", 3), Retreat(3))
    assert (hand(after, "red"), discard(after)) == ("skull", "")


def test_an_empty_shuffle_is_not_counted():
    before = lay_out(TWO_CARDS)
    assert play(before, Retreat(3)).shuffles == 0
    assert play(lay_out(TWO_CARDS, row=""), Retreat(3)).shuffles == 0


def test_the_order_of_the_discards_does_not_affect_the_shuffle():
    one = play(lay_out(ONE_CARD, discard="key hat bottle dagger"), Retreat(3))
    other = play(lay_out(ONE_CARD, discard="dagger bottle key hat"), Retreat(3))
    assert (deck(one), hand(one, "red")) == (deck(other), hand(other, "red"))
