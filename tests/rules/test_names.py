"""The public names of the rules exist, and every error has its documented code."""

from __future__ import annotations

import ast
import importlib
import pickle
import pkgutil
from pathlib import Path

import pytest

import app.rules
from app import rules
from app.rules.core import errors
from app.rules.core.illegal_reasons import IllegalReason

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(module.name for module in pkgutil.walk_packages(app.rules.__path__, prefix="app.rules."))


def test_every_public_name_exists_and_is_listed_once():
    assert [missing for missing in rules.__all__ if not hasattr(rules, missing)] == []
    assert len(rules.__all__) == len(set(rules.__all__))


def find_imports() -> set[tuple[str, str]]:
    """Return (module, name) for every import from the rules."""
    files = [file for folder in ("app", "tools", "bench") for file in (ROOT / folder).rglob("*.py")]
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in MODULES]
    return {(str(node.module), alias.name) for node in found for alias in node.names}


IMPORTS = find_imports()


@pytest.mark.parametrize("name", MODULES)
def test_private_names_are_not_imported_from_other_files(name):
    names = {each for module, each in IMPORTS if module == name}
    assert [each for each in names if each.startswith("_")] == []
    assert [each for each in names if not hasattr(importlib.import_module(name), each)] == []


def test_the_interface_that_the_other_layers_use_is_public():
    public_names = """Options parse_options options_to_json CATALOGUE PRESETS new_game legal seats_to_act
        legal_for_all apply choices_json default_action action_from_json action_to_json position_to_json
        position_from_json view event_to_json events_for fold is_undoable seed_from commitment_of bot_nonce
        replay finishing_places action_to_text action_from_text position_to_diagram position_from_diagram
        RULES_VERSION RuleError"""
    assert [name for name in public_names.split() if name not in rules.__all__] == []


def test_every_error_has_its_code_and_keeps_its_message():
    codes = {
        "BadOptions": "bad_options",
        "BadSeed": "bad_seed",
        "BadPosition": "bad_position",
        "BadAction": "bad_action",
        "BadSeat": "bad_seat",
        "NotYourTurn": "not_your_turn",
        "Illegal": "illegal",
        "GameOver": "game_over",
    }
    for name, code in codes.items():
        kind = getattr(errors, name)
        assert kind.code == code
        assert issubclass(kind, rules.RuleError)
        if name in ("BadOptions", "Illegal"):
            refusal_code = kind(IllegalReason.card_not_held, card="key*")
        elif name in ("BadSeed", "BadPosition"):
            assert pickle.loads(pickle.dumps(kind("A sentence."))).message == "A sentence."
            continue
        else:
            refusal_code = kind("card_not_held", "You do not have this card: {card}.", card="key*")
        for each in (
            refusal_code,
            pickle.loads(pickle.dumps(refusal_code)),
        ):  # errors cross process boundaries
            assert (each.why, each.params) == ("card_not_held", {"card": "key*"})
            assert each.message == str(each) == "You do not have this card: key*."


def test_the_rules_have_a_version():
    assert rules.RULES_VERSION == 1
