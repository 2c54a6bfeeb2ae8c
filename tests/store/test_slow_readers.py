"""Moves on SQLite never wait for readers, however many and slow they are."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from sqlalchemy import Connection, text

from app.play.log.entries import GameRow
from app.store.database import MAX_READERS
from app.store.games.store import SqlGameStore, open_store
from app.store.people.personal_data import PersonalDataStore
from tests.databases import at_head
from tests.store.samples import make_append, new_game

SLOW_READERS = 3 * MAX_READERS
TIMEOUT_SECONDS = 30
_WRITE = text("UPDATE heads SET to_act = to_act")


@pytest.fixture
async def store(sqlite_url: str) -> AsyncIterator[SqlGameStore]:
    await at_head(sqlite_url)
    async with open_store(sqlite_url, lambda seconds, entries: None) as opened:
        yield opened


async def check_move(store: SqlGameStore, row: GameRow) -> None:
    """Check that a write and a move behind it finish while the readers are still reading."""
    other = asyncio.create_task(store.database.execute_write(_WRITE))
    await asyncio.sleep(0)
    async with asyncio.timeout(TIMEOUT_SECONDS):
        assert await store.log.append(make_append(row, 2)) is True
        await other


async def test_move_does_not_wait_for_slow_reads(store: SqlGameStore) -> None:
    row = await new_game(store)
    is_over, reading = threading.Event(), threading.Semaphore(0)

    def read(conn: Connection) -> None:
        conn.execute(text("SELECT 1"))
        reading.release()
        assert is_over.wait(2 * TIMEOUT_SECONDS)

    readers = [asyncio.create_task(store.database.read(read)) for _ in range(SLOW_READERS)]
    try:
        for _ in range(MAX_READERS):
            while not reading.acquire(blocking=False):  # noqa: ASYNC110 (released by threads)
                await asyncio.sleep(0.001)
        await check_move(store, row)
        assert not any(reader.done() for reader in readers)
    finally:
        is_over.set()
    await asyncio.gather(*readers)


async def test_exports_run_one_query_at_a_time(store: SqlGameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    now = most = done = 0
    fetch_rows = store.database.fetch_rows

    async def counted(*args: Any) -> Sequence[Any]:
        nonlocal now, most, done
        now += 1
        most = max(most, now)
        try:
            return await fetch_rows(*args)
        finally:
            now -= 1
            done += 1

    await new_game(store)
    data = PersonalDataStore(store.database)
    monkeypatch.setattr(store.database, "fetch_rows", counted)
    await asyncio.gather(*(data.export(["p_ann"]) for _ in range(5)))
    assert most == 1
    assert done >= 5 * 10
