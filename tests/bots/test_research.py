"""The door for researchers: numbers for every action, and PettingZoo's own API test where it is installed."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import pytest

from app import rules
from app.research.action_table import ActionTable
from tests.bots.tables import wander

TABLES: list[dict[str, Any]] = [
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 3, "scoundrels": True, "card_gain": "both"},
    {"preset": "complete", "players": 5, "black_magic": True, "scoundrels": True, "card_gain": "both"},
]


@pytest.mark.parametrize("options", TABLES)
def test_every_legal_action_has_a_number_of_its_own(options: dict[str, Any]):
    table = None
    for position, _ in wander(options, 4):
        table = table or ActionTable(position)
        for seat in rules.seats_to_act(position):
            listed = rules.legal(position, seat)
            found = table.legal(position, seat, [])
            assert all(0 <= number < table.size for number in found)
            if not isinstance(listed[0], rules.OwedDiscard):
                assert sorted(map(str, found.values())) == sorted(map(str, listed))


@pytest.mark.parametrize("options", TABLES)
def test_pettingzoo_finds_nothing_to_complain_about(options: dict[str, Any]):
    """Without the optional extra, the import says what is missing; with it, the library's own test runs."""
    if importlib.util.find_spec("pettingzoo") is None:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("app.research.pettingzoo_env")
        return
    from pettingzoo.test import api_test

    from app.research.pettingzoo_env import env

    with warnings.catch_warnings():
        # The library warns about its own deprecations and about observations it finds unusual.
        warnings.simplefilter("ignore")
        api_test(env(**options), num_cycles=600, verbose_progress=False)
