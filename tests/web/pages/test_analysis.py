"""The analysis board: any position by its code, played for every seat, evaluated in the bots' processes."""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from app import rules
from app.bots import ranking
from app.bots.analysis import analyse
from app.bots.budget import Meter
from app.web.pages.analysis import MAX_ACTIONS, play_line
from app.web.security.buckets import Buckets
from tests.web.running_site import code_of, running
from tests.web.tables import play_table

GOLDEN = Path(__file__).parents[2] / "golden"
Json = dict[str, Any]


def position_of(name: str, step: int) -> rules.Position:
    record = rules.record_from_json(json.loads((GOLDEN / f"{name}.json").read_text()))
    return next(islice(rules.replay(record), step, None))[0]


def code_at(name: str, step: int) -> str:
    code = rules.position_to_code(position_of(name, step))
    assert code is not None
    return code


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_a_line_can_be_played_for_every_seat_and_continued_from_its_code(path: Path) -> None:
    record = rules.record_from_json(json.loads(path.read_text()))
    code = rules.position_to_code(next(rules.replay(record))[0])
    assert code is not None
    played: list[Json] = []
    seats = set()
    for _ in range(14):
        answer = play_line(code, played)
        if answer["result"] is not None:
            break
        seats.add(answer["seat"])
        assert all(player["hand"] is not None for player in answer["view"]["players"])
        listed = [choice["action"] for choice in answer["choices"]]
        ends = [action for action in listed if action["type"] == "end"]
        action = (ends or listed)[0]
        if action["type"] == "discard":
            hand = answer["view"]["players"][answer["seat"]]["hand"]
            action = {"type": "discard", "cards": hand[: action["count"]]}
        played.append({"seat": answer["seat"], "action": action})
        if answer["code"] is not None:
            again = play_line(answer["code"], [])
            assert again["view"]["players"] == answer["view"]["players"]
            assert again["view"]["turn"] == answer["view"]["turn"]
    assert len(seats) > 1


def test_an_analysis_is_the_same_every_time_and_names_no_unknown_card() -> None:
    code = code_at("jamaica", 120)
    found = analyse(code)
    assert analyse(code) == found
    assert 1 <= len(found["turns"]) <= 3
    own = [turn["chances"][found["seat"]] for turn in found["turns"]]
    assert own == sorted(own, reverse=True)
    assert found["chances"] == found["turns"][0]["chances"]
    for turn in found["turns"]:
        assert sum(turn["chances"]) == pytest.approx(1, abs=0.01)
        for event in turn["events"]:
            assert event["type"] != "cards_drawn" or event["cards"] is None


def test_an_analysis_with_many_actions_and_pirates_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes: list[int] = []

    class CountingMeter(Meter):
        def is_spent(self) -> bool:
            nodes.append(self.nodes)
            return super().is_spent()

    monkeypatch.setattr(ranking, "Meter", CountingMeter)
    options = rules.parse_options(
        {"preset": "tortuga", "players": 2, "actions": 5, "pirates": 8, "copies": 30}
    )
    code = rules.position_to_code(rules.new_game(options, "0" * 64))
    assert code is not None
    assert len(analyse(code)["turns"]) == 3
    assert 60_000 <= max(nodes) < 66_000


def test_a_winning_turn_is_found() -> None:
    record = rules.record_from_json(json.loads((GOLDEN / "tortuga.json").read_text()))
    line = list(rules.replay(record))
    last = max(n for n, (position, _) in enumerate(line) if position.actions_taken == 0 and n < len(line) - 1)
    code = rules.position_to_code(line[last][0])
    assert code is not None
    found = analyse(code)
    assert found["chances"][found["seat"]] == 1
    assert len(found["turns"]) == 1


async def test_the_board_is_played_and_evaluated_over_http(sqlite_url: str) -> None:
    code = code_at("tortuga", 70)
    async with running(sqlite_url) as site:
        ann = site.browser()
        begun = (await ann.post("/analysis/play", json={"code": code})).json()
        assert (begun["code"], begun["start"], begun["steps"]) == (code, code, [])
        step = {"seat": begun["seat"], "action": begun["choices"][0]["action"]}
        after = (await ann.post("/analysis/play", json={"code": code, "actions": [step]})).json()
        assert after["steps"][0]["seat"] == begun["seat"]
        assert after["code"] != code
        # why a click does nothing, for the seat that acts
        asked = await ann.post("/analysis/play", json={"code": code, "why": {"place": 1}})
        assert asked.json()["why"]["code"] != "stale"
        start_of_move = {
            "pirate": begun["choices"][0]["action"].get("from"),
            "place": begun["choices"][0].get("to"),
        }
        asked = await ann.post("/analysis/play", json={"code": code, "why": start_of_move})
        assert set(asked.json()) == {"why"}
        # a view with all hands, as the replay of a record shows it, and the start of a game
        opened = rules.open_view(position_of("tortuga", 70))
        assert (await ann.post("/analysis/play", json={"view": opened})).json()["start"] == code
        options = {"preset": "jamaica", "players": 3}
        start = (await ann.post("/analysis/play", json={"options": options})).json()
        assert start["view"]["options"]["preset"] == "jamaica"
        found = await ann.post("/analysis/evaluate", json={"code": code})
        assert found.json() == analyse(code)
        assert (await ann.get("/analysis")).status_code == 200
        assert "data-best" in (await ann.get(f"/analysis?p={code}")).text
        for wrong in (
            {},
            {"code": "1~tortuga"},
            {"code": 5},
            {"view": 5},
            {"view": {**opened, "winner": 0}},
            {"view": {**opened, "board": ["key"] * 36}},
            {"view": {**opened, "sloop": "atlantis"}},
            *(
                {"view": {**opened, "chests_aside": aside}}
                for aside in (50_000_000, 10**30, -1, True, [None] * 9)
            ),
            {"options": {"preset": "atlantis", "players": 2}},
            {"code": code, "actions": "end"},
            {"code": code, "actions": [5]},
            {"code": code, "why": 5},
            {"code": code, "why": {"place": []}},
            {"code": code, "actions": [{"seat": 9, "action": {"type": "end"}}]},
            {"code": code, "actions": [{"seat": begun["seat"], "action": {"type": "fly"}}]},
            {"code": code, "actions": [step] * (MAX_ACTIONS + 1)},
        ):
            assert (await ann.post("/analysis/play", json=wrong)).status_code in (400, 422), wrong
        for bad_code in (None, "1~tortuga", [code]):
            refused = await ann.post("/analysis/evaluate", json={"code": bad_code})
            assert refused.status_code == 422, bad_code


async def test_a_seats_view_of_a_running_game_with_hidden_hands_is_refused(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        (ann, _), (bo, _) = await site.guest("Ann"), await site.guest("Bo")
        game = await play_table(ann, bo, options={"preset": "jamaica", "players": 2})
        view = (await ann.get(f"/api/v1/games/{game}")).json()["view"]
        refused = await ann.post("/analysis/play", json={"view": view})
        assert (refused.status_code, code_of(refused)) == (422, "bad_position")
        assert "every hand" in refused.json()["error"]["message"]


async def test_analyses_are_charged_before_they_run(sqlite_url: str) -> None:
    code = code_at("tortuga", 70)
    async with running(sqlite_url, writes_per_second=0.01, writes_burst=10) as site:
        stranger = site.browser("203.0.113.9")
        answers = [await stranger.post("/analysis/evaluate", json={"code": "?"}) for _ in range(12)]
        assert (answers[-1].status_code, code_of(answers[-1])) == (429, "too_many")
    async with running(sqlite_url) as site:
        site.site.limits.studies = Buckets(1e-6, 1, time.monotonic)
        stranger = site.browser("203.0.113.9")
        pool = site.app.state.bot_pool
        command = pool._command
        pool._command = (sys.executable, "-c", "")
        failed = await stranger.post("/analysis/evaluate", json={"code": code})
        assert (failed.status_code, code_of(failed)) == (429, "too_many")
        pool._command = command  # the failed analysis was not charged
        first = await stranger.post("/analysis/evaluate", json={"code": code})
        assert first.status_code == 200
        again = await stranger.post("/analysis/evaluate", json={"code": code})
        assert again.status_code == 200, "a known analysis costs no work"
        other = await stranger.post("/analysis/evaluate", json={"code": code_at("tortuga", 73)})
        assert (other.status_code, code_of(other)) == (429, "too_many")
    async with running(sqlite_url) as site:
        pool = site.app.state.bot_pool
        pool._command, pool._grace = (sys.executable, "-c", "import time; time.sleep(60)"), -16.9
        late = await site.browser().post("/analysis/evaluate", json={"code": code})
        assert late.status_code == 429
        assert "took too long" in late.json()["error"]["message"]
