"""Parsing of positions and actions: valid ones are accepted, everything else is refused."""

from __future__ import annotations

import copy
import json

import pytest

from app import rules
from tests.rules.layout import SEED


def new_position_json(preset="jamaica", players=3, **changed):
    options = rules.parse_options({"preset": preset, "players": players, "first": 0, **changed})
    return rules.position_to_json(rules.new_game(options, SEED))


MAGIC = {"black_magic": True, "scoundrels": True}


def change_copy(change, position):
    position = copy.deepcopy(position)
    change(position)
    return position


def is_refused(position):
    try:
        rules.position_from_json(position)
    except rules.BadPosition as wrong:
        return wrong.message.endswith(".")
    return False


FIELDS = tuple(new_position_json())


@pytest.mark.parametrize("preset", rules.PRESETS)
def test_a_position_round_trips_through_json(preset):
    position = new_position_json(preset)
    assert rules.position_to_json(rules.position_from_json(json.loads(json.dumps(position)))) == position


def test_positions_have_the_documented_fields_in_order():
    assert (
        tuple(
            """format options seed board players deck row discard shuffles sloop chests chests_aside
        chest_shuffles turn forced_passes pending winner""".split()
        )
        == FIELDS
    )
    assert tuple(new_position_json()["players"][0]) == ("hand", "pirates", "resigned")
    assert tuple(new_position_json()["turn"]) == ("seat", "taken", "captain_used")


@pytest.mark.parametrize("name", FIELDS)
def test_a_missing_field_is_refused(name):
    assert is_refused(change_copy(lambda p: p.pop(name), new_position_json()))


@pytest.mark.parametrize("inner", [lambda p: p, lambda p: p["players"][0], lambda p: p["turn"]])
def test_an_unknown_field_is_refused(inner):
    assert is_refused(change_copy(lambda p: inner(p).update(more=1), new_position_json()))


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [True, -1, 1.5, "x", [1], {"x": 1}, [[]], [None]])
def test_a_field_of_the_wrong_type_is_refused(name, value):
    assert is_refused(new_position_json() | {name: value})


@pytest.mark.parametrize("position", [None, [], "x", 3, {}, True])
def test_a_value_that_is_not_an_object_is_refused(position):
    assert is_refused(position)


def first_player(position):
    return position["players"][0]


INVALID_CHANGES = {
    "a hand not sorted": lambda p: (
        first_player(p)["hand"].reverse() or first_player(p)["hand"].sort(reverse=True)
    ),
    "a card too many": lambda p: p["deck"].append("hat"),
    "a card too few": lambda p: p["deck"].pop(),
    "a card changed": lambda p: p["deck"].__setitem__(0, "hat" if p["deck"][0] != "hat" else "key"),
    "a card of another game": lambda p: p["deck"].__setitem__(0, "hook"),
    "a dark card without scoundrels": lambda p: p["deck"].__setitem__(0, p["deck"][0] + "*"),
    "pirates not in route order": lambda p: first_player(p).update(pirates=[3, "start", *["start"] * 4]),
    "a pirate too few": lambda p: first_player(p)["pirates"].pop(),
    "a pirate off the route": lambda p: first_player(p).update(pirates=["start"] * 5 + [37]),
    "a pirate on space 0": lambda p: first_player(p).update(pirates=[0] + ["start"] * 5),
    "a pirate on true": lambda p: first_player(p).update(pirates=["start"] * 5 + [True]),
    "a pirate on 1.0": lambda p: first_player(p).update(pirates=["start"] * 5 + [1.0]),
    "a pirate on the sloop outside complete": lambda p: first_player(p).update(
        pirates=["start"] * 5 + ["sloop"]
    ),
    "four on a space": lambda p: first_player(p).update(pirates=["start"] * 2 + [4] * 4),
    "four of two colours on a space": lambda p: [
        player.update(pirates=["start"] * 4 + [4] * 2) for player in p["players"][:2]
    ],
    "a board without a symbol": lambda p: p["board"].__setitem__(0, p["board"][1]),
    "a short board": lambda p: p["board"].pop(),
    "a row with deck supply": lambda p: p["row"].append(p["deck"].pop()),
    "a sloop outside complete": lambda p: p.update(sloop="cartagena"),
    "a captain's sail outside complete": lambda p: p["turn"].update(captain_used=True),
    "tokens without magic": lambda p: p.update(chests_aside=["1"]),
    "shuffled tokens without magic": lambda p: p.update(chest_shuffles=1),
    "a seat in turn that is not there": lambda p: p["turn"].update(seat=3),
    "more taken than there are actions": lambda p: p["turn"].update(taken=4),
    "taken below nothing": lambda p: p["turn"].update(taken=-1),
    "taken true": lambda p: p["turn"].update(taken=True),
    "as many forced passes as seats": lambda p: p.update(forced_passes=3),
    "a resigned seat with cards": lambda p: first_player(p).update(resigned=True),
    "a resigned seat in turn": lambda p: (
        p["deck"].extend(first_player(p)["hand"]) or first_player(p).update(resigned=True, hand=[])
    ),
    "resigned as a number": lambda p: first_player(p).update(resigned=0),
    "a winner who is not home": lambda p: p.update(winner=1),
    "a winner who is not there": lambda p: p.update(winner=3),
    "no winner although a seat is home": lambda p: first_player(p).update(pirates=["goal"] * 6),
    "another one named than who is home": lambda p: (
        first_player(p).update(pirates=["goal"] * 6) or p.update(winner=1)
    ),
    "a seed with capitals": lambda p: p.update(seed="A" * 64),
    "another format": lambda p: p.update(format="cartagena/2"),
    "options not all written out": lambda p: p["options"].pop("hands"),
    "options that are forbidden": lambda p: p["options"].update(black_magic=True),
    "an owed discard without scoundrels": lambda p: p.update(pending={"kind": "discard", "owed": {"1": 1}}),
    "a steal without magic": lambda p: p.update(
        pending={"kind": "steal", "seat": 0, "from": 1, "dark": False}
    ),
    "a player too many": lambda p: p["players"].append(p["players"][0]),
}


@pytest.mark.parametrize("name", INVALID_CHANGES)
def test_an_invalid_position_is_refused(name):
    position = change_copy(INVALID_CHANGES[name], new_position_json())
    assert repr(position) != repr(new_position_json()), "The change has no effect."
    assert is_refused(position)


def pending(**fields):
    return lambda p: p.update(pending=fields)


def pending_cards(kind, count, **more):
    def change(p):
        cards = sorted(p["deck"][:count])
        del p["deck"][:count]
        p.update(pending={"kind": kind, "seat": 0, "cards": cards, "dark": False} | more)

    return change


def pending_discard(owed):
    def change(p):
        p["players"][1]["hand"] = sorted(p["players"][1]["hand"] + p["deck"][:3])
        del p["deck"][:3]
        p.update(pending={"kind": "discard", "owed": owed})

    return change


VALID_CHANGES = {
    "a steal": pending(kind="steal", seat=0, **{"from": 1}, dark=True),
    "a stack of four": pending_cards("stack", 4),
    "a stack of one": pending_cards("stack", 1),
    "a share for three": pending_cards("share", 4),
    "an owed discard": pending_discard({"1": 2}),
    "opened chests": lambda p: [
        p["chests"].pop(space) for space in list(p["chests"]) if p["chests"][space] != "snake"
    ],
}
IMPOSSIBLE_CHANGES = {
    "a steal from oneself": pending(kind="steal", seat=0, **{"from": 0}, dark=False),
    "a steal by a seat not in turn": pending(kind="steal", seat=1, **{"from": 2}, dark=False),
    "a steal from a missing seat": pending(kind="steal", seat=0, **{"from": 3}, dark=False),
    "a steal with dark as number": pending(kind="steal", seat=0, **{"from": 1}, dark=0),
    "an unknown kind": pending(kind="beg", seat=0),
    "a field too many": pending(kind="steal", seat=0, **{"from": 1}, dark=False, cards=[]),
    "a stack of five": pending_cards("stack", 5),
    "a stack of none": pending_cards("stack", 0),
    "a share of too few": pending_cards("share", 3),
    "a share of too many": pending_cards("share", 5),
    "an unsorted stack": lambda p: pending_cards("stack", 4)(p) or p["pending"]["cards"].sort(reverse=True),
    "a discard by no seat": pending_discard({}),
    "a discard of the wrong number": pending_discard({"1": 1}),
    "a discard by a seat that is not there": pending_discard({"7": 2}),
    "a discard by a seat with few cards": pending_discard({"2": 1}),
    "a token on a space without a chest": lambda p: p["chests"].update(
        {str(1 + next(n for n, s in enumerate(p["board"]) if s != "chest")): "1"}
    ),
    "an unknown token": lambda p: p["chests_aside"].__setitem__(0, "4"),
    "a token as a number": lambda p: p["chests_aside"].__setitem__(0, 1),
    "a token too many": lambda p: p["chests_aside"].append("1"),
    "two snakes": lambda p: p.update(chests=dict.fromkeys(p["chests"], "snake")),
    "no snake": lambda p: p.update(
        chests={s: t for s, t in p["chests"].items() if t != "snake"},
        chests_aside=["1" if t == "snake" else t for t in p["chests_aside"]],
    ),
}


@pytest.mark.parametrize("name", VALID_CHANGES)
def test_a_position_with_a_pending_choice_or_opened_chests_is_accepted(name):
    position = change_copy(VALID_CHANGES[name], new_position_json("dungeon", **MAGIC))
    assert rules.position_to_json(rules.position_from_json(position)) == position


@pytest.mark.parametrize("name", IMPOSSIBLE_CHANGES)
def test_impossible_pending_choices_and_tokens_are_refused(name):
    assert is_refused(change_copy(IMPOSSIBLE_CHANGES[name], new_position_json("dungeon", **MAGIC)))


def test_three_of_a_colour_aboard_are_accepted_and_four_refused():
    for aboard in (3, 4):
        places = sorted(["start"] * (6 - aboard)) + ["sloop"] * aboard
        position = change_copy(
            lambda p, places=places: first_player(p).update(pirates=places), new_position_json("complete")
        )
        assert is_refused(position) == (aboard == 4)


def test_a_position_of_the_complete_escape_needs_a_sloop():
    for sloop in (None, "bay", 1):
        assert is_refused(new_position_json("complete") | {"sloop": sloop})
    assert not is_refused(new_position_json("complete") | {"sloop": "tortuga"})


def test_a_position_need_not_follow_from_its_seed():
    position = new_position_json() | {"seed": "0" * 64, "shuffles": 9}
    assert rules.position_to_json(rules.position_from_json(position)) == position


# --- actions


@pytest.mark.parametrize(
    "action",
    [
        None,
        [],
        "end",
        {},
        {"type": "jump"},
        {"type": ["end"]},
        {"type": "end", "more": 1},
        {"type": "advance", "card": "key"},
        {"type": "advance", "card": "keys", "from": "start"},
        {"type": "advance", "card": 3, "from": "start"},
        {"type": "advance", "card": "key", "from": 0},
        {"type": "advance", "card": "key", "from": True},
        {"type": "advance", "card": "key", "from": 1.0},
        {"type": "advance", "card": "key", "from": "3"},
        {"type": "morgan", "player": True, "from": 3},
        {"type": "morgan", "player": -1, "from": 3},
        {"type": "parrot", "cards": "parrot", "as": "hook", "from": 4},
        {"type": "parrot", "cards": ["parrot", "parrot"], "as": "hook*", "from": 4},
        {"type": "share", "keep": ["hook"], "give": ["rum"]},
        {"type": "share", "keep": ["hook"], "give": {"one": "rum"}},
        {"type": "share", "keep": ["hook"], "give": {"1": None}},
        {"type": "stack", "keep": ["hook"], "back": []},
        {"type": "discard", "count": 2},
        {"type": "discard", "cards": [["hat"]]},
        {"type": "discard", "cards": ["hat"] * 10_000},
    ],
    ids=repr,
)
def test_a_malformed_action_is_refused(action):
    with pytest.raises(rules.BadAction):
        rules.action_from_json(action)
