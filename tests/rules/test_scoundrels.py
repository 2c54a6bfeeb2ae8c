"""Scoundrels: a dark card played makes every other seat discard down to seven."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End
from app.rules.modules.black_magic.chest import Chest
from app.rules.modules.black_magic.hook import Hook
from app.rules.modules.black_magic.lantern import Lantern, Stack
from app.rules.modules.black_magic.parrot import Parrot
from app.rules.modules.black_magic.pistol import Pistol, Steal
from app.rules.modules.black_magic.rum import Rum, Share
from app.rules.modules.scoundrels import Discard, OwedDiscard, OwedDiscards
from tests.rules.table import discard, hand, may, picture, play, playing, refusal

LINE = "start:rrby hat key goal"
NINE = "bottle bottle dagger hat hat key key skull skull"


def scoundrels(line=LINE, **more):
    return picture(line, options={"scoundrels": True}, **more)


def test_two_of_each_symbols_copies_are_dark_and_not_extra_ones():
    options = rules.parse_options({"preset": "jamaica", "players": 2, "scoundrels": True})
    kinds = rules.new_game(options, "0" * 64).ruleset.kinds
    assert dict(zip(kinds.names, kinds.copies, strict=True)) == {
        name + mark: count
        for name in ("bottle", "dagger", "hat", "key", "pistol", "skull")
        for mark, count in (("", 15), ("*", 2))
    }


def test_without_scoundrels_no_card_is_dark():
    options = rules.parse_options({"preset": "jamaica", "players": 2})
    assert not any(rules.new_game(options, "0" * 64).ruleset.kinds.dark)


def test_a_dark_card_advances_like_a_light_one():
    after = play(scoundrels(red="key*"), Advance("key*", "start"))
    assert after.pirates[0] == [0, 2]
    assert discard(after) == "key*"


def test_every_other_seat_with_more_than_seven_owes_the_cards_beyond():
    before = scoundrels(red="key*", blue=NINE, yellow="hat hat hat hat hat hat hat key")
    after, told = playing(before, Advance("key*", "start"))
    assert after.pending == OwedDiscards(((1, 2), (2, 1)))
    assert told[-1] == {"type": "discard_owed", "owed": {"1": 2, "2": 1}}


def test_seven_cards_are_not_too_many():
    after = play(scoundrels(red="key*", blue="hat hat hat hat hat hat hat"), Advance("key*", "start"))
    assert after.pending is None


def test_the_seat_that_played_it_owes_nothing():
    after = play(scoundrels(red=NINE + " key*"), Advance("key*", "start"))
    assert after.pending is None


def test_a_seat_that_has_resigned_owes_nothing():
    after = play(scoundrels(red="key*", yellow=NINE, resigned="blue"), Advance("key*", "start"))
    assert after.pending == OwedDiscards(((2, 2),))


def test_a_light_card_makes_nobody_discard():
    assert play(scoundrels(red="key", blue=NINE), Advance("key", "start")).pending is None


def owing(**more):
    hands = {"red": "key* hat", "blue": NINE, "yellow": "hat hat hat hat hat hat hat key"} | more
    return play(scoundrels(**hands), Advance("key*", "start"))


def test_while_discards_are_owed_only_they_are_legal():
    position = owing()
    assert rules.seats_to_act(position) == (1, 2)
    assert rules.legal_for_all(position) == [(1, OwedDiscard(2)), (2, OwedDiscard(1))]
    assert rules.legal(position, 0) == []
    assert refusal(position, Advance("hat", "start"), by="red") == "not_your_turn"
    assert refusal(position, End(), by="blue") == "illegal"


@pytest.mark.parametrize("order", [("blue", "yellow"), ("yellow", "blue")])
def test_owed_seats_answer_in_any_order(order):
    answers = {"blue": Discard(("skull", "bottle")), "yellow": Discard(("key",))}
    position = owing()
    for colour in order:
        assert position.pending is not None
        position = play(position, answers[colour], by=colour)
    assert position.pending is None
    assert (position.seat, position.taken) == (0, 1)
    assert may(position, Advance("hat", "start"))


def test_the_choice_is_the_owing_seats_own():
    for cards in (("bottle", "bottle"), ("skull", "skull"), ("hat", "key")):
        after = play(owing(), Discard(cards), by="blue")
        assert len(hand(after, "blue").split()) == 7
        assert discard(after) == " ".join(["key*", *cards])


def test_cards_discarded_together_go_on_in_text_order_however_they_are_named():
    after, told = playing(owing(), Discard(("skull", "bottle")), by="blue")
    assert discard(after) == "key* bottle skull"
    assert told == [{"type": "cards_discarded", "seat": 1, "cards": ["bottle", "skull"]}]


@pytest.mark.parametrize(
    "cards", [(), ("hat",), ("hat", "hat", "key"), ("dagger", "dagger"), ("pistol", "hat"), ("hat", "hat*")]
)
def test_exactly_the_owed_number_of_cards_that_are_held_will_do(cards):
    assert refusal(owing(), Discard(cards), by="blue") == "illegal"


def test_the_count_that_stands_in_the_list_is_not_an_answer():
    assert refusal(owing(), OwedDiscard(2), by="blue") == "illegal"


def test_a_seat_answers_only_once():
    after = play(owing(), Discard(("skull", "bottle")), by="blue")
    assert refusal(after, Discard(("hat", "hat")), by="blue") == "not_your_turn"


def test_discarding_a_dark_card_is_not_playing_it():
    position = owing(blue="bottle bottle dagger hat hat key key skull skull*", yellow="hat")
    after = play(position, Discard(("skull", "skull*")), by="blue")
    assert after.pending is None


def test_resigning_with_a_dark_card_is_not_playing_it():
    after = play(scoundrels(red="key*", blue=NINE), rules.Resign(), by="red")
    assert after.pending is None


# --- powers played with dark cards


MAGIC = {"black_magic": True, "scoundrels": True}
EIGHT = "chest chest hook lantern lantern parrot rum rum"


def magic(line="start:rb chest(1):rr hook rum goal", **more):
    return picture(line, options=MAGIC, blue=EIGHT, deck="hook hook hook hook hook", **more)


def test_a_dark_pistol_bites_after_the_steal_and_the_draw():
    aimed = play(magic(red="pistol*"), Pistol("pistol*", 1))
    assert aimed.pending is not None
    assert not isinstance(aimed.pending, OwedDiscards)
    after, told = playing(aimed, Steal("rum"))
    assert after.pending == OwedDiscards(((1, 1),))
    assert [event["type"] for event in told] == ["card_stolen", "cards_drawn", "discard_owed"]


def test_a_dark_rum_bites_after_the_cards_are_shared_and_counts_what_was_given():
    poured = play(magic(red="rum*"), Rum("rum*"))
    after = play(poured, Share(("hook", "hook"), ((1, "hook"),)))
    assert after.pending == OwedDiscards(((1, 2),))


def test_a_dark_lantern_bites_after_the_cards_are_stacked():
    lit = play(magic(red="lantern*"), Lantern("lantern*"))
    after = play(lit, Stack("hook", ("hook", "hook", "hook")))
    assert after.pending == OwedDiscards(((1, 1),))


@pytest.mark.parametrize("cards", [("parrot", "parrot*"), ("parrot*", "parrot*")])
def test_one_or_two_dark_parrots_bite_once(cards):
    after = play(magic(red=" ".join(cards)), Parrot(cards, "rum", "start"))
    assert after.pending == OwedDiscards(((1, 1),))


@pytest.mark.parametrize(("hook", "second"), [("hook*", "rum"), ("hook", "rum*"), ("hook*", "rum*")])
def test_a_dark_hook_or_a_dark_card_with_it_bites(hook, second):
    after = play(magic(red=f"{hook} {second}"), Hook(hook, second, 1))
    assert after.pending == OwedDiscards(((1, 1),))


def test_a_dark_chest_bites_after_its_cards_are_drawn():
    after, told = playing(magic(red="chest*"), Chest("chest*", 1))
    assert after.pending == OwedDiscards(((1, 1),))
    assert [event["type"] for event in told] == ["chest_opened", "cards_drawn", "discard_owed"]
