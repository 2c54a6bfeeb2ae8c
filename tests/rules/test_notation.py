"""Notation and diagrams parse back to the same action or position."""

from __future__ import annotations

import pytest

from app import rules
from app.rules import Advance, Draw, End, Resign, Retreat
from app.rules.modules.black_magic.chest import OpenChest
from app.rules.modules.black_magic.hook import AdvanceWithHook
from app.rules.modules.black_magic.lantern import LightLantern, Stack
from app.rules.modules.black_magic.parrot import AdvanceWithParrots
from app.rules.modules.black_magic.pistol import AimPistol, Steal
from app.rules.modules.black_magic.rum import PourRum, Share
from app.rules.modules.complete import Sail
from app.rules.modules.morgan import MoveWithMorgan
from app.rules.modules.scoundrels import Discard
from tests.rules.layout import SEED

TEXTS: dict[str, rules.Action] = {
    "key start": Advance("key", "start"),
    "key* 12": Advance("key*", 12),
    "rum sloop": Advance("rum", "sloop"),
    "retreat 8": Retreat(8),
    "retreat goal": Retreat("goal"),
    "morgan b 7": MoveWithMorgan(1, 7),
    "morgan v sloop": MoveWithMorgan(4, "sloop"),
    "sail": Sail(),
    "draw": Draw(),
    "end": End(),
    "resign": Resign(),
    "pistol! b": AimPistol("pistol", 1),
    "pistol*! v": AimPistol("pistol*", 4),
    "steal rum": Steal("rum"),
    "rum!": PourRum("rum"),
    "share hook+rum b=chest": Share(("hook", "rum"), ((1, "chest"),)),
    "lantern*!": LightLantern("lantern*"),
    "stack hook back rum+chest": Stack("hook", ("rum", "chest")),
    "stack hook": Stack("hook", ()),
    "parrot+parrot*! hook 4": AdvanceWithParrots(("parrot", "parrot*"), "hook", 4),
    "hook+rum! 19": AdvanceWithHook("hook", "rum", 19),
    "hook*+hook! 19": AdvanceWithHook("hook*", "hook", 19),
    "chest! 7": OpenChest("chest", 7),
    "discard hat+key*": Discard(("hat", "key*")),
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_notation_of_an_action_parses_back(text):
    assert rules.action_to_text(TEXTS[text]) == text
    assert rules.action_from_text(text) == TEXTS[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "key",
        "key nowhere",
        "key 0",
        "key -1",
        "keys start",
        "retreat",
        "retreat start 3",
        "morgan x 7",
        "morgan 1 7",
        "pistol!",
        "rum! b",
        "hat! 3",
        "parrot! hook 4",
        "parrot+parrot! hook* 4",
        "hook! 19",
        "share",
        "share hook b",
        "share hook x=rum",
        "stack hook back",
        "discard",
        "discard hat+",
        "discard hat +key",
        "end end",
        "éclair start",
        "key ²",
    ],
)
def test_text_that_is_not_an_action_is_refused_with_a_message(text):
    with pytest.raises(rules.BadNotation, match=r"\.$"):
        rules.action_from_text(text)


@pytest.mark.parametrize("preset", rules.PRESETS)
@pytest.mark.parametrize("players", [2, 5])
def test_a_diagram_parses_back_to_the_same_position(preset, players):
    position = rules.new_game(rules.parse_options({"preset": preset, "players": players}), SEED)
    assert rules.position_from_diagram(rules.position_to_diagram(position)) == position


def lines_of(**changed):
    options = rules.parse_options({"preset": "complete", "players": 2, "black_magic": True, **changed})
    return rules.position_to_diagram(rules.new_game(options, SEED)).splitlines()


def test_a_diagram_lists_the_route_from_start_to_goal():
    lines = lines_of()
    assert lines[0] == "cartagena/1"
    assert "start rrrrrr bbbbbb" in lines
    assert [line.split()[0] for line in lines if "-" in line.split()[0]] == [
        "1-6",
        "7-12",
        "13-18",
        "19-24",
        "25-30",
        "31-36",
    ]
    assert lines.index("goal") > next(n for n, line in enumerate(lines) if line.startswith("sloop cartagena"))


def is_read_as(text, position):
    try:
        return rules.position_from_diagram(text) == position
    except rules.RuleError:
        return False


@pytest.mark.parametrize("line", [line for line in lines_of() if line != "goal"])
def test_every_line_of_a_diagram_is_needed(line):
    """Only the line of an empty goal may be missing."""
    lines = lines_of()
    whole = rules.position_from_diagram("\n".join(lines))
    lines.remove(line)
    assert not is_read_as("\n".join(lines), whole)


@pytest.mark.parametrize(
    "junk", ["", "\n", "cartagena/2", "\x00", "cartagena/1\nhand", "cartagena/1\n:", "a" * 100_000]
)
def test_text_that_is_not_a_diagram_is_refused(junk):
    with pytest.raises(rules.RuleError):
        rules.position_from_diagram(junk)


def test_a_diagram_of_a_view_shows_unseen_cards_as_a_number():
    options = rules.parse_options({"preset": "dungeon", "players": 2, "black_magic": True})
    text = rules.view_to_diagram(rules.view(rules.new_game(options, SEED), 1))
    assert "hand r ?6" in text
    assert "seed ?" in text
    assert "snake" not in text
    with pytest.raises(rules.RuleError):
        rules.position_from_diagram(text)
