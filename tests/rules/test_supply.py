"""The supply: deck, row and reshuffles."""

from __future__ import annotations

from app.rules import Advance, Retreat
from app.rules.core.chance import shuffle
from tests.rules.table import SEED, deck, discard, hand, picture, play, playing, row

ONE_CARD = "start:rb hat:b key bottle:r goal"
TWO_CARDS = "start:r hat:bb key bottle:r goal"


def types(told):
    return [event["type"] for event in told]


def test_cards_are_drawn_from_the_top_of_the_deck():
    after = play(picture(TWO_CARDS, deck="skull hat key"), Retreat(3))
    assert (hand(after, "red"), deck(after)) == ("hat skull", "key")


def test_from_a_row_the_leftmost_card_is_taken():
    after = play(picture(TWO_CARDS, row="skull hat key bottle", deck="dagger"), Retreat(3))
    assert (hand(after, "red"), row(after), deck(after)) == ("hat skull", "key bottle", "dagger")


def test_a_short_row_is_not_topped_up():
    after = play(picture(ONE_CARD, row="skull hat", deck="dagger dagger"), Retreat(3))
    assert (row(after), deck(after)) == ("hat", "dagger dagger")


def test_a_new_row_is_laid_the_moment_the_last_card_leaves():
    after, told = playing(picture(ONE_CARD, row="skull", deck="dagger key hat bottle"), Retreat(3))
    assert (row(after), deck(after)) == ("dagger key hat", "bottle")
    assert told[1:] == [
        {"type": "cards_drawn", "seat": 0, "source": "row", "cards": ["skull"], "count": 1},
        {"type": "row_laid", "cards": ["dagger", "key", "hat"]},
    ]


def test_a_new_row_is_laid_even_between_the_two_cards_of_one_draw():
    after, told = playing(picture(TWO_CARDS, row="skull", deck="dagger key hat bottle"), Retreat(3))
    assert hand(after, "red") == "dagger skull"
    assert (row(after), deck(after)) == ("key hat", "bottle")
    assert types(told) == ["retreated", "cards_drawn", "row_laid", "cards_drawn"]


def test_a_row_of_one_card_is_laid_after_every_card():
    before = picture(TWO_CARDS, row="skull", deck="dagger key hat", options={"row_size": 1})
    after = play(before, Retreat(3))
    assert (hand(after, "red"), row(after), deck(after)) == ("dagger skull", "key", "hat")


def test_a_row_is_laid_with_what_there_is():
    after = play(picture(ONE_CARD, row="skull", deck="dagger key"), Retreat(3))
    assert (row(after), deck(after)) == ("dagger key", "")


def test_an_empty_deck_is_made_of_the_shuffled_discards_the_moment_a_card_is_needed():
    cards = "key hat bottle dagger skull"
    after, told = playing(picture(ONE_CARD, discard=cards), Retreat(3))
    shuffled = shuffle(SEED, "deck:1", cards.split())
    assert hand(after, "red") == shuffled[0]
    assert deck(after).split() == shuffled[1:]
    assert (discard(after), after.shuffles) == ("", 1)
    assert types(told) == ["retreated", "deck_shuffled", "cards_drawn"]
    assert told[1]["count"] == 5


def test_a_deck_that_runs_out_is_not_reshuffled_before_a_card_is_needed():
    after = play(picture(ONE_CARD, deck="skull", discard="key hat"), Retreat(3))
    assert (deck(after), discard(after), after.shuffles) == ("", "key hat", 0)


def test_the_deck_may_run_out_between_the_two_cards_of_one_draw():
    cards = "key hat bottle dagger"
    after, told = playing(picture(TWO_CARDS, deck="skull", discard=cards), Retreat(3))
    shuffled = shuffle(SEED, "deck:1", cards.split())
    assert sorted(hand(after, "red").split()) == sorted(["skull", shuffled[0]])
    assert types(told) == ["retreated", "cards_drawn", "deck_shuffled", "cards_drawn"]


def test_the_deck_may_run_out_in_the_middle_of_laying_a_row():
    before = picture(ONE_CARD, row="skull", deck="dagger", discard="key hat bottle")
    after, told = playing(before, Retreat(3))
    shuffled = shuffle(SEED, "deck:1", ["key", "hat", "bottle"])
    assert row(after).split() == ["dagger", *shuffled[:2]]
    assert deck(after).split() == shuffled[2:]
    assert (discard(after), after.shuffles) == ("", 1)
    assert types(told) == ["retreated", "cards_drawn", "row_laid", "deck_shuffled", "row_laid"]


def test_each_reshuffle_has_a_label_of_its_own():
    before = picture(ONE_CARD, discard="key hat bottle dagger skull")
    before.shuffles = 4
    after = play(before, Retreat(3))
    assert after.shuffles == 5
    order = shuffle(SEED, "deck:5", ["key", "hat", "bottle", "dagger", "skull"])
    assert [hand(after, "red"), *deck(after).split()] == order


def test_with_deck_and_discards_empty_you_get_what_there_is():
    after, told = playing(picture(TWO_CARDS, deck="skull"), Retreat(3))
    assert (hand(after, "red"), after.taken, after.shuffles) == ("skull", 1, 0)
    assert told[-1]["count"] == 1


def test_a_retreat_stays_legal_when_no_card_is_to_be_had():
    after, told = playing(picture(TWO_CARDS), Retreat(3))
    assert (hand(after, "red"), after.taken) == ("", 1)
    assert types(told) == ["retreated"]


def test_a_row_and_nothing_else_gives_what_there_is():
    after = play(picture(TWO_CARDS, row="skull"), Retreat(3))
    assert (hand(after, "red"), row(after), deck(after)) == ("skull", "", "")


def test_an_empty_row_that_could_not_be_laid_is_laid_when_a_card_is_next_needed():
    before = picture("start:r hat:b key bottle:rr goal", row="", red="dagger")
    played = play(before, Advance("dagger", "start"))
    assert (row(played), discard(played)) == ("", "dagger"), "It is not laid when the discards come back."
    after, told = playing(played, Retreat(3))
    assert (hand(after, "red"), row(after), after.shuffles) == ("dagger", "", 1)
    assert types(told) == ["retreated", "deck_shuffled", "row_laid", "cards_drawn"]


def test_a_played_card_lies_on_the_discards_and_may_be_drawn_again():
    before = picture("start:b hat:b key bottle:rr skull goal", red="skull")
    after = play(before, Advance("skull", 3), Retreat(3))
    assert (hand(after, "red"), discard(after)) == ("skull", "")


def test_a_shuffle_of_nothing_is_not_counted():
    before = picture(TWO_CARDS)
    assert play(before, Retreat(3)).shuffles == 0
    assert play(picture(TWO_CARDS, row=""), Retreat(3)).shuffles == 0


def test_what_the_discards_were_in_order_plays_no_part_in_the_shuffle():
    one = play(picture(ONE_CARD, discard="key hat bottle dagger"), Retreat(3))
    other = play(picture(ONE_CARD, discard="dagger bottle key hat"), Retreat(3))
    assert (deck(one), hand(one, "red")) == (deck(other), hand(other, "red"))
