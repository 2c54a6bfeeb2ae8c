"""Whole transactions of SQLite in another thread."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.ports import StoreUnavailable
from app.store.engine import make_engine, sqlite_file
from app.store.threads import threads_of
from app.store.transactions import Queries

COUNT = text("SELECT count(*) FROM kept")


@pytest.fixture
async def queries(sqlite_url: str) -> AsyncIterator[Queries]:
    engine = make_engine(sqlite_url)
    queries = Queries(engine)
    await queries.write(lambda run: run.execute(text("CREATE TABLE kept (n INTEGER PRIMARY KEY)")))
    yield queries
    await engine.dispose()


async def count(queries: Queries) -> int:
    return int((await queries.rows(COUNT))[0][0])


async def test_a_write_is_whole_or_not_at_all(queries: Queries) -> None:
    def keep_two(run: Connection) -> None:
        run.execute(text("INSERT INTO kept VALUES (1)"))
        run.execute(text("INSERT INTO kept VALUES (2)"))

    def fail(run: Connection) -> None:
        run.execute(text("INSERT INTO kept VALUES (3)"))
        raise LookupError("in the middle")

    await queries.write(keep_two)
    with pytest.raises(LookupError):
        await queries.write(fail)
    assert await count(queries) == 2


async def test_statements_of_one_go_run_in_one_thread_that_is_not_the_loops(queries: Queries) -> None:
    threads: list[str] = []

    def look(run: Connection) -> None:
        threads.extend(threading.current_thread().name for _ in range(3) if run.execute(COUNT).all())

    await queries.read(look)
    assert len(threads) == 3
    assert len(set(threads)) == 1
    assert threads[0].startswith("store")


async def test_reading_goes_on_while_a_write_waits_for_its_lock(sqlite_url: str, queries: Queries) -> None:
    rival = sqlite3.connect(sqlite_file(sqlite_url), isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    waiting = [
        asyncio.create_task(queries.write(lambda run: run.execute(text("INSERT INTO kept DEFAULT VALUES"))))
        for _ in range(2)
    ]
    try:
        assert await asyncio.wait_for(count(queries), 5) == 0
    finally:
        rival.execute("COMMIT")
        rival.close()
    await asyncio.gather(*waiting)
    assert await count(queries) == 2


async def test_a_database_that_is_gone_is_an_outage_and_later_back(queries: Queries) -> None:
    def gone(run: Connection) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StoreUnavailable):
        await queries.read(gone)
    assert await count(queries) == 0


async def test_an_engine_that_was_disposed_of_leaves_no_thread(sqlite_url: str) -> None:
    engine: AsyncEngine = make_engine(sqlite_url)
    queries = Queries(engine)
    before = threading.active_count()
    await queries.rows(text("SELECT 1"))
    assert threading.active_count() > before
    await engine.dispose()
    assert threading.active_count() == before
    assert threads_of(engine) is not None  # and may be used again
    assert [tuple(row) for row in await queries.rows(text("SELECT 2"))] == [(2,)]
    await engine.dispose()
