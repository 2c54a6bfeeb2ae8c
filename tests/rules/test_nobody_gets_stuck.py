"""Nobody may get stuck: forced passes are counted, and when all were forced each takes a card."""

from __future__ import annotations

from app import rules
from app.rules import Advance, Draw, End, Resign, Retreat
from app.rules.modules.complete import Sail
from tests.rules.table import deck, drawn, hand, kinds_of, picture, play, playing, row

STUCK = "start:rby hat key goal"


def test_an_end_with_nothing_taken_and_nothing_else_listed_is_a_forced_pass():
    after, told = playing(picture(STUCK, deck="hat"), End())
    assert (after.seat, after.forced_passes) == (1, 1)
    assert told == [{"type": "turn_passed", "seat": 0, "next": 1, "forced": True}]


def test_an_end_after_an_action_is_not_forced():
    before = picture("start:rrby hat key goal", red="hat", forced_passes=2)
    played = play(before, Advance("hat", "start"))
    assert rules.legal(played, 0) == [End()]
    assert play(played, End()).forced_passes == 0


def test_an_end_by_choice_is_not_forced_and_sets_the_count_to_nothing():
    before = picture(STUCK, red="hat", options={"min_actions": 0}, forced_passes=2)
    after, told = playing(before, End())
    assert (after.forced_passes, after.seat) == (0, 1)
    assert told[0]["forced"] is False


def test_with_no_least_number_of_actions_a_seat_with_nothing_to_do_is_still_forced():
    assert play(picture(STUCK, options={"min_actions": 0}), End()).forced_passes == 1


def test_every_other_action_sets_the_count_to_nothing():
    line = "start:rrby hat:b key skull:r goal"
    before = picture(line, red="hat key", deck="hat hat", forced_passes=2, options={"relief": "rest"})
    assert play(before, Advance("key", "start")).forced_passes == 0
    assert play(before, Retreat(3)).forced_passes == 0
    empty = picture(line, deck="hat hat", forced_passes=2, options={"relief": "rest"})
    assert play(empty, Draw()).forced_passes == 0


def test_a_resignation_sets_the_count_to_nothing_whoever_resigns():
    before = picture(STUCK, forced_passes=2)
    assert play(before, Resign(), by="blue").forced_passes == 0
    assert play(before, Resign(), by="red").forced_passes == 0


def test_a_sail_sets_the_count_to_nothing_even_a_free_one():
    line = "start:b chest hook sloop@cartagena:r rum pistol goal:r"
    after = play(picture(line, forced_passes=1), Sail())
    assert (after.captain_used, after.taken, after.forced_passes) == (True, 0, 0)


def test_in_the_complete_escape_something_is_always_left_to_do():
    """An end after a captain's free sail would be a forced pass, if ever nothing else were listed then."""
    at_tortuga = "start:b chest hook sloop@tortuga:r rum pistol goal:r"
    at_cartagena = "start:b chest hook sloop@cartagena:r rum pistol goal:r"
    full = "start:rb chest hook sloop@cartagena:rrr rum pistol goal"
    for relief in ("rest", "start"):
        table = {"relief": relief}
        assert kinds_of(picture(at_tortuga, options=table, captain_used=True)) == {"draw"}
        assert kinds_of(picture(at_tortuga, options=table, captain_used=True, red="hook")) == {"advance"}
        assert kinds_of(picture(at_cartagena, options=table, captain_used=True, red="hook")) == {"sail"}
        assert kinds_of(picture(full, options=table, red="rum")) == {"sail"}


def test_when_every_seat_still_in_was_forced_each_takes_a_card_beginning_with_the_seat_now_in_turn():
    before = picture(STUCK, turn="blue", forced_passes=2, deck="hat key skull bottle")
    after, told = playing(before, End())
    assert after.seat == 2
    assert [hand(after, seat) for seat in ("yellow", "red", "blue")] == ["hat", "key", "skull"]
    assert (deck(after), after.forced_passes) == ("bottle", 0)
    assert [event["type"] for event in told] == ["turn_passed", "stalemate_broken", *["cards_drawn"] * 3]


def test_the_turn_passes_on_before_the_cards_are_taken():
    before = picture(STUCK, turn="red", forced_passes=2, deck="hat key skull")
    after = play(before, End())
    assert after.seat == 1
    assert hand(after, "blue") == "hat"


def test_only_seats_still_in_count_and_take():
    line = "start:rbyg hat key goal"
    before = picture(line, turn="green", forced_passes=2, resigned="blue", deck="hat key skull bottle")
    after = play(before, End())
    assert [hand(after, seat) for seat in ("red", "blue", "yellow", "green")] == ["hat", "", "key", "skull"]
    assert after.forced_passes == 0


def test_these_cards_come_from_the_row_where_there_is_one():
    before = picture(STUCK, turn="yellow", forced_passes=2, row="hat key", deck="skull bottle dagger hat")
    after = play(before, End())
    assert [hand(after, seat) for seat in ("red", "blue", "yellow")] == ["hat", "key", "skull"]
    assert row(after) == "bottle dagger"


def test_the_guard_gives_what_there_is():
    after = play(picture(STUCK, turn="yellow", forced_passes=2, deck="hat"), End())
    assert [hand(after, seat) for seat in ("red", "blue", "yellow")] == ["hat", "", ""]
    assert after.forced_passes == 0


def test_a_whole_round_of_forced_passes_ends_with_a_card_for_everyone():
    after = play(picture(STUCK, deck="hat key skull"), End(), End(), End())
    assert (after.seat, after.forced_passes) == (0, 0)
    assert [hand(after, seat) for seat in ("red", "blue", "yellow")] == ["hat", "key", "skull"]


def test_pirates_do_not_move_by_the_guard():
    before = picture(STUCK, turn="yellow", forced_passes=2, deck="hat key skull")
    assert drawn(play(before, End())) == drawn(before)
