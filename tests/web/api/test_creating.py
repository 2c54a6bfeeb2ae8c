"""Creating tables: idempotency keys, and making room at the limit by ending games against bots."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import begin, command, open_table, play_table, sit

NEW: dict[str, Any] = {"options": {"preset": "jamaica", "players": 2}, "visibility": "unlisted"}
BOTS = {**NEW, "bots": ["cabin-boy"], "pace": 10_000}


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url, rooms_per_guest=3) as test:
        yield test


async def against_bots(browser: httpx.AsyncClient) -> str:
    """Start a game of this person against a bot."""
    room = await open_table(browser, **BOTS)
    await sit(browser, room)
    await begin(room, browser)
    return room


async def status(browser: httpx.AsyncClient, room: str) -> str:
    return str((await browser.get(f"/api/v1/games/{room}")).json()["table"]["status"])


async def test_a_repeated_request_creates_one_table(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    key = {"Idempotency-Key": "pressed-twice-1"}
    answers = await asyncio.gather(
        *(ann.post("/api/v1/games", json=NEW, headers=key) for _ in range(4)),
        bo.post("/api/v1/games", json=NEW, headers=key),
    )
    ids = [answer.json()["id"] for answer in answers]
    assert len(set(ids[:4])) == 1
    assert len({answer.json()["commitment"] for answer in answers[:4]}) == 1
    assert ids[4] != ids[0], "the same key of another person creates another table"
    other = await ann.post("/api/v1/games", json=NEW, headers={"Idempotency-Key": "pressed-later-2"})
    assert other.json()["id"] not in ids
    assert len((await ann.get("/api/v1/games?list=mine")).json()["games"]) == 2


async def test_repeated_quick_play_creates_one_table(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    key = {"Idempotency-Key": "quick-twice-01"}
    answers = await asyncio.gather(*(ann.post("/api/v1/quick", json={}, headers=key) for _ in range(3)))
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert len((await ann.get("/api/v1/games?list=mine")).json()["games"]) == 1


async def test_an_invalid_idempotency_key_is_refused(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    answer = await ann.post("/api/v1/games", json=NEW, headers={"Idempotency-Key": "short"})
    assert (answer.status_code, code_of(answer)) == (422, "bad_request")


async def test_at_the_limit_the_oldest_game_against_bots_is_ended(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    with_bo = await play_table(ann, bo)
    oldest, newer = await against_bots(ann), await against_bots(ann)
    assert code_of(await ann.post("/api/v1/games", json=BOTS)) == "too_many_rooms"
    answer = await ann.post("/api/v1/games?make_room=true", json=BOTS)
    assert answer.status_code == 201
    assert answer.json()["ended"] == [oldest]
    assert [await status(ann, room) for room in (with_bo, oldest, newer)] == ["running", "aborted", "running"]


async def test_a_game_with_other_people_is_never_ended_to_make_room(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    rooms = [await play_table(ann, bo)]
    waiting = await open_table(ann)  # bo waits there, ann has not sat down
    await sit(bo, waiting)
    finished = await play_table(ann, bo)
    state = (await bo.get(f"/api/v1/games/{finished}")).json()
    await command(bo, finished, "act", version=state["seq"], action={"type": "resign"})
    await command(ann, finished, "rematch")  # an empty table for two
    kept = (await ann.get(f"/api/v1/games/{finished}")).json()["table"]["next"]
    answer = await ann.post("/api/v1/games?make_room=true", json=BOTS)
    assert code_of(answer) == "too_many_rooms"
    assert [await status(ann, room) for room in (*rooms, waiting, kept)] == ["running", "open", "open"]


async def test_an_empty_table_is_closed_to_make_room(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    rooms = [await open_table(ann) for _ in range(3)]
    await sit(ann, rooms[0])
    assert (await ann.post("/api/v1/games?make_room=true", json=BOTS)).json()["ended"] == rooms[:1]
    assert await status(ann, rooms[0]) == "closed"
