"""Morgan: moving another seat's pirate ahead to company wins cards."""

from __future__ import annotations

import pytest

from app.rules import Advance, Retreat, legal
from app.rules.modules.morgan import MoveWithMorgan
from tests.rules.layout import hand, is_legal, lay_out, layout_of, legal_types, play, play_with_events

MORGAN = {"card_gain": "morgan"}


def morgan(line, **more):
    return lay_out(line, options=MORGAN | more.pop("options", {}), **more)


def test_morgan_moves_another_seats_pirate_to_the_nearest_company_ahead():
    before = morgan("start:r hat:b key skull:y bottle:r goal", deck="hat key")
    after, events = play_with_events(before, MoveWithMorgan(1, 1))
    assert layout_of(after) == "start:r hat key skull:by bottle:r goal"
    assert hand(after, "red") == "hat"
    assert events[0] == {"type": "morgan_moved", "seat": 0, "player": 1, "from": 1, "to": 3}
    assert after.actions_taken == 1


def test_morgan_draws_two_cards_for_company_of_two():
    after = play(morgan("start:r hat:b key:rr goal", deck="hat key skull"), MoveWithMorgan(1, 1))
    assert layout_of(after) == "start:r hat key:rrb goal"
    assert hand(after, "red") == "hat key"


def test_spaces_with_three_and_empty_ones_are_skipped():
    after = play(morgan("start:r hat:b key:rrb skull bottle:r goal", deck="hat key"), MoveWithMorgan(1, 1))
    assert layout_of(after) == "start:r hat key:rrb skull bottle:rb goal"


def test_morgan_ignores_company_behind():
    after = play(morgan("start:r hat:rr key:b skull goal:r", deck="hat key skull"), MoveWithMorgan(1, 2))
    assert layout_of(after) == "start:r hat:rr key skull goal:rb"


def test_without_company_ahead_morgan_moves_to_the_goal_for_two_cards():
    before = morgan("start:rb hat:b key skull goal", deck="hat key skull")
    after = play(before, MoveWithMorgan(1, 1))
    assert layout_of(after) == "start:rb hat key skull goal:b"
    assert hand(after, "red") == "hat key"


def test_on_an_empty_route_morgan_moves_from_start_to_goal():
    after = play(morgan("start:rbb hat key goal", deck="hat key skull"), MoveWithMorgan(1, "start"))
    assert layout_of(after) == "start:rb hat key goal:b"
    assert hand(after, "red") == "hat key"


def test_morgan_moves_from_the_start_to_the_nearest_company():
    after = play(morgan("start:rb hat key:r goal", deck="hat key"), MoveWithMorgan(1, "start"))
    assert layout_of(after) == "start:r hat key:rb goal"


def test_morgan_never_moves_a_pirate_from_the_goal():
    assert not is_legal(morgan("start:rb hat key goal:b", deck="hat"), MoveWithMorgan(1, "goal"))


def test_morgan_never_moves_the_players_own_pirate():
    assert not is_legal(morgan("start:rb hat:r key:b goal", deck="hat"), MoveWithMorgan(0, 1))


def test_morgan_needs_an_existing_pirate_and_seat():
    before = morgan("start:rb hat:r key:b goal", deck="hat")
    assert not is_legal(before, MoveWithMorgan(1, 1))
    assert not is_legal(before, MoveWithMorgan(4, 1))


def test_morgan_needs_an_action_left():
    assert not is_legal(morgan("start:rb hat:r key:b goal", deck="hat", taken=3), MoveWithMorgan(1, 2))


def test_pirates_of_a_resigned_seat_are_company_for_morgan_too():
    before = morgan("start:rb hat key:y goal", resigned="yellow", deck="hat key")
    assert layout_of(play(before, MoveWithMorgan(1, "start"))) == "start:r hat key:by goal"


def test_a_card_won_by_morgan_may_be_played_at_once():
    before = morgan("start:rrb hat key:r skull goal", deck="skull")
    after = play(before, MoveWithMorgan(1, "start"), Advance("skull", "start"))
    assert layout_of(after) == "start:r hat key:rb skull:r goal"


# --- card_gain


@pytest.mark.parametrize(
    ("gain", "ways"),
    [("retreat", {"retreat"}), ("morgan", {"morgan"}), ("both", {"retreat", "morgan"})],
)
def test_card_gain_selects_retreat_or_morgan(gain, ways):
    before = lay_out("start:rb hat:b key:r skull goal", deck="hat", options={"card_gain": gain})
    assert legal_types(before) == ways


@pytest.mark.parametrize("gain", ["morgan", "both"])
def test_morgan_plays_in_the_complete_escape_on_both_sides(gain):
    line = "start:rb chest:b hook:r sloop@tortuga:b rum:b pistol:r goal"
    before = lay_out(line, deck="hook", options={"card_gain": gain})
    moved = {action.origin for action in legal(before, 0) if isinstance(action, MoveWithMorgan)}
    assert moved == {"start", 1, "sloop", 3}


# --- in the complete escape


COMPLETE = {"card_gain": "both"}


def test_company_ahead_counts_only_on_the_pirates_own_side():
    line = "start:rb chest:b hook sloop@cartagena rum:r pistol goal"
    after = play(lay_out(line, deck="hook hook hook", options=COMPLETE), MoveWithMorgan(1, 1))
    assert layout_of(after) == "start:rb chest hook sloop@cartagena:b rum:r pistol goal"
    assert hand(after, "red") == "hook hook"


def test_on_an_empty_passage_morgan_moves_from_start_to_the_sloop():
    line = "start:rb chest hook sloop@cartagena rum:r pistol goal"
    after = play(lay_out(line, deck="hook hook hook", options=COMPLETE), MoveWithMorgan(1, "start"))
    assert layout_of(after) == "start:r chest hook sloop@cartagena:b rum:r pistol goal"
    assert hand(after, "red") == "hook hook"


def test_morgan_moves_no_pirate_aboard_while_the_sloop_is_away():
    line = "start:rb chest:b hook sloop@tortuga rum pistol goal"
    assert not is_legal(lay_out(line, deck="hook", options=COMPLETE), MoveWithMorgan(1, 1))


def test_morgan_moves_no_pirate_aboard_without_room_for_its_colour():
    line = "start:rb chest:b hook sloop@cartagena:bbb rum pistol goal"
    assert not is_legal(lay_out(line, deck="hook", options=COMPLETE), MoveWithMorgan(1, 1))
    other = "start:rb chest:b hook sloop@cartagena:bbr rum pistol goal"
    assert is_legal(lay_out(other, deck="hook", options=COMPLETE), MoveWithMorgan(1, 1))


def test_morgan_moves_pirates_from_the_sloop_only_at_tortuga():
    line = "start:rb chest hook sloop@cartagena:b rum:r pistol goal"
    assert not is_legal(lay_out(line, deck="hook", options=COMPLETE), MoveWithMorgan(1, "sloop"))
    after = play(
        lay_out(line.replace("cartagena", "tortuga"), deck="hook", options=COMPLETE),
        MoveWithMorgan(1, "sloop"),
    )
    assert layout_of(after) == "start:rb chest hook sloop@tortuga rum:rb pistol goal"


def test_without_company_ahead_morgan_moves_from_sloop_or_jungle_to_the_goal():
    line = "start:rb chest hook sloop@tortuga:b rum:b pistol goal"
    before = lay_out(line, deck="hook hook hook", options=COMPLETE)
    assert (
        layout_of(play(before, MoveWithMorgan(1, 3)))
        == "start:rb chest hook sloop@tortuga:b rum pistol goal:b"
    )
    after = play(before, MoveWithMorgan(1, "sloop"))
    assert layout_of(after) == "start:rb chest hook sloop@tortuga rum:bb pistol goal", (
        "Its own colour is company."
    )


# --- split


def split(line, **more):
    return lay_out(line, options={"card_gain": "split"}, deck="hook hook hook", **more)


def test_split_retreats_in_the_passage_and_from_the_sloop_at_cartagena():
    before = split("start:rb chest:b hook:r sloop@cartagena:r rum:b pistol:r goal:r")
    retreats = {action.origin for action in legal(before, 0) if isinstance(action, Retreat)}
    assert retreats == {2, "sloop"}


def test_split_never_retreats_from_jungle_or_goal():
    before = split("start:rb chest hook sloop@cartagena rum:b pistol:r goal:r")
    assert not is_legal(before, Retreat(4))
    assert not is_legal(before, Retreat("goal"))


def test_split_moves_pirates_ahead_only_in_the_jungle_and_from_the_sloop_at_tortuga():
    before = split("start:rb chest:b hook:r sloop@tortuga:b rum:b pistol:r goal:b")
    moved = {action.origin for action in legal(before, 0) if isinstance(action, MoveWithMorgan)}
    assert moved == {"sloop", 3}
    at_cartagena = split("start:rb chest:b hook:r sloop@cartagena:b rum:b pistol:r goal:b")
    moved = {action.origin for action in legal(at_cartagena, 0) if isinstance(action, MoveWithMorgan)}
    assert moved == {3}


def test_split_never_moves_pirates_ahead_from_start_or_passage():
    before = split("start:rb chest:b hook:r sloop@cartagena rum pistol goal")
    assert not is_legal(before, MoveWithMorgan(1, "start"))
    assert not is_legal(before, MoveWithMorgan(1, 1))
