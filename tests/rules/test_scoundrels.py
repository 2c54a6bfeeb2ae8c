"""Scoundrels: playing a dark card makes all other seats discard down to seven cards."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, End
from app.rules.modules.black_magic.chest import OpenChest
from app.rules.modules.black_magic.hook import AdvanceWithHook
from app.rules.modules.black_magic.lantern import LightLantern, Stack
from app.rules.modules.black_magic.parrot import AdvanceWithParrots
from app.rules.modules.black_magic.pistol import AimPistol, Steal
from app.rules.modules.black_magic.rum import PourRum, Share
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder, PendingDiscards
from tests.rules.layout import discard, hand, is_legal, lay_out, play, play_with_events, refusal_code

LINE = "start:rrby hat key goal"
NINE = "bottle bottle dagger hat hat key key skull skull"


def scoundrels(line=LINE, **more):
    return lay_out(line, options={"scoundrels": True}, **more)


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


def test_every_other_seat_must_discard_down_to_seven():
    before = scoundrels(red="key*", blue=NINE, yellow="hat hat hat hat hat hat hat key")
    after, events = play_with_events(before, Advance("key*", "start"))
    assert after.pending == PendingDiscards(((1, 2), (2, 1)))
    assert events[-1] == {"type": "discard_owed", "owed": {"1": 2, "2": 1}}


def test_a_seat_with_seven_cards_need_not_discard():
    after = play(scoundrels(red="key*", blue="hat hat hat hat hat hat hat"), Advance("key*", "start"))
    assert after.pending is None


def test_the_seat_that_played_the_dark_card_need_not_discard():
    after = play(scoundrels(red=NINE + " key*"), Advance("key*", "start"))
    assert after.pending is None


def test_a_resigned_seat_need_not_discard():
    after = play(scoundrels(red="key*", yellow=NINE, resigned="blue"), Advance("key*", "start"))
    assert after.pending == PendingDiscards(((2, 2),))


def test_a_light_card_requires_no_discard():
    assert play(scoundrels(red="key", blue=NINE), Advance("key", "start")).pending is None


def with_pending_discards(**more):
    hands = {"red": "key* hat", "blue": NINE, "yellow": "hat hat hat hat hat hat hat key"} | more
    return play(scoundrels(**hands), Advance("key*", "start"))


def test_only_discards_are_legal_while_they_are_pending():
    position = with_pending_discards()
    assert rules.seats_to_act(position) == (1, 2)
    assert rules.legal_for_all(position) == [(1, DiscardPlaceholder(2)), (2, DiscardPlaceholder(1))]
    assert rules.legal(position, 0) == []
    assert refusal_code(position, Advance("hat", "start"), by="red") == "not_your_turn"
    assert refusal_code(position, End(), by="blue") == "illegal"


@pytest.mark.parametrize("order", [("blue", "yellow"), ("yellow", "blue")])
def test_seats_discard_in_any_order(order):
    answers = {"blue": Discard(("skull", "bottle")), "yellow": Discard(("key",))}
    position = with_pending_discards()
    for colour in order:
        assert position.pending is not None
        position = play(position, answers[colour], by=colour)
    assert position.pending is None
    assert (position.turn_seat, position.actions_taken) == (0, 1)
    assert is_legal(position, Advance("hat", "start"))


def test_each_seat_chooses_its_own_discards():
    for cards in (("bottle", "bottle"), ("skull", "skull"), ("hat", "key")):
        after = play(with_pending_discards(), Discard(cards), by="blue")
        assert len(hand(after, "blue").split()) == 7
        assert discard(after) == " ".join(["key*", *cards])


def test_cards_discarded_together_go_on_the_discards_in_text_order():
    after, events = play_with_events(with_pending_discards(), Discard(("skull", "bottle")), by="blue")
    assert discard(after) == "key* bottle skull"
    assert events == [{"type": "cards_discarded", "seat": 1, "cards": ["bottle", "skull"]}]


@pytest.mark.parametrize(
    "cards", [(), ("hat",), ("hat", "hat", "key"), ("dagger", "dagger"), ("pistol", "hat"), ("hat", "hat*")]
)
def test_a_discard_needs_exactly_the_required_number_of_held_cards(cards):
    assert refusal_code(with_pending_discards(), Discard(cards), by="blue") == "illegal"


def test_the_listed_placeholder_is_not_an_answer():
    assert refusal_code(with_pending_discards(), DiscardPlaceholder(2), by="blue") == "illegal"


def test_a_seat_discards_only_once():
    after = play(with_pending_discards(), Discard(("skull", "bottle")), by="blue")
    assert refusal_code(after, Discard(("hat", "hat")), by="blue") == "not_your_turn"


def test_discarding_a_dark_card_is_not_playing_it():
    position = with_pending_discards(blue="bottle bottle dagger hat hat key key skull skull*", yellow="hat")
    after = play(position, Discard(("skull", "skull*")), by="blue")
    assert after.pending is None


def test_resigning_with_a_dark_card_is_not_playing_it():
    after = play(scoundrels(red="key*", blue=NINE), rules.Resign(), by="red")
    assert after.pending is None


# --- powers played with dark cards


MAGIC = {"black_magic": True, "scoundrels": True}
EIGHT = "chest chest hook lantern lantern parrot rum rum"


def magic(line="start:rb chest(1):rr hook rum goal", **more):
    return lay_out(line, options=MAGIC, blue=EIGHT, deck="hook hook hook hook hook", **more)


def test_a_dark_pistol_requires_discards_after_the_steal_and_the_draw():
    aimed = play(magic(red="pistol*"), AimPistol("pistol*", 1))
    assert aimed.pending is not None
    assert not isinstance(aimed.pending, PendingDiscards)
    after, events = play_with_events(aimed, Steal("rum"))
    assert after.pending == PendingDiscards(((1, 1),))
    assert [event["type"] for event in events] == ["card_stolen", "cards_drawn", "discard_owed"]


def test_a_dark_rum_requires_discards_after_the_share():
    poured = play(magic(red="rum*"), PourRum("rum*"))
    after = play(poured, Share(("hook", "hook"), ((1, "hook"),)))
    assert after.pending == PendingDiscards(((1, 2),))


def test_a_dark_lantern_requires_discards_after_the_stack():
    lit = play(magic(red="lantern*"), LightLantern("lantern*"))
    after = play(lit, Stack("hook", ("hook", "hook", "hook")))
    assert after.pending == PendingDiscards(((1, 1),))


@pytest.mark.parametrize("cards", [("parrot", "parrot*"), ("parrot*", "parrot*")])
def test_one_or_two_dark_parrots_require_discards_once(cards):
    after = play(magic(red=" ".join(cards)), AdvanceWithParrots(cards, "rum", "start"))
    assert after.pending == PendingDiscards(((1, 1),))


@pytest.mark.parametrize(("hook", "second"), [("hook*", "rum"), ("hook", "rum*"), ("hook*", "rum*")])
def test_a_dark_hook_or_second_card_requires_discards(hook, second):
    after = play(magic(red=f"{hook} {second}"), AdvanceWithHook(hook, second, 1))
    assert after.pending == PendingDiscards(((1, 1),))


def test_a_dark_chest_requires_discards_after_its_cards_are_drawn():
    after, events = play_with_events(magic(red="chest*"), OpenChest("chest*", 1))
    assert after.pending == PendingDiscards(((1, 1),))
    assert [event["type"] for event in events] == ["chest_opened", "cards_drawn", "discard_owed"]
