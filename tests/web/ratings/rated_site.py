"""A running site whose queue of ratings is run by the test."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
from sqlalchemy import insert

from app.store.tables.games import games, seats
from tests.databases import begin
from tests.store.ratings.rated_games import HOUR, make_game
from tests.web.running_site import TestSite

PASSWORD = {"password": "plank, parrot, doubloon"}
POOL = "duel-open"


class RatedSite:
    """A running site whose queue of ratings is run by the test."""

    def __init__(self, site: TestSite) -> None:
        self.site = site
        self.database = site.site.people.database
        self.loop = site.app.state.queues["ratings"]
        self.now = int(site.site.clock() * 1000)
        self.count = 0

    async def account(self) -> tuple[httpx.AsyncClient, str]:
        self.count += 1
        browser, told = await self.site.guest(address=f"203.0.113.{self.count}")
        assert (await browser.post("/api/v1/account/register", json=PASSWORD)).status_code == 200
        return browser, told["person"]["id"]

    async def write(self, *statements: Any) -> None:
        async with begin(self.database) as run:
            for statement in statements:
                await run.execute(statement)

    async def plant_games(self, *made: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
        await self.write(
            insert(games).values([row for row, _ in made]),
            *(insert(seats).values(taken) for _, taken in made),
        )
        await self.loop.drain()

    async def download(self, browser: httpx.AsyncClient) -> list[dict[str, Any]]:
        answer = await browser.get("/api/v1/ratings/export")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/gzip"
        return [json.loads(line) for line in gzip.decompress(answer.content).splitlines()]


async def read(browser: httpx.AsyncClient, path: str) -> Any:
    answer = await browser.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def plant_history(rated: RatedSite) -> list[str]:
    people = [(await rated.account())[1] for _ in range(4)]
    ann, bo, cy, di = people
    at = rated.now - 100 * HOUR
    made = [make_game(f"g{n}", at + n * HOUR, [ann, bo], [1, 2]) for n in range(8)]
    made += [make_game(f"h{n}", at + (10 + n) * HOUR, [cy, ann, None, di], [3, 2, 1, 4]) for n in range(4)]
    made += [
        make_game(f"t{n}", at + (20 + n) * HOUR, [bo, cy], [2, 1], timed_out=[0], kind="days")
        for n in range(3)
    ]
    made.append(make_game("unlisted", at + 30 * HOUR, [ann, di], [1, 2], is_listed=False))
    made.append(make_game("recent", rated.now - 1000, [ann, di], [1, 2]))
    await rated.plant_games(*made)
    return people
