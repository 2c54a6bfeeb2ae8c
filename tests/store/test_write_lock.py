"""SQLite's write lock: nobody of one server finds it taken, and nobody who is gone keeps it."""

from __future__ import annotations

import asyncio
import gc
import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.ports import StoreUnavailable
from app.store import engine as engines
from app.store import transactions
from app.store.engine import make_engine, sqlite_file
from app.store.games import sqlite_writer
from app.store.games.store import open_store
from app.store.people.outbox import OutboxStore
from app.store.transactions import Queries, writing
from tests.databases import at_head
from tests.store.samples import NOW, append_of, new_game

AT_ONCE = 10


@pytest.fixture
async def url(sqlite_url: str) -> str:
    await at_head(sqlite_url)
    return sqlite_url


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds SQLite's own lock taken fails at once, instead of looking again now and then."""
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0)
    monkeypatch.setattr(sqlite_writer, "BUSY_SECONDS", 0)
    monkeypatch.setattr(sqlite_writer, "TURN_SECONDS", 60)
    monkeypatch.setattr(transactions, "STATEMENT_SECONDS", 60)


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


@pytest.mark.usefixtures("no_patience")
async def test_all_that_is_written_at_once_waits_for_its_turn(url: str) -> None:
    async with open_store(url, lambda seconds, entries: None) as store:
        rows = [await new_game(store) for _ in range(AT_ONCE)]
        book = OutboxStore(store.engine)

        async def in_steps(number: int) -> None:
            async with store.writing() as run:
                await run.execute(text("UPDATE heads SET to_act = :seat"), {"seat": str(number)})
                await run.execute(text("SELECT count(*) FROM heads"))

        kinds = [
            kind
            for number, row in enumerate(rows)
            for kind in (
                store.append(append_of(row, 2)),
                store.heartbeat(NOW + number, 10**9),
                store.wake(row.id, NOW + number),
                store.claim_due(NOW + 10**6, 1, 5),
                book.rest_subscription("nobody", number),
                book.note_letter("nobody", [], str(number)),
                in_steps(number),
            )
        ]
        await asyncio.gather(*kinds)
        assert await store.heads([row.id for row in rows]) == {row.id: 2 for row in rows}


@pytest.mark.usefixtures("no_patience")
async def test_a_move_goes_before_whatever_else_waits(url: str) -> None:
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        queries = Queries(store.engine)
        seen: list[int] = []

        def look(run: Connection) -> None:
            seen.append(int(run.execute(text("SELECT seq FROM heads")).scalar_one()))

        async with store.writing():
            others = [asyncio.create_task(queries.write(look)) for _ in range(5)]
            await asyncio.sleep(0)
            move = asyncio.ensure_future(store.append(append_of(row, 2)))
            waiting = engines.turns_of(store.engine)._waiting
            while "the log" not in dict(waiting):  # noqa: ASYNC110 (asked for in another thread)
                await asyncio.sleep(0.001)
        assert await move is True
        await asyncio.gather(*others)
        assert seen == [2] * 5


@pytest.mark.usefixtures("no_patience")
async def test_a_write_that_nobody_waits_for_any_more_ends_before_the_next(url: str) -> None:
    engine = make_engine(url)
    queries = Queries(engine)
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def write(run: Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(60)
        run.execute(text("DELETE FROM notice_checks"))

    try:
        gone = asyncio.create_task(queries.write(write))
        await begun.wait()
        gone.cancel()
        await asyncio.wait([gone])
        after = asyncio.create_task(queries.change(text("DELETE FROM notice_checks")))
        await asyncio.sleep(0.05)
        assert not after.done()
        go_on.set()
        assert await after == 0
    finally:
        go_on.set()
        await engine.dispose()


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
        assert await Queries(engine).change(text("DELETE FROM notice_checks")) == 0
    finally:
        go_on.set()
        await engine.dispose()


async def test_what_could_not_be_stored_is_logged_by_the_name_of_its_error(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_writer, "BUSY_SECONDS", 0)
    monkeypatch.setattr(sqlite_writer, "TURN_SECONDS", 0)
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        with rival(url) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable):
                await store.append(append_of(row, 2))
        async with store.writing():
            with pytest.raises(StoreUnavailable):
                await store.append(append_of(row, 2))
        assert await store.append(append_of(row, 2)) is True
    said = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert said[0] == "1 entries could not be stored: OperationalError SQLITE_BUSY"
    assert said[1].startswith("the log had no turn to write: a transaction in several steps for ")
    assert said[2:] == ["1 entries could not be stored: NoTurn"]
