"""A move on SQLite never waits for transactions that read, however many and slow they are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.play.log.entries import GameRow
from app.store.games.store import SqlGameStore, open_store
from app.store.people.data import DataStore
from app.store.threads import MAX_READERS
from app.store.transactions import Queries
from tests.databases import at_head
from tests.store.samples import append_of, new_game

SLOW = 3 * MAX_READERS
SECONDS = 30
_WRITE = text("UPDATE heads SET to_act = to_act")


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[SqlGameStore]:
    await at_head(sqlite_url)
    async with open_store(sqlite_url, lambda seconds, entries: None) as opened:
        yield opened


async def write_in_steps(store: SqlGameStore) -> None:
    async with Queries(store.engine).writing() as run:
        await run.execute(_WRITE)
        await run.execute(_WRITE)


async def check_move(store: SqlGameStore, row: GameRow) -> None:
    """Two kinds of transaction that write ask first, then a move does; all are done while the readers still read."""
    others = [
        asyncio.create_task(write_in_steps(store)),
        asyncio.create_task(Queries(store.engine).change(_WRITE)),
    ]
    await asyncio.sleep(0)
    async with asyncio.timeout(SECONDS):
        assert await store.append(append_of(row, 2)) is True
        await asyncio.gather(*others)


async def test_a_move_does_not_wait_for_slow_reads_in_steps(store: SqlGameStore) -> None:
    row = await new_game(store)
    is_over, reading = asyncio.Event(), 0

    async def read() -> None:
        nonlocal reading
        async with Queries(store.engine).reading() as run:
            await run.execute(text("SELECT 1"))
            reading += 1
            await is_over.wait()

    readers = [asyncio.create_task(read()) for _ in range(SLOW)]
    while reading < MAX_READERS:  # noqa: ASYNC110 (counted by tasks)
        await asyncio.sleep(0.001)
    await check_move(store, row)
    assert not any(reader.done() for reader in readers)
    is_over.set()
    await asyncio.gather(*readers)
    assert reading == SLOW


async def test_a_move_does_not_wait_for_slow_reads_in_threads(store: SqlGameStore) -> None:
    row = await new_game(store)
    is_over, reading = threading.Event(), threading.Semaphore(0)

    def read(run: Connection) -> None:
        run.execute(text("SELECT 1"))
        reading.release()
        assert is_over.wait(2 * SECONDS)

    readers = [asyncio.create_task(Queries(store.engine).read(read)) for _ in range(SLOW)]
    try:
        for _ in range(MAX_READERS):
            while not reading.acquire(blocking=False):  # noqa: ASYNC110 (released by threads)
                await asyncio.sleep(0.001)
        await check_move(store, row)
        assert not any(reader.done() for reader in readers)
    finally:
        is_over.set()
    await asyncio.gather(*readers)


async def test_downloads_read_one_query_at_a_time(store: SqlGameStore) -> None:
    class Counted(DataStore):
        now = most = done = 0

        async def rows(self, *given: Any) -> Sequence[Any]:
            self.now += 1
            self.most = max(self.most, self.now)
            try:
                return await super().rows(*given)
            finally:
                self.now -= 1
                self.done += 1

    await new_game(store)
    data = Counted(store.engine)
    await asyncio.gather(*(data.download(["p_ann"]) for _ in range(5)))
    assert data.most == 1
    assert data.done >= 5 * 10
