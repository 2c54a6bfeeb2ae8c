"""Why the rules refuse something is a key; every key has its sentence in every language, by page and by server.

That the two say the same is tests/js/test_reasons.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from app import rules
from app.paths import LOCALES
from app.rules.core.errors import RuleError
from app.web.i18n import LANGUAGES, Languages

ROOT = Path(__file__).resolve().parents[2]
KNOWN = {"card", "symbol", "place", "where", "n", "low", "high", "option", "options"}
"""What can be put in: words for the first three are found by pages and server, the others stay as they are."""


def holes(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


def test_a_key_stands_for_one_sentence_and_a_sentence_for_one_key() -> None:
    every = list(rules.reasons())
    assert len({reason.name for reason in every}) == len(every)
    assert len({reason.value for reason in every}) == len(every)
    for reason in every:
        assert reason.value.endswith(".")
        assert set(holes(reason.value)) <= KNOWN


def test_every_reason_there_is_can_be_met() -> None:
    """One that nobody gives any more would be translated for ever."""
    source = "".join(path.read_text() for path in (ROOT / "app" / "rules").rglob("*.py"))
    assert [each for each in rules.reasons() if not re.search(rf"\.{each.name}\b", source)] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_reason_is_said_in_every_language_with_what_it_is_about(code: str) -> None:
    words = Languages(LOCALES).catalogue(code)
    served = orjson.loads(words.script_json)["reasons"]
    assert served == words.reasons
    assert served.keys() == {reason.name for reason in rules.reasons()}
    for reason in rules.reasons():
        assert holes(served[reason.name]) == holes(reason.value), reason
        assert (served[reason.name] == reason.value) is (code == "en"), reason
    assert "reasons" not in orjson.loads(words.at_table.script_json), "the table asks for them when one comes"


def test_what_only_programs_do_wrong_is_said_by_its_code() -> None:
    script = (ROOT / "static" / "js" / "core" / "refusals.js").read_text()
    known = set(re.findall(r"^  (\w+): N_\(", script, re.MULTILINE))
    kinds = [RuleError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    # notation is written by hand for `cartagena picture`, which speaks English
    assert {kind.code for kind in kinds} - known == {"bad_notation"}
