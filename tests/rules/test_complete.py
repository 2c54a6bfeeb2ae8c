"""The complete escape: start, passage, sloop, jungle, goal."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, Retreat
from app.rules.modules.complete import Sail
from tests.rules.table import SEED, drawn, hand, may, picture, play, playing

AT_CARTAGENA = "start:rb chest:r hook:b rum sloop@cartagena:r chest hook:b rum goal:r"
AT_TORTUGA = AT_CARTAGENA.replace("cartagena", "tortuga")


def test_the_sloop_lies_at_cartagena_first():
    options = rules.parse_options({"preset": "complete", "players": 2})
    assert rules.new_game(options, SEED).sloop == "cartagena"


def test_outside_the_complete_escape_there_is_no_sloop():
    for preset in ("jamaica", "dungeon", "jungle"):
        position = rules.new_game(rules.parse_options({"preset": preset, "players": 2}), SEED)
        assert position.sloop is None
        assert not may(position, Sail())


# --- advancing


def test_from_the_start_a_card_goes_to_the_first_empty_space_of_the_passage():
    after = play(picture(AT_CARTAGENA, red="rum"), Advance("rum", "start"))
    assert drawn(after) == "start:b chest:r hook:b rum:r sloop@cartagena:r chest hook:b rum goal:r"


@pytest.mark.parametrize("origin", ["start", 1])
def test_with_no_empty_matching_space_in_the_passage_the_pirate_boards_the_sloop(origin):
    after = play(picture(AT_CARTAGENA, red="hook"), Advance("hook", origin))
    assert after.pirates[0].count(after.ruleset.route.sloop) == 2


def test_a_pirate_never_goes_from_the_passage_straight_into_the_jungle():
    before = picture("start:rb chest hook:b sloop@cartagena chest hook goal", red="hook")
    assert drawn(play(before, Advance("hook", "start"))) == (
        "start:b chest hook:b sloop@cartagena:r chest hook goal"
    )


def test_nobody_boards_while_the_sloop_lies_at_tortuga():
    before = picture(AT_TORTUGA, red="hook rum")
    assert not may(before, Advance("hook", "start"))
    assert not may(before, Advance("hook", 1))
    assert may(before, Advance("rum", 1)), "Within the passage the sloop does not matter."


def test_no_more_than_three_of_a_colour_go_aboard():
    full = picture("start:rb chest hook sloop@cartagena:rrrbb rum pistol goal", red="rum", blue="rum")
    assert not may(full, Advance("rum", "start"))
    full.seat = 1
    assert may(full, Advance("rum", "start"), by="blue"), "Every colour has room for three of its own."


def test_from_the_sloop_a_card_works_only_at_tortuga():
    assert not may(picture(AT_CARTAGENA, red="rum"), Advance("rum", "sloop"))
    after = play(picture(AT_TORTUGA, red="rum"), Advance("rum", "sloop"))
    assert drawn(after) == "start:rb chest:r hook:b rum sloop@tortuga chest hook:b rum:r goal:r"


def test_from_the_sloop_with_no_empty_matching_jungle_space_the_pirate_reaches_the_goal():
    after = play(picture(AT_TORTUGA, red="hook"), Advance("hook", "sloop"))
    assert drawn(after) == "start:rb chest:r hook:b rum sloop@tortuga chest hook:b rum goal:rr"


def test_within_the_jungle_a_card_goes_ahead_there_or_to_the_goal():
    line = "start:rb chest hook sloop@cartagena chest:r hook goal"
    assert drawn(play(picture(line, red="hook"), Advance("hook", 3))) == (
        "start:rb chest hook sloop@cartagena chest hook:r goal"
    )
    assert drawn(play(picture(line, red="chest"), Advance("chest", 3))) == (
        "start:rb chest hook sloop@cartagena chest hook goal:r"
    )


# --- retreating


def test_in_the_passage_a_pirate_falls_back_to_the_passage():
    before = picture("start:rb chest:b hook rum:r sloop@tortuga chest hook rum goal", deck="hook")
    assert drawn(play(before, Retreat(3))) == "start:rb chest:rb hook rum sloop@tortuga chest hook rum goal"


def test_from_the_sloop_a_pirate_falls_back_to_the_passage_only_at_cartagena():
    line = "start:rb chest hook:b sloop@cartagena:r rum pistol goal"
    after = play(picture(line, deck="hook"), Retreat("sloop"))
    assert drawn(after) == "start:rb chest hook:rb sloop@cartagena rum pistol goal"
    assert hand(after, "red") == "hook"
    assert not may(picture(line.replace("cartagena", "tortuga"), deck="hook"), Retreat("sloop"))


@pytest.mark.parametrize("origin", [4, "goal"])
def test_jungle_and_goal_fall_back_within_the_jungle_only(origin):
    company_in_jungle = "start:rb chest:b hook sloop@cartagena:b rum:b pistol:rbb goal:r"
    after = play(picture(company_in_jungle, deck="hook"), Retreat(origin))
    assert 3 in [after.ruleset.route.names[place] for place in after.pirates[0]]
    company_in_passage = "start:rb chest:b hook sloop@cartagena:bb rum pistol:rbb goal:r"
    assert not may(picture(company_in_passage, deck="hook"), Retreat(origin))


def test_nobody_ever_falls_back_into_the_sloop():
    line = "start:rb chest hook sloop@tortuga:b rum pistol:r goal"
    assert not may(picture(line, deck="hook"), Retreat(4))


def test_pirates_aboard_are_not_company():
    line = "start:rbb chest hook sloop@cartagena:rb rum pistol goal"
    assert not may(picture(line, deck="hook"), Retreat("sloop"))


# --- sailing


def test_to_tortuga_a_pirate_aboard_is_needed():
    assert may(picture(AT_CARTAGENA), Sail())
    assert not may(picture("start:r chest hook sloop@cartagena:b rum pistol goal"), Sail())


def test_back_to_cartagena_a_pirate_at_start_or_in_the_passage_is_needed():
    assert may(picture("start:rb chest hook sloop@tortuga rum pistol goal"), Sail())
    assert may(picture("start:b chest:r hook sloop@tortuga rum pistol goal"), Sail())
    assert not may(picture("start:b chest hook sloop@tortuga:r rum:r pistol goal:r"), Sail())


def test_all_aboard_go_with_the_sloop_and_no_card_is_needed():
    line = "start:bb chest hook sloop@cartagena:rbb rum pistol goal"
    after, told = playing(picture(line), Sail())
    assert drawn(after) == line.replace("cartagena", "tortuga")
    assert told == [{"type": "sailed", "seat": 0, "to": "tortuga", "free": False}]
    assert after.taken == 1


def test_the_sloop_goes_to_and_fro():
    line = "start:r chest hook sloop@cartagena:rbb rum pistol goal"
    after = play(picture(line), Sail(), Sail())
    assert drawn(after) == line
    assert after.taken == 2


def test_a_sail_needs_an_action_left():
    assert not may(picture(AT_CARTAGENA, taken=3), Sail())


def test_numbering_runs_on_from_the_passage_into_the_jungle():
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
