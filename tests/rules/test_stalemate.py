"""Stalemate: forced passes are counted, and after a whole round of them each seat draws a card."""

from __future__ import annotations

from app import rules
from app.rules import Advance, Draw, End, Resign, Retreat
from app.rules.modules.complete import Sail
from tests.rules.layout import deck, hand, lay_out, layout_of, legal_types, play, play_with_events, row

STUCK = "start:rby hat key goal"


def test_an_end_with_nothing_taken_and_nothing_else_listed_is_a_forced_pass():
    after, events = play_with_events(lay_out(STUCK, deck="hat"), End())
    assert (after.turn_seat, after.forced_passes) == (1, 1)
    assert events == [{"type": "turn_passed", "seat": 0, "next": 1, "forced": True}]


def test_an_end_after_an_action_is_not_forced():
    before = lay_out("start:rrby hat key goal", red="hat", forced_passes=2)
    played = play(before, Advance("hat", "start"))
    assert rules.legal(played, 0) == [End()]
    assert play(played, End()).forced_passes == 0


def test_an_end_by_choice_is_not_forced_and_resets_the_forced_passes():
    before = lay_out(STUCK, red="hat", options={"min_actions": 0}, forced_passes=2)
    after, events = play_with_events(before, End())
    assert (after.forced_passes, after.turn_seat) == (0, 1)
    assert events[0]["forced"] is False


def test_with_min_actions_zero_a_seat_without_actions_is_still_forced_to_pass():
    assert play(lay_out(STUCK, options={"min_actions": 0}), End()).forced_passes == 1


def test_every_other_action_resets_the_forced_passes():
    line = "start:rrby hat:b key skull:r goal"
    before = lay_out(line, red="hat key", deck="hat hat", forced_passes=2, options={"relief": "rest"})
    assert play(before, Advance("key", "start")).forced_passes == 0
    assert play(before, Retreat(3)).forced_passes == 0
    empty = lay_out(line, deck="hat hat", forced_passes=2, options={"relief": "rest"})
    assert play(empty, Draw()).forced_passes == 0


def test_any_resignation_resets_the_forced_passes():
    before = lay_out(STUCK, forced_passes=2)
    assert play(before, Resign(), by="blue").forced_passes == 0
    assert play(before, Resign(), by="red").forced_passes == 0


def test_a_sail_resets_the_forced_passes_even_if_free():
    line = "start:b chest hook sloop@cartagena:r rum pistol goal:r"
    after = play(lay_out(line, forced_passes=1), Sail())
    assert (after.captain_used, after.actions_taken, after.forced_passes) == (True, 0, 0)


def test_in_the_complete_escape_there_is_always_a_legal_action():
    """Otherwise an end after the captain's free sail could be a forced pass."""
    at_tortuga = "start:b chest hook sloop@tortuga:r rum pistol goal:r"
    at_cartagena = "start:b chest hook sloop@cartagena:r rum pistol goal:r"
    full = "start:rb chest hook sloop@cartagena:rrr rum pistol goal"
    for relief in ("rest", "start"):
        table = {"relief": relief}
        assert legal_types(lay_out(at_tortuga, options=table, captain_used=True)) == {"draw"}
        assert legal_types(lay_out(at_tortuga, options=table, captain_used=True, red="hook")) == {"advance"}
        assert legal_types(lay_out(at_cartagena, options=table, captain_used=True, red="hook")) == {"sail"}
        assert legal_types(lay_out(full, options=table, red="rum")) == {"sail"}


def test_after_a_round_of_forced_passes_each_seat_draws_a_card_in_turn_order():
    before = lay_out(STUCK, turn="blue", forced_passes=2, deck="hat key skull bottle")
    after, events = play_with_events(before, End())
    assert after.turn_seat == 2
    assert [hand(after, seat) for seat in ("yellow", "red", "blue")] == ["hat", "key", "skull"]
    assert (deck(after), after.forced_passes) == ("bottle", 0)
    assert [event["type"] for event in events] == ["turn_passed", "stalemate_broken", *["cards_drawn"] * 3]


def test_the_turn_passes_before_the_stalemate_cards_are_drawn():
    before = lay_out(STUCK, turn="red", forced_passes=2, deck="hat key skull")
    after = play(before, End())
    assert after.turn_seat == 1
    assert hand(after, "blue") == "hat"


def test_only_seats_still_in_count_and_draw():
    line = "start:rbyg hat key goal"
    before = lay_out(line, turn="green", forced_passes=2, resigned="blue", deck="hat key skull bottle")
    after = play(before, End())
    assert [hand(after, seat) for seat in ("red", "blue", "yellow", "green")] == ["hat", "", "key", "skull"]
    assert after.forced_passes == 0


def test_stalemate_cards_come_from_the_row_if_there_is_one():
    before = lay_out(STUCK, turn="yellow", forced_passes=2, row="hat key", deck="skull bottle dagger hat")
    after = play(before, End())
    assert [hand(after, seat) for seat in ("red", "blue", "yellow")] == ["hat", "key", "skull"]
    assert row(after) == "bottle dagger"


def test_breaking_a_stalemate_deals_cards_as_far_as_they_last():
    after = play(lay_out(STUCK, turn="yellow", forced_passes=2, deck="hat"), End())
    assert [hand(after, seat) for seat in ("red", "blue", "yellow")] == ["hat", "", ""]
    assert after.forced_passes == 0


def test_a_whole_round_of_forced_passes_ends_with_a_card_for_everyone():
    after = play(lay_out(STUCK, deck="hat key skull"), End(), End(), End())
    assert (after.turn_seat, after.forced_passes) == (0, 0)
    assert [hand(after, seat) for seat in ("red", "blue", "yellow")] == ["hat", "key", "skull"]


def test_breaking_a_stalemate_moves_no_pirate():
    before = lay_out(STUCK, turn="yellow", forced_passes=2, deck="hat key skull")
    assert layout_of(play(before, End())) == layout_of(before)
