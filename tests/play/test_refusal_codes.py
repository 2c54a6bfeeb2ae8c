"""Every refusal code in the code has its sentence, and every sentence is of a code that the code can refuse with.

That each of them is met by a real client, with the head unchanged, is tests/sockets/test_refusals.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from app import rules
from app.play.refusals import SENTENCES

ROOT = Path(__file__).resolve().parents[2]
REFUSING = {"Refusal", "NotAdmitted", "_refuse", "_strike"}


def constants(node: ast.expr) -> Iterator[str]:
    """Yield the strings that an argument can be: a constant, or either side of a condition."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from constants(one)
            yield from constants(other)


def list_codes_in_code() -> set[str]:
    found: set[str] = set()
    for folder in ("app/play", "app/web"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and node.args:
                    name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
                    if name in REFUSING:
                        found |= set(constants(node.args[0]))
    return found


def list_rule_codes() -> set[str]:
    """Return the codes with which the engine refuses an action; rooms pass them on."""
    kinds = [rules.RuleError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    return {kind.code for kind in kinds if "code" in vars(kind)}


def test_every_refusal_code_in_the_code_has_a_sentence() -> None:
    from_rooms = list_codes_in_code()
    assert from_rooms - set(SENTENCES) == set()
    said_elsewhere = {"banned"}  # by the guard, before there is a room
    assert set(SENTENCES) - from_rooms - list_rule_codes() - said_elsewhere == set()
