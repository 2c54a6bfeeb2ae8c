"""The complete escape: start, passage, sloop, jungle, goal."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, Retreat
from app.rules.modules.complete import Sail
from tests.rules.layout import SEED, hand, is_legal, lay_out, layout_of, play, play_with_events

AT_CARTAGENA = "start:rb chest:r hook:b rum sloop@cartagena:r chest hook:b rum goal:r"
AT_TORTUGA = AT_CARTAGENA.replace("cartagena", "tortuga")


def test_the_sloop_lies_at_cartagena_first():
    options = rules.parse_options({"preset": "complete", "players": 2})
    assert rules.new_game(options, SEED).sloop == "cartagena"


def test_outside_the_complete_escape_there_is_no_sloop():
    for preset in ("jamaica", "dungeon", "jungle"):
        position = rules.new_game(rules.parse_options({"preset": preset, "players": 2}), SEED)
        assert position.sloop is None
        assert not is_legal(position, Sail())


# --- advancing


def test_from_the_start_a_card_goes_to_the_first_empty_space_of_the_passage():
    after = play(lay_out(AT_CARTAGENA, red="rum"), Advance("rum", "start"))
    assert layout_of(after) == "start:b chest:r hook:b rum:r sloop@cartagena:r chest hook:b rum goal:r"


@pytest.mark.parametrize("origin", ["start", 1])
def test_with_no_empty_matching_space_in_the_passage_the_pirate_boards_the_sloop(origin):
    after = play(lay_out(AT_CARTAGENA, red="hook"), Advance("hook", origin))
    assert after.pirates[0].count(after.ruleset.route.sloop) == 2


def test_a_pirate_never_goes_from_the_passage_straight_into_the_jungle():
    before = lay_out("start:rb chest hook:b sloop@cartagena chest hook goal", red="hook")
    assert layout_of(play(before, Advance("hook", "start"))) == (
        "start:b chest hook:b sloop@cartagena:r chest hook goal"
    )


def test_no_pirate_boards_while_the_sloop_is_at_tortuga():
    before = lay_out(AT_TORTUGA, red="hook rum")
    assert not is_legal(before, Advance("hook", "start"))
    assert not is_legal(before, Advance("hook", 1))
    assert is_legal(before, Advance("rum", 1)), "Within the passage the sloop does not matter."


def test_at_most_three_pirates_of_a_colour_board():
    full = lay_out("start:rb chest hook sloop@cartagena:rrrbb rum pistol goal", red="rum", blue="rum")
    assert not is_legal(full, Advance("rum", "start"))
    full.turn_seat = 1
    assert is_legal(full, Advance("rum", "start"), by="blue"), "Every colour has room for three of its own."


def test_from_the_sloop_a_card_works_only_at_tortuga():
    assert not is_legal(lay_out(AT_CARTAGENA, red="rum"), Advance("rum", "sloop"))
    after = play(lay_out(AT_TORTUGA, red="rum"), Advance("rum", "sloop"))
    assert layout_of(after) == "start:rb chest:r hook:b rum sloop@tortuga chest hook:b rum:r goal:r"


def test_from_the_sloop_with_no_empty_matching_jungle_space_the_pirate_reaches_the_goal():
    after = play(lay_out(AT_TORTUGA, red="hook"), Advance("hook", "sloop"))
    assert layout_of(after) == "start:rb chest:r hook:b rum sloop@tortuga chest hook:b rum goal:rr"


def test_within_the_jungle_a_card_goes_ahead_there_or_to_the_goal():
    line = "start:rb chest hook sloop@cartagena chest:r hook goal"
    assert layout_of(play(lay_out(line, red="hook"), Advance("hook", 3))) == (
        "start:rb chest hook sloop@cartagena chest hook:r goal"
    )
    assert layout_of(play(lay_out(line, red="chest"), Advance("chest", 3))) == (
        "start:rb chest hook sloop@cartagena chest hook goal:r"
    )


# --- retreating


def test_a_pirate_in_the_passage_retreats_within_the_passage():
    before = lay_out("start:rb chest:b hook rum:r sloop@tortuga chest hook rum goal", deck="hook")
    assert (
        layout_of(play(before, Retreat(3))) == "start:rb chest:rb hook rum sloop@tortuga chest hook rum goal"
    )


def test_a_pirate_retreats_from_the_sloop_to_the_passage_only_at_cartagena():
    line = "start:rb chest hook:b sloop@cartagena:r rum pistol goal"
    after = play(lay_out(line, deck="hook"), Retreat("sloop"))
    assert layout_of(after) == "start:rb chest hook:rb sloop@cartagena rum pistol goal"
    assert hand(after, "red") == "hook"
    assert not is_legal(lay_out(line.replace("cartagena", "tortuga"), deck="hook"), Retreat("sloop"))


@pytest.mark.parametrize("origin", [4, "goal"])
def test_pirates_in_jungle_and_goal_retreat_only_within_the_jungle(origin):
    company_in_jungle = "start:rb chest:b hook sloop@cartagena:b rum:b pistol:rbb goal:r"
    after = play(lay_out(company_in_jungle, deck="hook"), Retreat(origin))
    assert 3 in [after.ruleset.route.names[place] for place in after.pirates[0]]
    company_in_passage = "start:rb chest:b hook sloop@cartagena:bb rum pistol:rbb goal:r"
    assert not is_legal(lay_out(company_in_passage, deck="hook"), Retreat(origin))


def test_no_pirate_retreats_into_the_sloop():
    line = "start:rb chest hook sloop@tortuga:b rum pistol:r goal"
    assert not is_legal(lay_out(line, deck="hook"), Retreat(4))


def test_pirates_aboard_are_not_company():
    line = "start:rbb chest hook sloop@cartagena:rb rum pistol goal"
    assert not is_legal(lay_out(line, deck="hook"), Retreat("sloop"))


# --- sailing


def test_sailing_to_tortuga_needs_a_pirate_aboard():
    assert is_legal(lay_out(AT_CARTAGENA), Sail())
    assert not is_legal(lay_out("start:r chest hook sloop@cartagena:b rum pistol goal"), Sail())


def test_sailing_to_cartagena_needs_a_pirate_at_start_or_in_the_passage():
    assert is_legal(lay_out("start:rb chest hook sloop@tortuga rum pistol goal"), Sail())
    assert is_legal(lay_out("start:b chest:r hook sloop@tortuga rum pistol goal"), Sail())
    assert not is_legal(lay_out("start:b chest hook sloop@tortuga:r rum:r pistol goal:r"), Sail())


def test_a_sail_needs_no_card_and_moves_all_aboard():
    line = "start:bb chest hook sloop@cartagena:rbb rum pistol goal"
    after, events = play_with_events(lay_out(line), Sail())
    assert layout_of(after) == line.replace("cartagena", "tortuga")
    assert events == [{"type": "sailed", "seat": 0, "to": "tortuga", "free": False}]
    assert after.actions_taken == 1


def test_the_sloop_sails_back_and_forth():
    line = "start:r chest hook sloop@cartagena:rbb rum pistol goal"
    after = play(lay_out(line), Sail(), Sail())
    assert layout_of(after) == line
    assert after.actions_taken == 2


def test_a_sail_needs_an_action_left():
    assert not is_legal(lay_out(AT_CARTAGENA, taken=3), Sail())


def test_numbering_continues_from_the_passage_into_the_jungle():
    options = rules.parse_options({"preset": "complete", "players": 2})
    route = rules.new_game(options, SEED).ruleset.route
    assert route.names == ("start", *range(1, 19), "sloop", *range(19, 37), "goal")


@pytest.mark.parametrize(("passage", "jungle"), [(3, 5), (5, 3), (4, 4), (3, 3)])
def test_the_two_sides_may_differ_in_length(passage, jungle):
    options = rules.parse_options(
        {"preset": "complete", "players": 2, "passage_boards": passage, "jungle_boards": jungle}
    )
    route = rules.new_game(options, SEED).ruleset.route
    assert route.names.index("sloop") == passage * 6 + 1
    assert route.goal == (passage + jungle) * 6 + 2
