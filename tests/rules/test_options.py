"""Presets, options, and refused combinations."""

from __future__ import annotations

import itertools

import pytest

from app import rules
from app.rules import BadOptions, options_to_json, parse_options

ALL_EDITIONS = {
    "row_size": 12,
    "actions": 3,
    "card_gain": "retreat",
    "scoundrels": False,
    "black_magic": False,
    "first": "random",
    "pirates": 6,
}
PASSAGE = {"scenario": "passage", "passage_boards": 6, "jungle_boards": 0}
JUNGLE = {"scenario": "jungle", "passage_boards": 0, "jungle_boards": 6}
BOTH = {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3}


def edition(symbols, hands, supply, copies, route, board, least, relief, **more):
    named = {"symbols": symbols, "hands": hands, "supply": supply, "copies": copies}
    return ALL_EDITIONS | named | route | {"board": board, "min_actions": least, "relief": relief} | more


TABLE = {
    "jamaica": edition("classic", "hidden", "deck", 17, PASSAGE, "printed", 1, "none"),
    "tortuga": edition("classic", "open", "row", 17, PASSAGE, "printed", 1, "none"),
    "hispaniola": edition("classic", "hidden", "row", 17, PASSAGE, "printed", 0, "none"),
    "first-escape": edition("classic", "hidden", "row", 18, PASSAGE, "printed", 0, "start", row_size=10),
    "dungeon": edition("escape", "hidden", "deck", 17, PASSAGE, "random", 1, "rest"),
    "jungle": edition("escape", "hidden", "deck", 17, JUNGLE, "random", 1, "rest"),
    "complete": edition("escape", "hidden", "deck", 17, BOTH, "random", 1, "rest"),
}


def table(preset="jamaica", players=3, **changed):
    return {"preset": preset, "players": players, **changed}


@pytest.mark.parametrize("preset", TABLE)
def test_a_preset_is_the_edition_of_the_table(preset):
    assert options_to_json(parse_options(table(preset))) == table(preset) | TABLE[preset]


def test_there_are_seven_presets():
    assert tuple(rules.PRESETS) == tuple(TABLE)


@pytest.mark.parametrize("missing", ["preset", "players"])
def test_preset_and_players_must_be_given(missing):
    given = table()
    del given[missing]
    with pytest.raises(BadOptions, match=missing):
        parse_options(given)


@pytest.mark.parametrize("given", [None, [], "jamaica", 3, True])
def test_options_are_an_object(given):
    with pytest.raises(BadOptions):
        parse_options(given)


def test_changing_an_option_keeps_the_name_of_the_preset():
    options = parse_options(table("tortuga", hands="hidden", actions=4))
    assert (options.preset, options.hands, options.actions, options.supply) == ("tortuga", "hidden", 4, "row")


def test_options_round_trip_when_all_are_given():
    options = parse_options(table("complete"))
    assert parse_options(options_to_json(options)) == options


RANGES = {
    "players": (2, 5),
    "copies": (10, 30),
    "row_size": (1, 20),
    "actions": (1, 5),
    "pirates": (4, 8),
}


@pytest.mark.parametrize("name", RANGES)
def test_numbers_are_accepted_from_minimum_to_maximum(name):
    low, high = RANGES[name]
    for value in (low, high):
        assert getattr(parse_options(table() | {name: value}), name) == value
    for wrong in (low - 1, high + 1, -1, float(low), str(low), True, None):
        with pytest.raises(BadOptions, match=name):
            parse_options(table() | {name: wrong})


@pytest.mark.parametrize("actions", [1, 2, 3, 4, 5])
def test_min_actions_is_at_most_actions(actions):
    for least in range(6):
        given = table(actions=actions, min_actions=least)
        if least <= actions:
            assert parse_options(given).min_actions == least
        else:
            with pytest.raises(BadOptions, match="min_actions"):
                parse_options(given)
    with pytest.raises(BadOptions):
        parse_options(table(actions=actions, min_actions=-1))


CHOICES = ("preset", "symbols", "hands", "supply", "scenario", "board", "relief", "card_gain")


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("value", ["nothing", "", None, 1, True, ["deck"], {}])
def test_an_unknown_value_is_refused_with_the_option_named(name, value):
    with pytest.raises(BadOptions, match=name):
        parse_options(table() | {name: value})


@pytest.mark.parametrize("name", ["scoundrels", "black_magic"])
@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_a_flag_is_true_or_false(name, value):
    with pytest.raises(BadOptions, match=name):
        parse_options(table("dungeon") | {name: value})


def test_an_unknown_option_is_refused_by_name():
    with pytest.raises(BadOptions, match="hats"):
        parse_options(table(hats=3))


@pytest.mark.parametrize("first", ["random", 0, 1, 2])
def test_first_is_random_or_a_seat(first):
    assert parse_options(table(first=first)).first == first


@pytest.mark.parametrize("first", [-1, 3, True, False, "red", "0", None, 1.0])
def test_first_is_refused_if_the_table_has_no_such_seat(first):
    with pytest.raises(BadOptions, match="first"):
        parse_options(table(first=first))


# --- refused combinations


@pytest.mark.parametrize("scenario", ["passage", "jungle", "complete"])
def test_board_counts_that_do_not_fit_the_scenario_are_refused(scenario):
    fitting = {
        "passage": lambda p, j: 4 <= p <= 8 and j == 0,
        "jungle": lambda p, j: 4 <= j <= 8 and p == 0,
        "complete": lambda p, j: 3 <= p <= 5 and 3 <= j <= 5 and p + j <= 8,
    }[scenario]
    for passage, jungle in itertools.product(range(-1, 10), repeat=2):
        given = table("dungeon", scenario=scenario, passage_boards=passage, jungle_boards=jungle)
        if fitting(passage, jungle):
            assert parse_options(given).boards == passage + jungle
        else:
            with pytest.raises(BadOptions, match=f"{scenario}|boards"):
                parse_options(given)


@pytest.mark.parametrize("scenario", ["jungle", "complete"])
def test_changing_the_scenario_adjusts_no_other_option(scenario):
    with pytest.raises(BadOptions, match=scenario):
        parse_options(table("jamaica", scenario=scenario))


@pytest.mark.parametrize("relief", ["rest", "start", "none"])
def test_the_complete_escape_needs_relief(relief):
    given = table("complete", relief=relief)
    if relief == "none":
        with pytest.raises(BadOptions, match="relief"):
            parse_options(given)
    else:
        assert parse_options(given).relief == relief


@pytest.mark.parametrize(
    "changed",
    [
        {"symbols": "escape"},
        {"passage_boards": 5},
        {"passage_boards": 7},
        {"scenario": "complete", "relief": "rest", "passage_boards": 3, "jungle_boards": 4},
    ],
)
def test_printed_boards_need_classic_symbols_and_exactly_six_boards(changed):
    with pytest.raises(BadOptions, match="“Printed” boards need"):
        parse_options(table("jamaica", **changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"scenario": "jungle", "passage_boards": 0, "jungle_boards": 6},
        {"scenario": "complete", "relief": "rest", "passage_boards": 3, "jungle_boards": 3},
    ],
)
def test_six_printed_boards_fit_any_scenario(changed):
    assert parse_options(table("jamaica", **changed)).board == "printed"


@pytest.mark.parametrize("preset", ["jamaica", "dungeon", "jungle"])
def test_split_needs_the_complete_escape(preset):
    with pytest.raises(BadOptions, match="Split"):
        parse_options(table(preset, card_gain="split"))
    assert parse_options(table("complete", card_gain="split")).card_gain == "split"


@pytest.mark.parametrize(("preset", "changed"), [("jamaica", {}), ("dungeon", {"supply": "row"})])
def test_black_magic_needs_escape_symbols_and_the_deck(preset, changed):
    with pytest.raises(BadOptions, match="Black magic"):
        parse_options(table(preset, black_magic=True, **changed))


def test_all_other_options_can_be_combined():
    combinations = itertools.product(
        ("hidden", "open"), ("retreat", "morgan", "both", "split"), (False, True), (False, True), (2, 5)
    )
    for hands, gain, scoundrels, magic, players in combinations:
        given = table("complete", players, hands=hands, card_gain=gain, scoundrels=scoundrels)
        assert parse_options(given | {"black_magic": magic}).card_gain == gain
        assert parse_options(given | {"supply": "row"}).supply == "row"


# --- the catalogue


def test_the_catalogue_names_every_option_in_the_order_of_the_interchange():
    names = [spec.name for spec in rules.CATALOGUE]
    assert names == list(options_to_json(parse_options(table())))


def test_every_option_and_every_choice_has_a_sentence():
    for spec in rules.CATALOGUE:
        assert spec.label
        assert spec.sentence.endswith(".")
        assert all(choice.sentence.endswith(".") for choice in spec.choices)


def test_every_conflict_has_a_sentence_that_names_its_options():
    for conflict in rules.CONFLICTS:
        assert conflict.why.value.endswith(".")
        assert set(conflict.options) <= {spec.name for spec in rules.CATALOGUE}
