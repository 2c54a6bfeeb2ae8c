"""docs/bots.md describes the observations and actions of the PettingZoo adapter correctly."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.client.api import MAX_WAIT_SECONDS, MAX_WAITS, RETRY_PAUSES_SECONDS
from app.client.seat import MAX_ILLEGAL_ANSWERS
from app.research.action_table import _MAX_ANSWERS, ActionTable
from app.research.pettingzoo_env import _MAX_ACTIONS, CartagenaEnv
from tests.bots.test_third_party import read_example

PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text(encoding="utf-8")
PARTS = re.findall(r"^\| ([a-z ]+) \| ([SPK\d×+() ]+) \| (.+) \|$", PAGE, flags=re.MULTILINE)
TABLES: list[dict[str, Any]] = [
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 3, "scoundrels": True},
    {"preset": "complete", "players": 4, "black_magic": True, "scoundrels": True, "card_gain": "both"},
]


def parts_of(table: CartagenaEnv, seat: int) -> dict[str, list[int]]:
    """Return an observation split into the documented parts."""
    ruleset = table._position.ruleset
    sizes = {
        "S": ruleset.options.players,
        "P": len(ruleset.route.names),
        "K": len(ruleset.kinds.names),
    }
    seen = table.observe(f"seat_{seat}")["observation"].tolist()
    found = {}
    for name, length, _ in PARTS:
        words = re.sub("[SPK]", lambda letter: str(sizes[letter[0]]), length).replace("×", "*")
        size = eval(words, {"__builtins__": {}})
        found[name], seen = seen[:size], seen[size:]
    assert seen == [], "the page documents the whole observation"
    return found


@pytest.mark.parametrize("options", TABLES)
def test_an_observation_has_the_documented_parts(options: dict[str, Any]) -> None:
    table = CartagenaEnv(**options)
    table.reset(seed=3)
    position = table._position
    ruleset, view = position.ruleset, rules.view(position, 1)
    parts = parts_of(table, 1)
    kinds, places = list(ruleset.kinds.names), list(ruleset.route.names)
    symbols = sorted(set(view["board"]))
    assert [symbols[n] for n in parts["symbols"] if n >= 0] == view["board"]
    assert (parts["symbols"][0], parts["symbols"][-1]) == (-1, -1)
    length = len(places) + len(kinds) + 2
    others = [parts["seats"][n : n + length] for n in range(0, len(parts["seats"]), length)]
    for turn, seen in enumerate(others):
        player = view["players"][(1 + turn) % len(others)]
        spots = dict(zip(places, seen[: len(places)], strict=True))
        assert {place: n for place, n in spots.items() if n} == {"start": ruleset.options.pirates}
        hand = seen[len(places) : -2]
        if player["hand"] is None:
            assert set(hand) == {-1}
        else:
            assert (
                sorted(card for card, n in zip(kinds, hand, strict=True) for _ in range(n)) == player["hand"]
            )
        assert seen[-2:] == [player["cards"], 0]
    assert [kinds[n] for n in parts["row"] if n >= 0] == view["row"]
    assert [str(places[n]) for n, lies in enumerate(parts["chests"]) if lies] == list(view["chests"])
    assert not any(parts["discards"] + parts["pending cards"] + parts["chosen"])
    deck, turn, taken, captain, sloop, pending = parts["rest"]
    assert deck == view["deck"]
    assert (1 + turn) % len(others) == view["turn"]["seat"]
    assert (taken, captain, pending) == (0, 0, -1)
    assert ("none", "cartagena", "tortuga")[sloop] == (view["sloop"] or "none")


@pytest.mark.parametrize("options", TABLES)
def test_actions_are_numbered_in_the_documented_order(options: dict[str, Any]) -> None:
    parsed = rules.parse_options(options)
    table = ActionTable(rules.new_game(parsed, "0" * 64))
    sentence = re.search(r"in the order (.*?); then K numbers", PAGE)
    assert sentence is not None
    order = re.findall(r"`(\w+)`", sentence[1])
    kinds = list(dict.fromkeys(action.type for action in table._numbers))
    assert kinds == [kind for kind in order if kind in kinds]
    has_all = parsed.black_magic and parsed.card_gain == "both"
    assert (kinds == order) == has_all
    assert table.size == len(table._numbers) + len(table._cards) + _MAX_ANSWERS
    assert f"then {_MAX_ANSWERS} for shares and stacks" in PAGE
    assert f"After {_MAX_ACTIONS:,} actions" in PAGE


def test_environment_example_plays_a_game_by_the_documented_mask() -> None:
    example = read_example("example-pettingzoo")
    command = [sys.executable, "-c", example, "3"]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert sorted(line.split()[1] for line in ran.stdout.splitlines()) == ["-1.0", "1.0"]
    table = CartagenaEnv(preset="tortuga", players=2)
    table.reset(seed=3)
    acting, waiting = table.agent_selection, ({"seat_0", "seat_1"} - {table.agent_selection}).pop()
    assert set(table.observe(acting)) == {"observation", "action_mask"}
    assert table.observe(acting)["action_mask"].any()
    assert not table.observe(waiting)["action_mask"].any()
    assert table.infos[acting] == {}


def test_client_timeouts_are_the_documented_ones() -> None:
    *first, last = [f"{pause:g}" for pause in RETRY_PAUSES_SECONDS]
    assert f"after {', '.join(first)} and {last} seconds" in PAGE
    assert f"up to {MAX_WAITS} times" in PAGE
    assert MAX_WAIT_SECONDS == 60
    assert MAX_ILLEGAL_ANSWERS == 3
    assert "three answers in a row" in PAGE
