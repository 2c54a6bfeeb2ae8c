"""Expensive requests: processed off the event loop, cached, aggregated in the database, and charged."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import insert, select

from app.store.games import game_rows, lists
from app.store.tables.games import games, heads, seats
from app.web.api import qr
from app.web.api.profiles import PAGE_SIZE
from app.web.errors import TooMany
from app.web.offload import MAX_WAITING, Offload
from app.web.pages import replay
from tests.databases import begin
from tests.sockets.client import Clients
from tests.sockets.running_server import in_process
from tests.sockets.test_lobby import lobby_client
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import open_table

RECORD = json.loads((Path(__file__).parents[1] / "golden" / "jamaica.json").read_text())


async def test_uploaded_records_are_replayed_off_the_event_loop_and_charged(
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
        assert other.status_code == 200, "each address is charged separately"


async def test_the_openapi_description_is_built_once_and_off_the_event_loop(
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


async def test_an_invalid_record_is_refused_with_a_reason(sqlite_url: str) -> None:
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


async def test_a_cancelled_job_still_occupies_the_queue_and_a_full_queue_refuses() -> None:
    offload, future, go_on = Offload(), threading.Event(), threading.Event()

    def work() -> None:
        future.set()
        go_on.wait(30)

    waiting = [asyncio.ensure_future(offload.run(work)) for _ in range(MAX_WAITING)]
    await asyncio.to_thread(future.wait, 30)
    with pytest.raises(TooMany):
        await offload.run(work)
    waiting[0].cancel()  # its thread is still running
    await asyncio.sleep(0)
    with pytest.raises(TooMany):
        await offload.run(work)
    go_on.set()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert await offload.run(lambda: 7) == 7
    await offload.close()


async def plant(site: TestSite, template: str, person: str, count: int) -> None:
    """Insert finished games of this person, all won."""
    async with begin(site.site.people.database) as run:
        row = dict((await run.execute(select(games).where(games.c.id == template))).one()._mapping)
        rows = [{**row, "id": f"planted{number:06}", "status": "finished"} for number in range(count)]
        await run.execute(insert(games), rows)
        head = {"seq": 3, "to_act": "", "deadline": None}
        await run.execute(
            insert(heads), [{"game": each["id"], "updated_at": at, **head} for at, each in enumerate(rows)]
        )
        seat = {"seat": 0, "person": person, "name": "", "colour": "red", "bot": None, "place": 1}
        await run.execute(insert(seats), [{"game": each["id"], **seat} for each in rows])


async def test_a_profile_with_many_games_reads_one_page_of_them(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    make = game_rows.decode_game

    def decode_game(*given: Any) -> Any:
        nonlocal made
        made += 1
        return make(*given)

    async with running(database_url) as site:
        ann, told = await site.guest("Anne Bonfire")
        await plant(site, await open_table(ann), told["person"]["id"], 500)
        monkeypatch.setattr(lists, "decode_game", decode_game)
        shown = (
            await ann.get(f"/api/v1/players/{told['person']['id']}", params={"offset": PAGE_SIZE})
        ).json()
        assert shown["results"] == [
            {"preset": "tortuga", "played": 500, "won": 500, "places": [500, 0, 0, 0, 0]}
        ]
        assert [row["id"] for row in shown["games"]] == [f"planted{n:06}" for n in range(469, 439, -1)]
        assert shown["more"] is True
        assert made <= PAGE_SIZE + 1


async def test_a_qr_code_is_drawn_once_and_off_the_event_loop(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import segno

    threads: list[int] = []
    make = segno.make

    def counted(*given: Any, **more: Any) -> Any:
        threads.append(threading.get_ident())
        return make(*given, **more)

    monkeypatch.setattr(segno, "make", counted)
    qr._draw_qr.cache_clear()
    async with running(sqlite_url) as site:
        browser = site.browser()
        drawn = {(await browser.get("/qr/g/SomeTable12345.svg")).text for _ in range(20)}
        assert len(drawn) == 1
        assert "<svg" in drawn.pop()
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_flood_of_lobby_filters_is_charged_and_reads_the_lists_once(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with in_process(sqlite_url, requests_burst=50, requests_per_second=0.01) as server:
        clients = Clients(server)
        ann = await clients.person()
        desk = await lobby_client(ann)
        await desk.next("lobby")
        asked: list[str] = []
        listed = server.game_server.store.lists.list_games

        async def counted(which: str, limit: int, offset: int) -> Any:
            asked.append(which)
            return await listed(which, limit, offset)

        monkeypatch.setattr(server.game_server.store.lists, "list_games", counted)
        now = server.game_server.clock.now()
        monkeypatch.setattr(server.game_server.clock, "now", lambda: now)  # lists are cached for a second
        for _ in range(60):
            await desk.link.send('{"do":"filter","preset":"jamaica"}')
            await desk.next("lobby")
        assert len(asked) <= 2
        for _ in range(100):
            await desk.link.send('{"do":"filter"}')
        assert (await desk.next("refused"))["code"] == "too_fast"
        desk.link.transport.abort()  # a regular close would wait ten seconds behind unread answers
        await clients.close()
