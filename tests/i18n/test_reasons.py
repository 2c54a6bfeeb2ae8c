"""Every reason of a refusal is a key with a message in every language, in pages and on the server.

That the two say the same is tests/js/test_refusal_texts.py.
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


def placeholders(text: str) -> list[str]:
    return sorted(re.findall(r"\{(\w+)\}", text))


def test_reason_keys_and_messages_are_one_to_one() -> None:
    every = list(rules.reasons())
    assert len({reason.name for reason in every}) == len(every)
    assert len({reason.value for reason in every}) == len(every)
    for reason in every:
        assert reason.value.endswith(".")
        assert set(placeholders(reason.value)) <= KNOWN


def test_every_reason_can_occur() -> None:
    """An unused reason would be translated for ever."""
    source = "".join(path.read_text() for path in (ROOT / "app" / "rules").rglob("*.py"))
    assert [each for each in rules.reasons() if not re.search(rf"\.{each.name}\b", source)] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_reason_is_translated_with_its_parameters(code: str) -> None:
    words = Languages(LOCALES).catalogue(code)
    served = orjson.loads(words.script_json)["reasons"]
    assert served == words.reasons
    assert served.keys() == {reason.name for reason in rules.reasons()}
    for reason in rules.reasons():
        assert placeholders(served[reason.name]) == placeholders(reason.value), reason
        assert (served[reason.name] == reason.value) is (code == "en"), reason
    assert "reasons" not in orjson.loads(words.table_part.script_json), (
        "the table asks for them when one comes"
    )


def test_every_error_code_of_the_rules_has_a_message() -> None:
    script = (ROOT / "static" / "js" / "core" / "refusals.js").read_text()
    known = set(re.findall(r"^  (\w+): N_\(", script, re.MULTILINE))
    kinds = [RuleError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    # notation is written by hand for `cartagena picture`, which speaks English
    assert {kind.code for kind in kinds} - known == {"bad_notation"}
