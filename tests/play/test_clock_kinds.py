"""Kinds of clocks: the contract of each, and that no other file names a kind."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from app.play.log.clocks import CLOCK_CLASSES, ClockTerms
from app.play.log.terms import parse_terms
from app.play.refusals import Refusal

ROOT = Path(__file__).resolve().parents[2]
HOUR = 3_600_000
ALL: list[dict[str, Any]] = [
    {"kind": "none"},
    {"kind": "turn", "seconds": 30},
    {"kind": "bank", "seconds": 60, "increment": 5},
    {"kind": "days", "days": 2},
]


def terms_of(clock: dict[str, Any]) -> ClockTerms:
    return parse_terms({"clock": clock})[0].clock


def test_every_kind_is_shown_with_its_own_fields_only() -> None:
    assert [clock["kind"] for clock in ALL] == list(CLOCK_CLASSES)
    for clock in ALL:
        assert terms_of({"seconds": 60, "increment": 1, "days": 1, **clock}).to_json().keys() == clock.keys()
        assert terms_of(clock).to_json() == clock


@pytest.mark.parametrize("kind", CLOCK_CLASSES)
def test_what_the_form_suggests_and_its_limits_are_accepted(kind: str) -> None:
    fields = CLOCK_CLASSES[kind].fields
    for numbers in ([f.suggested for f in fields], [f.low for f in fields], [f.high for f in fields]):
        given = {field.name: number * field.unit for field, number in zip(fields, numbers, strict=True)}
        assert terms_of({"kind": kind, **given}).to_json() == {"kind": kind, **given}


@pytest.mark.parametrize(
    "clock",
    [
        {"kind": "turn", "seconds": 4},
        {"kind": "bank", "seconds": 4, "increment": 60},
        {"kind": "days"},
        {"kind": "days", "seconds": 60},
        {"kind": "hourglass", "seconds": 60},
    ],
)
def test_invalid_clock_terms_are_refused(clock: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as refused:
        terms_of(clock)
    assert refused.value.code == "bad_options"


def test_time_left_after_a_turn_of_ten_seconds() -> None:
    left = {}
    for clock in ALL:
        clocks = terms_of(clock).start_clocks(2, 0)
        clocks.run(0, 0, (0,))
        clocks.run(10_000, 1, (1,))
        left[clock["kind"]] = clocks.left, clocks.deadline()
    assert left == {
        "none": ([0, 0], None),
        "turn": ([20_000, 30_000], 40_000),
        "bank": ([55_000, 60_000], 70_000),
        "days": ([48 * HOUR - 10_000, 48 * HOUR], 48 * HOUR + 10_000),
    }


def test_seat_that_is_not_to_act_is_sent_the_time_of_its_next_turn() -> None:
    sent = {}
    for clock in ALL:
        clocks = terms_of(clock).start_clocks(2, 0)
        clocks.run(0, 0, (0,))
        clocks.run(10_000, 1, (1,))
        clocks.run(12_000, 1, (0,))  # a choice in the turn of seat 1, which keeps its rest
        clocks.run(15_000, 1, (1,))
        frame = clocks.to_frame()
        sent[clock["kind"]] = frame and frame.left
    assert sent == {
        "none": None,
        "turn": [30_000, 28_000],
        "bank": [52_000, 58_000],
        "days": [48 * HOUR, 48 * HOUR - 2_000],
    }


def test_a_seat_taken_back_from_a_bot_gets_a_whole_turn_but_no_new_bank() -> None:
    left = {}
    for clock in ALL:
        clocks = terms_of(clock).start_clocks(1, 0)
        clocks.left[0] = 1
        clocks.refill(0)
        left[clock["kind"]] = clocks.left[0]
    assert left == {"none": 1, "turn": 30_000, "bank": 1, "days": 48 * HOUR}


def test_only_day_clocks_are_correspondence() -> None:
    assert [kind for kind, clocks in CLOCK_CLASSES.items() if clocks.is_correspondence] == ["days"]
    assert [clocks.opening_timeout_ms for clocks in CLOCK_CLASSES.values()] == [
        20_000,
        20_000,
        20_000,
        12 * HOUR,
    ]
    reminders = [CLOCK_CLASSES["days"].reminder_ms(ClockTerms("days", days=days)) for days in (1, 2, 4, 14)]
    assert reminders == [6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR]


def compared(tree: ast.AST) -> set[str]:
    """Return every string that is compared, or looked up in a collection of strings."""
    return {
        each.value
        for node in ast.walk(tree)
        if isinstance(node, (ast.Compare, ast.MatchValue))
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def test_no_other_file_of_the_server_names_a_kind() -> None:
    others = CLOCK_CLASSES.keys() - {"none", "turn"}  # these words have other meanings too
    for file in (ROOT / "app").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        assert not compared(ast.parse(text)) & others, file
        assert not re.search(r"(clocks?|terms)\.kind [!=]=|\"clock\"\] (in|[!=]=) ", text), file


def test_the_browser_describes_every_kind_and_compares_kinds_in_one_file() -> None:
    scripts = ROOT / "static" / "js"
    asked = re.compile(rf"(clock|kind)\S* [!=]== \"({'|'.join(CLOCK_CLASSES)})\"")
    found = {
        path.relative_to(scripts).as_posix()
        for path in scripts.rglob("*.js")
        if asked.search(path.read_text())
    }
    assert found == {"core/clock_kinds.js"}
    description = (scripts / "table" / "option_text.js").read_text().partition("function describeClock(")[2]
    names = re.findall(r'case "(\w+)":', description.partition("\n}\n")[0])
    assert ["none", *names] == list(CLOCK_CLASSES)
