"""The research environment: numbering of actions, and PettingZoo's API test if it is installed."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import pytest

from app import rules
from app.research.action_table import ActionTable
from app.rules.modules.scoundrels import DiscardPlaceholder
from tests.bots.tables import play_randomly

TABLES: list[dict[str, Any]] = [
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 3, "scoundrels": True, "card_gain": "both"},
    {"preset": "complete", "players": 5, "black_magic": True, "scoundrels": True, "card_gain": "both"},
]


@pytest.mark.parametrize("options", TABLES)
def test_every_legal_action_has_a_number_of_its_own(options: dict[str, Any]):
    table = None
    for position, _ in play_randomly(options, 4):
        table = table or ActionTable(position)
        for seat in rules.seats_to_act(position):
            listed = rules.legal(position, seat)
            found = table.legal(position, seat, [])
            assert all(0 <= number < table.size for number in found)
            if not isinstance(listed[0], DiscardPlaceholder):
                assert sorted(map(str, found.values())) == sorted(map(str, listed))


@pytest.mark.parametrize("options", TABLES)
def test_pettingzoo_api_check_passes(options: dict[str, Any]):
    """Without the optional extra the import names the missing package; with it, PettingZoo's API test runs."""
    if importlib.util.find_spec("pettingzoo") is None:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("app.research.pettingzoo_env")
        return
    from pettingzoo.test import api_test

    from app.research.pettingzoo_env import env

    with warnings.catch_warnings():
        # PettingZoo warns about its own deprecations and about unusual observations.
        warnings.simplefilter("ignore")
        api_test(env(**options), num_cycles=600, verbose_progress=False)


def test_only_the_discarding_seat_sees_an_unfinished_discard():
    from app.research.pettingzoo_env import CartagenaEnv

    table = CartagenaEnv(preset="jamaica", players=3, scoundrels=True, first=0)
    table.reset(seed=1)
    position = rules.position_to_json(table._position)
    hoarder = position["players"][1]
    hoarder["hand"] = sorted(hoarder["hand"] + position["deck"][:3])
    del position["deck"][:3]
    position["pending"] = {"kind": "discard", "owed": {"1": 2}}
    table._position = rules.position_from_json(position)
    table.agent_selection = "seat_1"
    before = {agent: table.observe(agent)["observation"].tolist() for agent in table.agents}
    mask = table.observe("seat_1")["action_mask"]
    table.step(mask.tolist().index(1))
    assert table.agent_selection == "seat_1", "one of two cards is chosen"
    after = {agent: table.observe(agent)["observation"].tolist() for agent in table.agents}
    assert after["seat_0"] == before["seat_0"]
    assert after["seat_2"] == before["seat_2"]
    assert after["seat_1"] != before["seat_1"], "its own choice is in front of it"
    table.step(table.observe("seat_1")["action_mask"].tolist().index(1))
    assert table.observe("seat_0")["observation"].tolist() != before["seat_0"], "the whole discard is public"
