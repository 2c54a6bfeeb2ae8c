"""Requests that cost much more than they look: off the loop, made once, added up in the database, and priced."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import insert, select

from app.store.games import store as game_store
from app.store.games.tables import games, heads, seats
from app.web.api import qr
from app.web.api.profiles import PAGE
from app.web.errors import TooMany
from app.web.offload import MOST_WAITING, Offload
from app.web.pages import replay
from tests.sockets.client import Clients
from tests.sockets.running_server import in_process
from tests.sockets.test_lobby import at_desk
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import open_table

RECORD = json.loads((Path(__file__).parents[1] / "golden" / "jamaica.json").read_text())


async def test_records_that_strangers_post_are_played_off_the_loop_and_paid_for(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    play = replay.steps_of

    def steps_of(*given: Any, **more: Any) -> Any:
        threads.append(threading.get_ident())
        return play(*given, **more)

    monkeypatch.setattr(replay, "steps_of", steps_of)
    async with running(sqlite_url, writes_burst=10_000, requests_per_second=0.5, requests_burst=60) as site:
        browser = site.browser()
        answers = [await browser.post("/replay/steps", json={"record": RECORD}) for _ in range(40)]
        assert answers[0].status_code == 200
        assert len(answers[0].json()["steps"]) == len(RECORD["actions"])
        assert (answers[-1].status_code, code_of(answers[-1])) == (429, "too_many")
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert threading.get_ident() not in threads
        other = await site.browser("203.0.113.9").post("/replay/steps", json={"record": RECORD, "eyes": 0})
        assert other.status_code == 200, "each address pays for itself"


async def test_the_description_of_the_api_is_made_once_and_off_the_loop(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[int] = []
    make = FastAPI.openapi

    def openapi(self: FastAPI) -> dict[str, Any]:
        threads.append(threading.get_ident())
        return make(self)

    monkeypatch.setattr(FastAPI, "openapi", openapi)
    async with running(sqlite_url) as site:
        answers = [await site.browser().get("/api/v1/openapi.json") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert "/api/v1/games" in answers[0].json()["paths"]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_record_that_is_none_is_refused_in_words(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser = site.browser()
        for body, code in (
            ({"record": {**RECORD, "actions": RECORD["actions"] * 200}}, "too_big"),
            ({"record": RECORD, "eyes": 7}, "bad_seat"),
        ):
            assert code_of(await browser.post("/replay/steps", json=body)) == code
        unplayable = [{**RECORD["actions"][0], "action": {"type": "sail"}}]
        for record, why, params in (
            (5, "record_none", {}),
            (None, "record_none", {}),
            ({**RECORD, "rules_version": 99}, "record_newer", {}),
            ({**RECORD, "options": {}}, "record_part", {"where": "options"}),
            ({**RECORD, "actions": [{}]}, "record_no_move", {"n": 1}),
            ({**RECORD, "actions": unplayable}, "record_unplayable", {"n": 1}),
        ):
            error = (await browser.post("/replay/steps", json={"record": record})).json()["error"]
            assert (error["code"], error["why"], error["params"]) == ("bad_record", why, params)


async def test_whoever_goes_away_leaves_no_room_in_the_queue_and_a_full_queue_says_so() -> None:
    offload, begun, go_on = Offload(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(30)

    waiting = [asyncio.ensure_future(offload.run(work)) for _ in range(MOST_WAITING)]
    await asyncio.to_thread(begun.wait, 30)
    with pytest.raises(TooMany):
        await offload.run(work)
    waiting[0].cancel()  # its thread is still at work
    await asyncio.sleep(0)
    with pytest.raises(TooMany):
        await offload.run(work)
    go_on.set()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert await offload.run(lambda: 7) == 7
    await offload.close()


async def plant(site: TestSite, template: str, person: str, count: int) -> None:
    """So many finished games of this person, all won."""
    async with site.site.people.engine.begin() as run:
        row = dict((await run.execute(select(games).where(games.c.id == template))).one()._mapping)
        rows = [{**row, "id": f"planted{number:06}", "status": "finished"} for number in range(count)]
        await run.execute(insert(games), rows)
        head = {"seq": 3, "to_act": "", "deadline": None}
        await run.execute(
            insert(heads), [{"game": each["id"], "updated_at": at, **head} for at, each in enumerate(rows)]
        )
        seat = {"seat": 0, "person": person, "name": "", "colour": "red", "bot": None, "place": 1}
        await run.execute(insert(seats), [{"game": each["id"], **seat} for each in rows])


async def test_a_page_of_somebody_with_very_many_games_reads_one_page_of_them(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    make = game_store._game_of

    def game_of(*given: Any) -> Any:
        nonlocal made
        made += 1
        return make(*given)

    async with running(database_url) as site:
        ann, told = await site.guest("Anne Bonfire")
        await plant(site, await open_table(ann), told["person"]["id"], 500)
        monkeypatch.setattr(game_store, "_game_of", game_of)
        shown = (await ann.get(f"/api/v1/players/{told['person']['id']}", params={"offset": PAGE})).json()
        assert shown["results"] == [
            {"preset": "tortuga", "played": 500, "won": 500, "places": [500, 0, 0, 0, 0]}
        ]
        assert [row["id"] for row in shown["games"]] == [f"planted{n:06}" for n in range(469, 439, -1)]
        assert shown["more"] is True
        assert made <= PAGE + 1


async def test_a_qr_code_is_drawn_once_and_not_on_the_loop(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import segno

    threads: list[int] = []
    make = segno.make

    def counted(*given: Any, **more: Any) -> Any:
        threads.append(threading.get_ident())
        return make(*given, **more)

    monkeypatch.setattr(segno, "make", counted)
    qr._drawn.cache_clear()
    async with running(sqlite_url) as site:
        browser = site.browser()
        drawn = {(await browser.get("/qr/g/SomeTable12345.svg")).text for _ in range(20)}
        assert len(drawn) == 1
        assert "<svg" in drawn.pop()
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_flood_of_lobby_filters_reads_the_lists_once_and_is_paid_for(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_process(sqlite_url, requests_burst=50, requests_per_second=0.01) as server:
        clients = Clients(server)
        ann = await clients.person()
        desk = await at_desk(ann)
        await desk.next("lobby")
        asked: list[str] = []
        listed = server.game_server.store.games_listed

        async def counted(which: str, limit: int) -> Any:
            asked.append(which)
            return await listed(which, limit)

        monkeypatch.setattr(server.game_server.store, "games_listed", counted)
        now = server.game_server.clock.now()
        monkeypatch.setattr(
            server.game_server.clock, "now", lambda: now
        )  # lists are read again after a second
        for _ in range(60):
            await desk.link.send('{"do":"filter","preset":"jamaica"}')
            await desk.next("lobby")
        assert len(asked) <= 2
        for _ in range(100):
            await desk.link.send('{"do":"filter"}')
        assert (await desk.next("refused"))["code"] == "too_fast"
        desk.link.transport.abort()  # a good-bye would wait ten seconds behind the answers that nobody reads
        await clients.close()
