"""Practice with one's own mistakes over HTTP: searching, playing and judging, for the person alone."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from app.bots.mistakes import turn_starts
from app.bots.turn_search import foresee
from app.play.ports import StoreUnavailable
from app.play.queues import Postponed
from app.rules import action_to_json, legal, record_from_json
from app.store.people.mistakes import DAY_SECONDS, Mistake, Search
from app.store.tables.practice import mistake_searches
from app.web.errors import TooMany
from app.web.mistakes import play_puzzle
from tests.bots.test_review import record_of
from tests.browser.pages.page_paths import played_record
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import play_table

Json = dict[str, Any]
SHORT = {"preset": "tortuga", "players": 2, "board": "random", "passage_boards": 4, "pirates": 4}


async def finished_game(site: TestSite) -> tuple[Any, str, Any, str]:
    """Return two browsers, the id of the first person, and a game of some turns that the second resigned."""
    (ann, me), (bo, _) = await site.guest("Ann"), await site.guest("Bo")
    game = await play_table(ann, bo, options=SHORT)
    ends = 0
    while ends < 6:
        for browser in (ann, bo):
            state = (await browser.get(f"/api/v1/games/{game}")).json()
            if not state.get("choices"):
                continue
            listed = [choice["action"] for choice in state["choices"]]
            ending = [action for action in listed if action["type"] == "end"]
            ends += bool(ending)
            body = {
                "id": f"action-{state['seq']:05}",
                "version": state["seq"],
                "action": (ending or listed)[0],
            }
            assert (await browser.post(f"/api/v1/games/{game}/act", json=body)).status_code == 200
    state = (await bo.get(f"/api/v1/games/{game}")).json()
    body = {"id": "resigning", "version": state["seq"], "action": {"type": "resign"}}
    assert (await bo.post(f"/api/v1/games/{game}/act", json=body)).status_code == 200
    return ann, me["person"]["id"], bo, game


async def test_a_visit_searches_finished_games_and_puzzles_are_played(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url) as site:
        state = site.app.state
        ann, person, bo, game = await finished_game(site)
        stranger = site.browser()
        assert (await stranger.get("/practice/mistakes")).status_code == 401
        assert (await ann.get("/practice")).status_code == 200
        empty = (await ann.get("/practice/mistakes")).json()
        assert (empty["due"], empty["searching"], empty["puzzles"]) == (0, 0, [])
        assert (await ann.post("/practice/mistakes/search", json={})).json() == {"queued": True}
        assert (await ann.post("/practice/mistakes/search", json={})).json() == {"queued": False}
        store = state.mistakes.store
        await state.queues["mistakes"].drain()
        while not await store.database.fetch_rows(
            select(mistake_searches).where(mistake_searches.c.done_at.is_not(None))
        ):
            await state.queues["mistakes"].drain()
        # A puzzle of the first turn, whatever the search has found.
        record = (await ann.get(f"/api/v1/games/{game}/record")).json()
        seat = next(n for n, player in enumerate(record["players"]) if player["name"] == "Ann")
        start = next(turn_starts(record_from_json(record), seat))
        now = site.site.now()
        row = Mistake(person, game, start.step, seat, 7000, 5000, now, now, 0, 0)
        await store.finish(Search(person, game), [row], now)
        listed = (await ann.get("/practice/mistakes")).json()
        assert {"game": game, "step": start.step, "stage": 0} in listed["puzzles"]
        path = f"/practice/mistakes/{game}/{start.step}"
        costs: list[float] = []
        monkeypatch.setattr(site.site.limits, "take_work", lambda _, cost: costs.append(cost))
        begun = (await ann.post(f"{path}/play", json={"actions": []})).json()
        assert begun["choices"]
        assert begun["view"]["seed"] is None
        assert sorted(each["name"] for each in begun["seats"]) == ["Ann", "Bo"]
        assert (await bo.post("/api/v1/me", json={"name": "Bob"})).status_code == 200
        again = (await ann.post(f"{path}/play", json={"actions": []})).json()
        assert sorted(each["name"] for each in again["seats"]) == ["Ann", "Bob"], "names are the present ones"
        action = begun["choices"][0]["action"]
        after = (await ann.post(f"{path}/play", json={"actions": [action]})).json()
        assert after["view"]["turn"]["taken"] == 1
        for wrong in ({}, {"actions": "end"}, {"actions": [5]}, {"actions": [action] * 13}):
            assert (await ann.post(f"{path}/play", json=wrong)).status_code == 422
        for illegal in ("fly", "sail", "end"):
            refused = await ann.post(f"{path}/play", json={"actions": [{"type": illegal}]})
            assert refused.status_code == 422
        assert code_of(await ann.post(f"{path}/judge", json={"actions": [action]})) == "illegal"
        # A late puzzle costs more, because the moves before it are replayed.
        late = Mistake(person, game, 4000, seat, 7000, 5000, now, now, 0, 0)
        await store.finish(Search(person, game), [late], now)
        assert (
            await ann.post(f"/practice/mistakes/{game}/4000/play", json={"actions": []})
        ).status_code == 404
        assert costs[-1] - costs[0] > 900
        # So does one whose game is not cached, because its log is read.
        state.mistakes._games.clear()
        for _ in range(2):
            assert (await ann.post(f"{path}/play", json={"actions": []})).status_code == 200
        assert costs[-2] > costs[-1]
        # The puzzle is Ann's alone.
        for browser, status in ((bo, 404), (stranger, 401)):
            assert (await browser.post(f"{path}/play", json={"actions": []})).status_code == status
        turn = [action_to_json(each) for each in start.played]
        verdict = (await ann.post(f"{path}/judge", json={"actions": turn})).json()
        assert verdict["tried"] == verdict["played"]
        assert 0 <= verdict["tried"]["chance"] <= verdict["best"]["chance"] + 0.02
        found = await store.find(person, game, start.step)
        assert found is not None
        assert found.due_at == pytest.approx(site.site.now() + DAY_SECONDS, abs=30)
        assert found.stage == int(verdict["is_right"])


async def test_the_review_of_an_own_game_queues_it(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        ann, person, _, game = await finished_game(site)
        stranger, _ = await site.guest("Wim")
        for browser in (ann, stranger):
            assert (await browser.get(f"/api/v1/games/{game}/review")).status_code == 200
        rows = await site.app.state.mistakes.store.database.fetch_rows(select(mistake_searches))
        assert [(row.person, row.game) for row in rows] == [(person, game)]


async def test_a_review_is_answered_even_if_its_puzzles_cannot_be_queued(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> bool:
        raise StoreUnavailable

    async with running(sqlite_url) as site:
        ann, _, _, game = await finished_game(site)
        monkeypatch.setattr(site.app.state.mistakes.store, "request_searches", fail)
        answer = await ann.get(f"/api/v1/games/{game}/review")
        assert answer.status_code == 200
        assert answer.json()["turns"]


async def test_a_search_waits_while_the_offload_thread_is_busy(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object) -> None:
        raise TooMany(5.0)

    async with running(sqlite_url) as site:
        _, person, _, game = await finished_game(site)
        practice = site.app.state.mistakes
        monkeypatch.setattr(practice._offload, "run", refuse)
        with pytest.raises(Postponed):
            await practice.process(Search(person, game))


def test_cards_from_the_deck_stay_unknown_within_a_puzzle() -> None:
    record = record_from_json(played_record("jamaica", passage_boards=4, board="random", pirates=4))
    for start in turn_starts(record, 0):
        draws = [action for action in start.played if action.type == "retreat"]
        if not draws:
            continue
        before = play_puzzle(record, 0, start.step, [])
        try_first = action_to_json(draws[0])
        if try_first not in [choice["action"] for choice in before["choices"]]:
            continue
        after = play_puzzle(record, 0, start.step, [try_first])
        mine, other = after["view"]["players"]
        assert mine["hand"] == before["view"]["players"][0]["hand"]
        assert mine["cards"] > len(mine["hand"])
        assert other["hand"] is None
        return
    raise AssertionError("no turn of this game begins with a retreat")


def test_a_puzzle_shows_neither_a_new_row_nor_its_cards() -> None:
    options = {"preset": "tortuga", "row_size": 4, "board": "random", "passage_boards": 4}
    record = record_of(options, ("mate", "sailor"))
    checked = 0
    for start in turn_starts(record, 0):
        for retreat in legal(start.position, 0):
            after = foresee(start.position, 0, retreat)
            if retreat.type != "retreat" or after.row or after.shuffles > start.position.shuffles:
                continue
            drawn = [action_to_json(retreat)]
            before = play_puzzle(record, 0, start.step, [])["view"]
            view = play_puzzle(record, 0, start.step, drawn)["view"]
            mine, was = view["players"][0], before["players"][0]
            assert view["row"] == []
            assert mine["cards"] - was["cards"] == len(before["row"]) + before["deck"] - view["deck"]
            assert sorted(mine["hand"]) == sorted(was["hand"] + before["row"])
            checked += 1
    assert checked > 2
