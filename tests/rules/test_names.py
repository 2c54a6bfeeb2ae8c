"""The public names of the rules exist, and every error has the code that programs rely on."""

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
from app.rules.core.explain import Why

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(module.name for module in pkgutil.walk_packages(app.rules.__path__, prefix="app.rules."))


def test_every_public_name_exists_and_stands_once():
    assert [missing for missing in rules.__all__ if not hasattr(rules, missing)] == []
    assert len(rules.__all__) == len(set(rules.__all__))


def imported() -> set[tuple[str, str]]:
    """Module and name, of every name that a file of the code imports out of the rules."""
    files = [file for folder in ("app", "tools", "bench") for file in (ROOT / folder).rglob("*.py")]
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in MODULES]
    return {(str(node.module), alias.name) for node in found for alias in node.names}


IMPORTED = imported()


@pytest.mark.parametrize("name", MODULES)
def test_what_begins_with_an_underscore_stays_in_its_file(name):
    of_this = {each for module, each in IMPORTED if module == name}
    assert [each for each in of_this if each.startswith("_")] == []
    assert [each for each in of_this if not hasattr(importlib.import_module(name), each)] == []


def test_the_interface_that_the_other_layers_use_is_public():
    promised = """Options parse_options options_to_json CATALOGUE PRESETS new_game legal seats_to_act
        legal_for_all apply choices default_action action_from_json action_to_json position_to_json
        position_from_json view event_to_json events_for fold is_undoable seed_from commitment_of bot_nonce
        replay places action_to_text text_to_action draw parse_drawing RULES_VERSION RuleError"""
    assert [name for name in promised.split() if name not in rules.__all__] == []


def test_every_error_has_its_code_and_keeps_its_sentence():
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
            refusal = kind(Why.card_not_held, card="key*")
        elif name in ("BadSeed", "BadPosition"):
            assert pickle.loads(pickle.dumps(kind("A sentence."))).message == "A sentence."
            continue
        else:
            refusal = kind("card_not_held", "You do not hold the card {card}.", card="key*")
        for each in (refusal, pickle.loads(pickle.dumps(refusal))):  # bots think in other processes
            assert (each.why, each.params) == ("card_not_held", {"card": "key*"})
            assert each.message == str(each) == "You do not hold the card key*."


def test_the_rules_have_a_version():
    assert rules.RULES_VERSION == 1
