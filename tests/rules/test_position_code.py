"""Position codes: short, the same in both directions, and refused if anything in them is wrong."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from app import rules
from app.rules import BadPosition, RuleError
from app.rules.formats.position_code import MAX_CODE_CHARS

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
START = "1~tortuga.2~012345012345012345012345012345012345~AAAAAAa.AAAAAAb~abcdefabcdef~~000~"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_position_of_a_game_has_a_short_code_that_gives_it_back(path: Path) -> None:
    record = rules.record_from_json(json.loads(path.read_text()))
    for position, _ in islice(rules.replay(record), 0, None, 15):
        code = rules.position_to_code(position)
        if position.pending is not None or position.winner is not None:
            assert code is None
            continue
        assert code is not None
        assert len(code) < 350
        again = rules.position_from_code(code)
        assert rules.position_to_code(again) == code
        given, decoded = rules.position_to_json(position), rules.position_to_json(again)
        for name in ("board", "players", "row", "sloop", "turn", "forced_passes"):
            assert decoded[name] == given[name]
        assert sorted(decoded["deck"]) == sorted(given["deck"])
        assert sorted(decoded["discard"]) == sorted(given["discard"])
        assert decoded["chests"].keys() == given["chests"].keys()
        assert sorted(decoded["chests_aside"] + list(decoded["chests"].values())) == sorted(
            given["chests_aside"] + list(given["chests"].values())
        )


def test_a_code_does_not_depend_on_the_deck_or_the_seed() -> None:
    one, other = (
        rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2}), digit * 64) for digit in "12"
    )
    twin = one.copy()
    twin.deck, twin.seed = twin.deck[::-1], other.seed
    assert rules.position_to_code(twin) == rules.position_to_code(one)


def test_a_view_with_every_hand_has_the_code_of_its_position() -> None:
    for preset in ("jamaica", "tortuga", "complete"):
        position = rules.new_game(rules.parse_options({"preset": preset, "players": 3}), "3" * 64)
        assert rules.code_from_view(rules.open_view(position)) == rules.position_to_code(position)
        if preset != "tortuga":
            with pytest.raises(BadPosition, match="every hand"):
                rules.code_from_view(rules.view(position, 0))


@pytest.mark.parametrize("view", [None, [], {}, {"options": {}}, {"options": {"preset": "tortuga"}}])
def test_a_malformed_view_is_refused(view: object) -> None:
    with pytest.raises(BadPosition):
        rules.code_from_view(view)  # type: ignore[arg-type]


def test_a_valid_code_is_read() -> None:
    assert rules.position_from_code(START).hand_names(0) == ("bottle",)


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "2" + START[1:],
        START.replace("tortuga", "atlantis"),
        START.replace("tortuga.2", "tortuga.9"),
        START.replace("tortuga.2", "tortuga.2.pirates-9"),
        START.replace("tortuga.2", "tortuga.2.colour-red"),
        START.replace("~012345012345", "~000000012345"),
        START.replace("AAAAAAa.AAAAAAb", "AAAAAAa"),
        START.replace("AAAAAAa", "AAAAA"),
        START.replace("AAAAAAa", "BAAAAAa"),
        START.replace("AAAAAAa", "AAAAAza"),
        START.replace("AAAAAAa", "AABBBBa"),
        START.replace("AAAAAAa", "AAAAAAl"),
        START.replace("AAAAAAa", "AAAAAAa999"),
        START.replace("AAAAAAa", "mmmmmma"),
        START.replace("~000~", "~200~"),
        START.replace("~000~", "~040~"),
        START.replace("~000~", "~000c~"),
        START.replace("~000~", "~000u~"),
        START + "A.1",
        START + "\n",
        START * 20,
        None,
        7,
    ],
)
def test_a_wrong_code_is_refused(wrong: object) -> None:
    with pytest.raises(RuleError) as refused:
        rules.position_from_code(wrong)
    assert isinstance(refused.value, BadPosition)
    assert len(START) < MAX_CODE_CHARS


def test_the_code_of_the_documentation_is_valid() -> None:
    page = (Path(__file__).parents[2] / "docs" / "interchange.md").read_text()
    code = page.split("## Position codes")[1].split("```")[1].strip()
    assert rules.position_to_code(rules.position_from_code(code)) == code
