"""The deal of the day on three workers: the bots' replies to the same moves are those of a single one."""

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
from app.store.engine import make_engine
from app.store.migrate import upgrade
from app.store.people.deals import DealStore
from tests.cluster.workers import log_of
from tests.sockets.running_server import in_process
from tests.web.deal.playing import Player, planned
from tools.cluster import Cluster

ACTIONS = 8  # of the person; the bots reply with about three times as many


class Wanderer(Player):
    """Somebody each of whose requests goes to the next worker."""

    pause = 0.1  # bots think in processes of their own, which need the processors

    def __init__(self, http: httpx.AsyncClient, person: dict[str, Any], bases: list[str]) -> None:
        super().__init__(http, person)
        self.bases = bases

    async def ask(self, method: str, path: str, code: int = 200, **given: Any) -> Any:
        base = self.bases[0]
        self.bases = [*self.bases[1:], base]
        return await super().ask(method, base + path, code, headers={"Origin": base}, **given)

    async def hurry(self, pace: str = "skip") -> None:
        """Bots need not wait for somebody to look: said at each worker."""
        for number in range(len(self.bases)):
            hurry = {"do": "pace", "id": f"{pace}-{number:04}", "pace": pace}
            await self.ask("POST", f"/api/v1/games/{self.game}/commands", json=hurry)

    @asynccontextmanager
    async def looking_on(self) -> AsyncIterator[None]:
        """A page of the table open at each worker: a row is left to the workers where its people are, and where
        nobody is anywhere each leaves it to the others for two seconds.
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
            told = await self.awaited()
            action = planned(told, plan, number)
            await self.act(told, action)
            if action["type"] == "end":
                await self.hurry()
        return await self.awaited()


async def person_at(http: httpx.AsyncClient, bases: list[str], name: str) -> Wanderer:
    answer = await http.post(f"{bases[0]}/api/v1/me", json={"name": name}, headers={"Origin": bases[0]})
    assert answer.status_code == 200, answer.text
    return Wanderer(http, answer.json()["person"], bases)


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
        killing = asyncio.create_task(_kill_thoughts(cluster))
        try:
            async with one.looking_on():
                await one.play(1)
        finally:
            killing.cancel()
        _, entries = await log_of(cluster, one.game)
        lines.append(line_of(entries))
    assert {seat for seat, _ in lines[0]} > {0}
    engine = make_engine(cluster.postgres.url(cluster.database))
    deal = await DealStore(engine).deal(day)
    await engine.dispose()
    assert deal is not None
    url = f"sqlite+aiosqlite:///{tmp_path / 'alone.db'}"
    engine = make_engine(url)
    await upgrade(engine)
    await DealStore(engine).keep(deal)
    await engine.dispose()
    async with in_process(url, migrated=True) as server, httpx.AsyncClient(timeout=60) as http:
        alone = await person_at(http, [server.base], "One Worker")
        assert (await alone.begin())["day"] == day, "midnight came in between"
        async with alone.looking_on():
            await alone.play(1)
        lines.append(line_of(await server.game_server.store.entries(alone.game)))
    shorter = min(map(len, lines))
    assert shorter > 2 * ACTIONS
    assert lines[0][:shorter] == lines[1][:shorter]


async def _kill_thoughts(cluster: Cluster) -> None:
    for _ in range(2):
        await asyncio.sleep(1.5)  # a fresh process needs a moment before it can think
        for worker in cluster.workers:
            for child in psutil.Process(worker.pid).children(recursive=True):
                if "app.bots.worker" in " ".join(child.cmdline()):
                    child.kill()
