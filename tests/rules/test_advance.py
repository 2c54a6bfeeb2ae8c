"""Advance: one card, one pirate, to the first empty space ahead with that symbol."""

from __future__ import annotations

from app.rules import Advance
from tests.rules.layout import (
    discard,
    hand,
    is_legal,
    lay_out,
    layout_of,
    play,
    play_with_events,
    refusal_code,
)


def test_a_card_moves_a_pirate_past_occupied_spaces_to_the_next_empty_one():
    before = lay_out("start:r skull dagger:b hat dagger goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", "start"))) == "start skull dagger:b hat dagger:r goal"


def test_a_card_goes_to_the_first_empty_space_of_its_symbol_not_to_a_later_one():
    before = lay_out("start:rb hat dagger hat dagger goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", "start"))) == "start:b hat dagger:r hat dagger goal"


def test_a_players_own_pirates_occupy_spaces_too():
    before = lay_out("start:r dagger:r hat dagger:b dagger goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", "start"))) == "start dagger:r hat dagger:b dagger:r goal"


def test_an_empty_space_behind_the_pirate_does_not_count():
    before = lay_out("start:rb dagger hat:r dagger goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", 2))) == "start:rb dagger hat dagger:r goal"


def test_the_space_the_pirate_stands_on_is_not_ahead_of_it():
    before = lay_out("start:rb dagger:r hat dagger goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", 1))) == "start:rb dagger hat dagger:r goal"


def test_with_no_empty_space_of_the_symbol_ahead_the_pirate_reaches_the_goal():
    before = lay_out("start:rr dagger:b hat dagger:b goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", "start"))) == "start:r dagger:b hat dagger:b goal:r"


def test_with_no_space_of_the_symbol_ahead_at_all_the_pirate_reaches_the_goal():
    before = lay_out("start:rb dagger hat:r skull goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", 2))) == "start:rb dagger hat skull goal:r"


def test_the_card_goes_on_the_discards():
    after = play(
        lay_out("start:rb dagger hat goal", red="dagger hat", discard="skull"), Advance("dagger", "start")
    )
    assert hand(after, "red") == "hat"
    assert discard(after) == "skull dagger"


def test_only_one_of_several_equal_cards_is_played():
    after = play(lay_out("start:rb dagger hat goal", red="dagger dagger"), Advance("dagger", "start"))
    assert hand(after, "red") == "dagger"


def test_only_one_of_several_pirates_on_a_place_moves():
    before = lay_out("start:rrb hat:rr dagger goal", red="dagger")
    assert layout_of(play(before, Advance("dagger", 1))) == "start:rrb hat:r dagger:r goal"


def test_a_pirate_at_the_goal_never_advances():
    before = lay_out("start:rb dagger hat goal:r", red="dagger")
    assert not is_legal(before, Advance("dagger", "goal"))


def test_a_card_that_is_not_held_cannot_be_played():
    before = lay_out("start:rb dagger hat goal", red="hat", blue="dagger")
    assert not is_legal(before, Advance("dagger", "start"))


def test_an_advance_needs_a_pirate_of_the_player_at_the_place():
    before = lay_out("start:rb dagger hat:b skull goal", red="dagger")
    assert not is_legal(before, Advance("dagger", 2))
    assert not is_legal(before, Advance("dagger", 1))


def test_a_place_that_the_route_does_not_have_is_refused_like_an_empty_one():
    before = lay_out("start:rb dagger hat goal", red="dagger")
    assert refusal_code(before, Advance("dagger", 99)) == "illegal"
    assert refusal_code(before, Advance("dagger", "sloop")) == "illegal"


def test_a_card_always_moves_a_pirate():
    """A card is never discarded without moving a pirate: every listed advance changes the route."""
    before = lay_out("start:rb dagger:r hat:b skull:r goal:b", red="dagger hat skull")
    for card in ("dagger", "hat", "skull"):
        for origin in ("start", 1, 3):
            after = play(before, Advance(card, origin))
            assert layout_of(after) != layout_of(before)


def test_an_advance_is_one_action_and_the_turn_goes_on():
    after = play(lay_out("start:rrb dagger hat goal", red="dagger hat"), Advance("dagger", "start"))
    assert (after.turn_seat, after.actions_taken) == (0, 1)


def test_the_event_has_card_origin_and_destination():
    _, events = play_with_events(lay_out("start:rrb dagger hat goal", red="hat"), Advance("hat", "start"))
    assert events == [{"type": "advanced", "seat": 0, "card": "hat", "from": "start", "to": 2}]


def test_apply_does_not_change_the_old_position():
    before = lay_out("start:rrb dagger hat goal", red="dagger hat")
    play(before, Advance("dagger", "start"))
    assert before == lay_out("start:rrb dagger hat goal", red="dagger hat")
