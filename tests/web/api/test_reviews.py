"""Asking for reviews: made once however many ask, kept, and not more than a bot's process can bear."""

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

RECORD: dict[str, Any] = {"players": ["Ann", "Bo"], "result": {"winner": 0}}


class Bench:
    """Somebody who reviews when told to go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.begun = 0
        self.at_once = 0
        self.most_at_once = 0
        self.answer: dict[str, Any] | None = {"turns": []}

    async def make(self, record: dict[str, Any]) -> dict[str, Any] | None:
        self.begun += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.go_on.wait()
        self.at_once -= 1
        return self.answer


async def test_a_review_is_made_once_and_whoever_leaves_does_not_stop_it() -> None:
    bench = Bench()
    reviews = Reviews(bench.make)
    asking = [asyncio.create_task(reviews.made("one", RECORD)) for _ in range(5)]
    other = asyncio.create_task(reviews.made("two", RECORD))
    await asyncio.sleep(0)
    asking[0].cancel()
    bench.go_on.set()
    found = await asyncio.gather(*asking[1:])
    assert found[0] == {"turns": [], **RECORD}
    await other
    assert (bench.begun, bench.most_at_once) == (2, 1)
    assert await reviews.known("one") == found[0]
    assert await reviews.known("three") is None


async def test_a_failure_is_not_kept_and_a_long_queue_is_refused() -> None:
    bench = Bench()
    reviews = Reviews(bench.make)
    asking = [asyncio.create_task(reviews.made(f"game {n}", RECORD)) for n in range(8)]
    await asyncio.sleep(0)
    with pytest.raises(TooMany) as refused:
        await reviews.made("one too many", RECORD)
    assert (refused.value.status, refused.value.retry_after) == (429, 30), "not 503, which is a sick server's"
    bench.answer = None
    bench.go_on.set()
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    assert all(isinstance(outcome, TooMany) for outcome in outcomes)
    bench.answer = {"turns": []}
    assert (await reviews.made("game 0", RECORD))["turns"] == []
    await reviews.close()


async def test_who_asks_for_too_many_is_refused_and_what_is_kept_costs_nothing(sqlite_url: str) -> None:
    async with in_process(sqlite_url) as server:
        clients, bench = Clients(server), Bench()
        bench.go_on.set()
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


async def test_a_review_for_a_bystander_is_made_next_however_many_another_has_asked_for() -> None:
    made: list[str] = []
    go_on = asyncio.Event()

    async def make(record: dict[str, Any]) -> dict[str, Any]:
        made.append(record["players"])
        await go_on.wait()
        return {"turns": []}

    reviews = Reviews(make)
    asking = []
    for number in range(8):
        record = {**RECORD, "players": f"greedy {number}"}
        asking.append(asyncio.create_task(reviews.made(f"game {number}", record, "greedy")))
    await asyncio.sleep(0.01)
    other = asyncio.create_task(reviews.made("other", {**RECORD, "players": "bystander"}, "bystander"))
    await asyncio.sleep(0.01)
    go_on.set()
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    await other
    assert made[:2] == ["greedy 0", "bystander"]
    assert sum(isinstance(outcome, TooMany) for outcome in outcomes) == 1, (
        "the queue was full: the last gave way"
    )
