"""docs/interchange.md names every action, event and error code, and its examples are real."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from app import rules
from app.engine_lines import _REQUESTS
from app.rules.core.action import ACTIONS
from app.rules.core.event import EVENTS, Event

PAGE = (Path(__file__).parents[2] / "docs" / "interchange.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", EVENTS)
def test_every_event_has_a_row(kind: str) -> None:
    assert f"| {kind} | " in PAGE


def test_every_event_class_is_registered() -> None:
    kinds = Event.__subclasses__()
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    # A common base of several events has no type of its own.
    assert {kind.type for kind in kinds if hasattr(kind, "type")} == set(EVENTS)


def test_every_action_has_a_row_whose_text_and_json_are_the_same_action() -> None:
    rows = re.findall(r'^\| (?:→ )?`(\{"type".*?\})` \| `([^`]+)` \|', PAGE, flags=re.MULTILINE)
    shown = set()
    for json_text, text in rows:
        action = rules.action_from_json(orjson.loads(json_text))
        assert rules.action_from_text(text) == action
        assert rules.action_to_text(action) == text
        shown.add(orjson.loads(json_text)["type"])
    assert shown == set(ACTIONS)


def test_every_error_code_is_named() -> None:
    codes = {error.code for error in rules.RuleError.__subclasses__()} - {"bad_notation", "bad_record"}
    for code in codes | {"bad_json", "bad_request"}:
        assert f"`{code}`" in PAGE


def event_rows() -> dict[str, set[str]]:
    """Of each event the fields its row names."""
    rows = re.findall(r"^\| (\w+) \| ([^|]+) \| [^|]+ \|$", PAGE.split("\n## Events")[1], flags=re.MULTILINE)
    return {
        kind: {name for name in re.findall(r"\w+", fields) if name not in ("or", "null")}
        for kind, fields in rows
        if kind != "type"
    }


def test_every_event_has_the_documented_fields_for_every_audience() -> None:
    seen: dict[str, set[frozenset[str]]] = {}
    sources = set()
    for path in sorted((Path(__file__).parents[1] / "golden").glob("*.json")):
        record = rules.record_from_json(orjson.loads(path.read_bytes()))
        audiences = [None, *range(record.options.players)]
        for _, happened in rules.replay(record):
            encoded_events = [rules.event_to_json(event) for event in happened]
            for seat in audiences:
                encoded_events += rules.events_for(happened, seat, record.options)
            for event in encoded_events:
                seen.setdefault(event["type"], set()).add(frozenset(event) - {"type"})
                if event["type"] == "cards_drawn":
                    sources.add(event["source"])
    assert {kind: {frozenset(fields)} for kind, fields in event_rows().items()} == seen
    (sentence,) = re.findall(r"`source` of `cards_drawn` is ([^:]+):", PAGE)
    assert set(re.findall(r"`(\w+)`", sentence)) == sources


def test_the_position_of_the_page_has_the_fields_of_a_position() -> None:
    shown = orjson.loads(PAGE.split("```json\n")[1].split("```")[0])
    laid = rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2}), "0" * 64)
    position = rules.position_to_json(laid)
    assert shown.keys() == position.keys()
    for inner in ("options", "turn"):
        assert shown[inner].keys() == position[inner].keys()
    assert shown["players"][0].keys() == position["players"][0].keys()
    view = rules.view(laid, 0)
    assert view.keys() == position.keys()
    assert view["players"][0].keys() - position["players"][0].keys() == {"cards"}


def test_engine_requests_are_the_documented_ones() -> None:
    part = PAGE.split("## `cartagena engine`")[1].split("\n## ")[0]
    lines = re.findall(r'^(\{"do":.*?\}) +(?:\(.*?\) +)?→ \{', part, flags=re.MULTILINE)
    shown = [orjson.loads(re.sub(r"\[…\]|\{…\}", "null", line).replace('"…"', "null")) for line in lines]
    forms = {(do, frozenset(names)) for do, requests in _REQUESTS.items() for names, _ in requests}
    assert {(line.pop("do"), frozenset(line)) for line in shown} == forms
