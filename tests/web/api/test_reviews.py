"""Reviews: made once for any number of callers, cached, and limited."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from app.web.api.reviews import Reviews
from app.web.errors import TooMany
from app.web.security.buckets import Buckets
from tests.sockets.client import Clients
from tests.sockets.running_server import in_process
from tests.web.running_site import running
from tests.web.tables import play_table

RECORD: dict[str, Any] = {"players": ["Ann", "Bo"], "result": {"winner": 0}}


class HeldReviewer:
    """A reviewer that waits until it is released."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.begun = 0
        self.at_once = 0
        self.most_at_once = 0
        self.answer: dict[str, Any] | None = {"turns": []}

    async def make(self, record: dict[str, Any]) -> dict[str, Any] | None:
        self.begun += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.release.wait()
        self.at_once -= 1
        return self.answer


async def test_a_review_is_made_once_and_survives_cancelled_callers() -> None:
    bench = HeldReviewer()
    reviews = Reviews(bench.make)
    asking = [asyncio.create_task(reviews.find_or_make("one", RECORD)) for _ in range(5)]
    other = asyncio.create_task(reviews.find_or_make("two", RECORD))
    await asyncio.sleep(0)
    asking[0].cancel()
    bench.release.set()
    found = await asyncio.gather(*asking[1:])
    assert found[0] == {"turns": [], "result": RECORD["result"]}
    await other
    assert (bench.begun, bench.most_at_once) == (2, 1)
    assert await reviews.find("one") == found[0]
    assert await reviews.find("three") is None


async def test_a_failed_review_is_not_cached_and_a_long_queue_is_refused() -> None:
    bench = HeldReviewer()
    reviews = Reviews(bench.make)
    asking = [asyncio.create_task(reviews.find_or_make(f"game {n}", RECORD)) for n in range(8)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany) as refused:
        await reviews.find_or_make("one too many", RECORD)
    assert (refused.value.status, refused.value.retry_after) == (429, 30), (
        "not 503, which proxies take as a broken worker"
    )
    bench.answer = None
    bench.release.set()
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    assert all(isinstance(outcome, TooMany) for outcome in outcomes)
    bench.answer = {"turns": []}
    assert (await reviews.find_or_make("game 0", RECORD))["turns"] == []
    await reviews.close()


async def test_reviews_are_limited_and_cached_ones_are_free(sqlite_url: str) -> None:
    async with in_process(sqlite_url) as server:
        clients, bench = Clients(server), HeldReviewer()
        bench.release.set()
        assert server._app is not None
        state = server._app.state
        state.reviews = Reviews(bench.make)
        state.site.limits.reviews = Buckets(1e-6, 1, time.monotonic)
        games = []
        for _ in range(2):
            ann, _ = await clients.game(2)
            await ann.act({"type": "resign"})
            games.append(ann.game)
        wim, nobody = await clients.person(), await clients.nobody()
        first, second = (f"/api/v1/games/{game}/review" for game in games)
        assert [(await wim.http.get(first)).status_code for _ in range(3)] == [200, 200, 200]
        refused = await wim.http.get(second)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many")
        assert bench.begun == 1
        assert (await nobody.http.get(second)).status_code == 200
        assert (await wim.http.get(second)).status_code == 200
        assert bench.begun == 2
        state.site.limits.reviews_by_address = Buckets(1e-6, 0, time.monotonic)
        ann, _ = await clients.game(2)
        await ann.act({"type": "resign"})
        assert (await ann.http.get(f"/api/v1/games/{ann.game}/review")).status_code == 429
        await clients.close()


async def test_a_cached_review_has_the_present_names(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        (ann, _), (bo, _) = await site.guest("Ann"), await site.guest("Bo")
        game = await play_table(ann, bo, options={"preset": "tortuga", "players": 2})
        state = (await bo.get(f"/api/v1/games/{game}")).json()
        body = {"id": "resigning", "version": state["seq"], "action": {"type": "resign"}}
        assert (await bo.post(f"/api/v1/games/{game}/act", json=body)).status_code == 200
        for name in ("Bo", "Bob"):
            assert (await bo.post("/api/v1/me", json={"name": name})).status_code == 200
            found = (await ann.get(f"/api/v1/games/{game}/review")).json()
            assert sorted(player["name"] for player in found["players"]) == ["Ann", name]
        record = (await ann.get(f"/api/v1/games/{game}/record")).json()
        assert found["players"] == record["players"]
        assert found["result"] == record["result"]


async def test_a_greedy_person_does_not_delay_another_persons_review() -> None:
    made: list[str] = []
    release = asyncio.Event()

    async def make(record: dict[str, Any]) -> dict[str, Any]:
        made.append(record["players"])
        await release.wait()
        return {"turns": []}

    reviews = Reviews(make)
    asking = []
    for number in range(8):
        record = {**RECORD, "players": f"greedy {number}"}
        asking.append(asyncio.create_task(reviews.find_or_make(f"game {number}", record, "greedy")))
    await asyncio.sleep(0.01)
    other = asyncio.create_task(
        reviews.find_or_make("other", {**RECORD, "players": "bystander"}, "bystander")
    )
    await asyncio.sleep(0.01)
    release.set()
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    await other
    assert made[:2] == ["greedy 0", "bystander"]
    assert sum(isinstance(outcome, TooMany) for outcome in outcomes) == 1, (
        "the queue was full: the last gave way"
    )
