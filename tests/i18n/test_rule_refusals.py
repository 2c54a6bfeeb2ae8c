"""What the rules refuse is known to the pages sentence by sentence, so that it can be said in every language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.rules.options import CONFLICTS
from app.web.i18n import LANGUAGES, Languages
from app.web.i18n_extract import unquoted

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "static" / "js" / "pages" / "rule_refusals.js"


def patterns() -> set[str]:
    """The script's sentences, every hole written alike."""
    found = re.findall(r'^  N_\(("(?:[^"\\]|\\.)*")\),$', SCRIPT.read_text(), re.MULTILINE)
    return {re.sub(r"\{\w+\}", "{}", unquoted(text)) for text in found}


def written(node: ast.expr) -> str | None:
    """A text as it stands in the source, with {} for what is put in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        case _:
            return None


def raised(error: str) -> Iterator[ast.Call]:
    """Wherever in the rules this error is made."""
    for path in sorted((ROOT / "app" / "rules").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == error:
                yield call


def refusals_of_the_rules() -> Iterator[str]:
    explain = ast.parse((ROOT / "app" / "rules" / "core" / "explain.py").read_text())
    docstrings = {ast.get_docstring(each) for each in ast.walk(explain) if isinstance(each, ast.FunctionDef)}
    inner = {
        id(part) for each in ast.walk(explain) if isinstance(each, ast.JoinedStr) for part in each.values
    }
    for node in ast.walk(explain):
        text = written(node) if isinstance(node, ast.expr) and id(node) not in inner else None
        if text and text.endswith(".") and " " in text.strip() and text not in docstrings:
            yield text
    for call in raised("Illegal"):
        text = written(call.args[0])
        if text:
            yield text
    for conflict in CONFLICTS:
        yield conflict.sentence


def test_every_sentence_of_the_rules_is_one_the_pages_can_translate():
    known = patterns()
    module = ast.parse((ROOT / "app" / "rules" / "core" / "explain.py").read_text())
    opening = ast.get_docstring(module)
    assert {text for text in refusals_of_the_rules() if text != opening} - known == set()
    # the one sentence that is put together from two pieces stands in the script in both its forms
    assert {"You do not hold the card {}.", "You do not hold the card {} twice."} <= known


def test_the_pages_know_no_sentence_that_the_rules_do_not_say():
    said = {*refusals_of_the_rules(), "You do not hold the card {}.", "You do not hold the card {} twice."}
    assert patterns() - said == set()


def test_no_refusal_is_made_where_these_tests_do_not_look():
    """A sentence stands where the error is made, or in explain.py; one that comes from elsewhere would be missed."""
    unseen = [ast.unparse(call) for call in raised("Illegal") if written(call.args[0]) is None]
    assert unseen == ["Illegal(why_not(position, seat, action, listed))"]
    assert list(raised("RuleError")) == []


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_every_refusal_of_the_rules_is_said_in_every_language(language: str):
    """And with the same holes: what is put in is not lost."""
    words = Languages(ROOT / "app" / "locales").catalogue(language).singles
    for text in re.findall(r'^  N_\(("(?:[^"\\]|\\.)*")\),$', SCRIPT.read_text(), re.MULTILINE):
        said = words.get(unquoted(text))
        assert said, (language, text)
        assert sorted(re.findall(r"\{\w+\}", said)) == sorted(re.findall(r"\{\w+\}", text)), (language, text)
