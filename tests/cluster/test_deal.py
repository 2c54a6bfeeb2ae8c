"""The deal of the day on three workers: bots reply to the same moves as on a single worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from app.play.log.entries import Entry
from app.store.database import open_database
from app.store.migrate import upgrade
from app.store.people.deals import DealStore
from tests.cluster.workers import log_of
from tests.sockets.running_server import in_process
from tests.web.deal.playing import Player, choose_by_plan
from tools.cluster import Cluster

ACTIONS = 8  # of the person; the bots reply with about three times as many


class RoundRobinPlayer(Player):
    """A player whose requests go to the workers in rotation."""

    pause = 0.1  # bots think in processes of their own, which need the processors

    def __init__(self, http: httpx.AsyncClient, person: dict[str, Any], bases: list[str]) -> None:
        super().__init__(http, person)
        self.bases = bases

    async def request(self, method: str, path: str, code: int = 200, **given: Any) -> Any:
        base = self.bases[0]
        self.bases = [*self.bases[1:], base]
        return await super().request(method, base + path, code, headers={"Origin": base}, **given)

    async def hurry(self, pace: str = "skip") -> None:
        """Set the pace at every worker, so that bots do not wait for a viewer."""
        for number in range(len(self.bases)):
            hurry = {"do": "pace", "id": f"{pace}-{number:04}", "pace": pace}
            await self.request("POST", f"/api/v1/games/{self.game}/commands", json=hurry)

    @asynccontextmanager
    async def watch_everywhere(self) -> AsyncIterator[None]:
        """Keep a page of the table open at each worker.

        A due row is left to workers that have clients of the table. Without clients, each worker leaves it to the
        others for two seconds.
        """
        async with AsyncExitStack() as stack:
            for base in self.bases:
                cookie = {"Cookie": f"cartagena={self.http.cookies['cartagena']}"}
                address = f"{base.replace('http', 'ws', 1)}/ws/game/{self.game}"
                page = await stack.enter_async_context(
                    connect(address, additional_headers=cookie, origin=Origin(base), max_queue=None)
                )
                await page.send('{"do":"hello","v":2}')
                while '"t":"presence"' not in await page.recv(decode=True):
                    pass
            yield

    async def play(self, plan: int = 0, most: int = ACTIONS) -> dict[str, Any]:
        await self.hurry("fast")
        for number in range(most):
            state = await self.wait_for_move()
            action = choose_by_plan(state, plan, number)
            await self.act(state, action)
            if action["type"] == "end":
                await self.hurry()
        return await self.wait_for_move()


async def person_at(http: httpx.AsyncClient, bases: list[str], name: str) -> RoundRobinPlayer:
    answer = await http.post(f"{bases[0]}/api/v1/me", json={"name": name}, headers={"Origin": bases[0]})
    assert answer.status_code == 200, answer.text
    return RoundRobinPlayer(http, answer.json()["person"], bases)


def line_of(entries: list[Entry]) -> list[tuple[int, Any]]:
    return [(entry.seat, entry.body["action"]) for entry in entries if entry.kind == "action"]


async def test_the_same_moves_get_the_same_replies_with_three_workers_and_with_one(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bases = [worker.base for worker in cluster.workers]
    lines = []
    async with httpx.AsyncClient(timeout=60) as http:
        one = await person_at(http, bases, "Three Workers")
        await one.begin()
        day = (await one.deal())["day"]
        # While bots think their processes are killed, again and again.
        killing = asyncio.create_task(_kill_bot_processes(cluster))
        try:
            async with one.watch_everywhere():
                await one.play(1)
        finally:
            killing.cancel()
        _, entries = await log_of(cluster, one.game)
        lines.append(line_of(entries))
    assert {seat for seat, _ in lines[0]} > {0}
    database = open_database(cluster.postgres.url(cluster.database))
    deal = await DealStore(database).find_deal(day)
    await database.close()
    assert deal is not None
    url = f"sqlite:///{tmp_path / 'alone.db'}"
    database = open_database(url)
    await upgrade(database)
    await DealStore(database).save_deal(deal)
    await database.close()
    async with in_process(url, migrated=True) as server, httpx.AsyncClient(timeout=60) as http:
        alone = await person_at(http, [server.base], "One Worker")
        assert (await alone.begin())["day"] == day, "the day changed during the test"
        async with alone.watch_everywhere():
            await alone.play(1)
        lines.append(line_of(await server.game_server.store.log.read_entries(alone.game)))
    shorter = min(map(len, lines))
    assert shorter > 2 * ACTIONS
    assert lines[0][:shorter] == lines[1][:shorter]


async def _kill_bot_processes(cluster: Cluster) -> None:
    for _ in range(2):
        await asyncio.sleep(1.5)  # a new process needs a moment before it can search
        for worker in cluster.workers:
            for child in psutil.Process(worker.pid).children(recursive=True):
                if "app.bots.worker" in " ".join(child.cmdline()):
                    child.kill()
