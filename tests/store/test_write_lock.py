"""SQLite's write lock: who does not get it, and that nobody who is gone keeps it."""

from __future__ import annotations

import asyncio
import gc
import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.ports import StoreUnavailable
from app.store.engine import make_engine, sqlite_file
from app.store.games import sqlite_writer
from app.store.games.store import open_store
from app.store.transactions import Queries, writing
from tests.databases import at_head
from tests.store.samples import append_of, new_game


@pytest.fixture
async def url(sqlite_url: str) -> str:
    await at_head(sqlite_url)
    return sqlite_url


@contextmanager
def rival(url: str) -> Iterator[sqlite3.Connection]:
    """Another process, say: it takes no turns."""
    connection = sqlite3.connect(sqlite_file(url), timeout=0, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def is_free(url: str) -> bool:
    with rival(url) as other:
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
    return True


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
async def test_whoever_is_cancelled_in_the_middle_of_a_statement_leaves_the_lock(url: str) -> None:
    """With rows still to come: SQLite keeps such a connection, and what it has locked, after it was closed."""
    engine = make_engine(url)
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slow() -> int:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(60)
        return 1

    async def write(engine: AsyncEngine) -> None:
        async with writing(engine) as run:
            driver = (await run.get_raw_connection()).driver_connection
            assert driver is not None
            await driver.create_function("slow", 0, slow)
            await run.execute(text("SELECT slow() UNION ALL SELECT 2"))

    try:
        task = asyncio.create_task(write(engine))
        await begun.wait()
        assert not is_free(url)
        task.cancel()
        loop.call_soon(go_on.set)
        await asyncio.wait([task])
        assert task.cancelled()
        assert is_free(url)
        assert await Queries(engine).change(text("DELETE FROM leases")) == 0
    finally:
        go_on.set()
        await engine.dispose()


async def test_what_could_not_be_stored_is_logged_by_the_name_of_its_error(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_writer, "BUSY_SECONDS", 0)
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        with rival(url) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable):
                await store.append(append_of(row, 2))
        assert await store.append(append_of(row, 2)) is True
    said = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert said == ["1 entries could not be stored: OperationalError SQLITE_BUSY"]
