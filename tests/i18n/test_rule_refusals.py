"""What the rules refuse is known to the pages sentence by sentence, so that it can be said in every language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from app.rules.options import CONFLICTS
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


def refusals_of_the_rules() -> Iterator[str]:
    explain = ast.parse((ROOT / "app" / "rules" / "explain.py").read_text())
    docstrings = {ast.get_docstring(each) for each in ast.walk(explain) if isinstance(each, ast.FunctionDef)}
    inner = {
        id(part) for each in ast.walk(explain) if isinstance(each, ast.JoinedStr) for part in each.values
    }
    for node in ast.walk(explain):
        text = written(node) if isinstance(node, ast.expr) and id(node) not in inner else None
        if text and text.endswith(".") and " " in text.strip() and text not in docstrings:
            yield text
    engine = ast.parse((ROOT / "app" / "rules" / "engine.py").read_text())
    for call in ast.walk(engine):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Illegal":
            text = written(call.args[0])
            if text:
                yield text
    for conflict in CONFLICTS:
        yield conflict.sentence


def test_every_sentence_of_the_rules_is_one_the_pages_can_translate():
    known = patterns()
    module = ast.parse((ROOT / "app" / "rules" / "explain.py").read_text())
    opening = ast.get_docstring(module)
    assert {text for text in refusals_of_the_rules() if text != opening} - known == set()
    # the one sentence that is put together from two pieces stands in the script in both its forms
    assert {"You do not hold the card {}.", "You do not hold the card {} twice."} <= known


def test_the_pages_know_no_sentence_that_the_rules_do_not_say():
    said = {*refusals_of_the_rules(), "You do not hold the card {}.", "You do not hold the card {} twice."}
    assert patterns() - said == set()
