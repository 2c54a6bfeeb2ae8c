"""Retreat: back to the nearest company, drawing a card for each pirate that stood there."""

from __future__ import annotations

import pytest

from app.rules import Advance, Retreat
from tests.rules.layout import deck, hand, is_legal, lay_out, layout_of, play, play_with_events


def test_a_pirate_retreats_to_one_pirate_and_draws_one_card():
    after = play(lay_out("start:rb hat:b key dagger:r goal", deck="skull hat"), Retreat(3))
    assert layout_of(after) == "start:rb hat:rb key dagger goal"
    assert hand(after, "red") == "skull"
    assert deck(after) == "hat"


def test_a_pirate_retreats_to_two_pirates_and_draws_two_cards():
    after = play(lay_out("start:r hat:bb key dagger:r goal", deck="skull hat key"), Retreat(3))
    assert layout_of(after) == "start:r hat:rbb key dagger goal"
    assert hand(after, "red") == "hat skull"


def test_empty_spaces_are_skipped():
    after = play(lay_out("start:r hat:b key skull bottle:r goal", deck="key"), Retreat(4))
    assert layout_of(after) == "start:r hat:rb key skull bottle goal"


def test_spaces_with_three_are_skipped():
    after = play(lay_out("start:r hat:b key:bbr bottle:r goal", deck="key key"), Retreat(3))
    assert layout_of(after) == "start:r hat:rb key:rbb bottle goal"
    assert hand(after, "red") == "key"


def test_company_of_one_is_not_skipped_to_reach_company_of_two():
    after = play(lay_out("start:r hat:bb key:b bottle:r goal", deck="key key"), Retreat(3))
    assert layout_of(after) == "start:r hat:bb key:rb bottle goal"
    assert hand(after, "red") == "key"


def test_company_of_two_is_not_skipped_to_reach_company_of_one():
    after = play(lay_out("start:r hat:b key:bb bottle:r goal", deck="key key"), Retreat(3))
    assert layout_of(after) == "start:r hat:b key:rbb bottle goal"
    assert hand(after, "red") == "key key"


def test_own_pirates_are_company_too():
    after = play(lay_out("start:b hat:rr key bottle:r goal", deck="key key"), Retreat(3))
    assert layout_of(after) == "start:b hat:rrr key bottle goal"


def test_mixed_colours_are_company():
    after = play(lay_out("start:b hat:rb key bottle:r goal", deck="key key"), Retreat(3))
    assert layout_of(after) == "start:b hat:rrb key bottle goal"


def test_pirates_of_a_seat_that_has_resigned_are_company_too():
    after = play(lay_out("start:rb hat:y key bottle:r goal", resigned="yellow", deck="key"), Retreat(3))
    assert layout_of(after) == "start:rb hat:ry key bottle goal"
    assert hand(after, "red") == "key"


def test_company_on_the_pirates_own_space_does_not_count():
    before = lay_out("start:r hat key:rb bottle goal", deck="key")
    assert not is_legal(before, Retreat(2))


def test_company_ahead_does_not_count():
    before = lay_out("start:r hat key:r bottle:b goal", deck="key")
    assert not is_legal(before, Retreat(2))


def test_without_company_behind_a_retreat_is_illegal():
    before = lay_out("start:rb hat:rbb key:r goal", deck="key")
    assert not is_legal(before, Retreat(1))
    assert not is_legal(before, Retreat(2)), "Three on a space are not company."


def test_no_pirate_retreats_to_the_start():
    before = lay_out("start:rbb hat:r goal", deck="key")
    assert not is_legal(before, Retreat(1))


def test_a_pirate_at_the_start_cannot_retreat():
    before = lay_out("start:rb hat:b goal", deck="key")
    assert not is_legal(before, Retreat("start"))


@pytest.mark.parametrize("preset", ["jamaica", "tortuga", "hispaniola", "first-escape", "dungeon", "jungle"])
def test_a_pirate_can_retreat_from_the_goal_in_every_edition(preset):
    line = "start:rb chest:b hook goal:r" if preset in ("dungeon", "jungle") else "start:rb hat:b key goal:r"
    before = lay_out(line, options={"preset": preset, "supply": "deck"}, deck="pistol")
    after = play(before, Retreat("goal"))
    assert layout_of(after) == line.replace(":b ", ":rb ").replace("goal:r", "goal")
    assert hand(after, "red") == "pistol"


def test_a_player_retreats_only_their_own_pirates():
    before = lay_out("start:rb hat:b key:b goal:r", deck="key")
    assert not is_legal(before, Retreat(2))


def test_a_card_just_drawn_may_be_played_at_once():
    before = lay_out("start:rb hat:b key bottle:r skull goal", deck="skull")
    after = play(before, Retreat(3), Advance("skull", 1))
    assert layout_of(after) == "start:rb hat:b key bottle skull:r goal"


def test_one_pirate_may_retreat_several_times():
    before = lay_out("start:rb hat:b key:b skull:b bottle:r goal", deck="key key key")
    after = play(before, Retreat(4), Retreat(3), Retreat(2))
    assert layout_of(after) == "start:rb hat:rb key:b skull:b bottle goal"
    assert (hand(after, "red"), after.actions_taken) == ("key key key", 3)


def test_there_is_no_hand_limit():
    many = " ".join(["key"] * 17)
    after = play(lay_out("start:rb hat:b key bottle:r goal", red=many, deck="skull"), Retreat(3))
    assert after.hand_sizes[0] == 18


def test_the_events_are_the_retreat_and_then_the_cards():
    _, events = play_with_events(lay_out("start:rb hat:b key bottle:r goal", deck="skull"), Retreat(3))
    assert events == [
        {"type": "retreated", "seat": 0, "from": 3, "to": 1},
        {"type": "cards_drawn", "seat": 0, "source": "deck", "cards": ["skull"], "count": 1},
    ]
