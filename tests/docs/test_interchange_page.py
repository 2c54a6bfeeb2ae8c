"""docs/interchange.md names every action, event and error code, and its examples are real."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from app import rules
from app.rules import actions, events, magic_events
from app.rules.event import Event
from app.rules.fold import _STEPS

PAGE = (Path(__file__).parents[2] / "docs" / "interchange.md").read_text(encoding="utf-8")
EVENT_TYPES = [
    value.type
    for module in (events, magic_events)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Event) and value is not Event
]


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_every_event_has_a_row(kind: str) -> None:
    assert f"| {kind} | " in PAGE


def test_the_fold_knows_the_same_events() -> None:
    assert sorted(_STEPS) == sorted(EVENT_TYPES)


def test_every_action_has_a_row_whose_text_and_json_are_the_same_action() -> None:
    rows = re.findall(r'^\| (?:→ )?`(\{"type".*?\})` \| `([^`]+)` \|', PAGE, flags=re.MULTILINE)
    shown = set()
    for json_text, text in rows:
        action = rules.action_from_json(orjson.loads(json_text))
        assert rules.text_to_action(text) == action
        assert rules.action_to_text(action) == text
        shown.add(orjson.loads(json_text)["type"])
    assert shown == set(actions._FORMS)


def test_every_error_code_is_named() -> None:
    codes = {error.code for error in rules.RuleError.__subclasses__()} - {"bad_notation", "bad_record"}
    for code in codes | {"bad_json", "bad_request"}:
        assert f"`{code}`" in PAGE
