"""SQLite's write lock: writes of one server never find it taken, and abandoned writes release it."""

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

from app.play.ports import StoreUnavailable
from app.store import database as databases
from app.store.database import SqliteDatabase, get_sqlite_file
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import open_store
from app.store.people.outbox import OutboxStore
from app.store.people.pushes import PushStore
from tests.databases import at_head
from tests.store.samples import NOW, make_append, new_game

CONCURRENT_WRITES = 10


@pytest.fixture
async def url(sqlite_url: str) -> str:
    await at_head(sqlite_url)
    return sqlite_url


@pytest.fixture
def no_busy_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a write fail at once if SQLite's lock is taken, instead of polling."""
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_SECONDS", 0)
    monkeypatch.setattr(databases, "TRANSACTION_TIMEOUT_SECONDS", 60)


@contextmanager
def rival(url: str) -> Iterator[sqlite3.Connection]:
    """A connection that does not queue, like one of another process."""
    connection = sqlite3.connect(get_sqlite_file(url), timeout=0, isolation_level=None)
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


@pytest.mark.usefixtures("no_busy_timeout")
async def test_concurrent_writes_of_all_kinds_queue(url: str) -> None:
    async with open_store(url, lambda seconds, entries: None) as store:
        rows = [await new_game(store) for _ in range(CONCURRENT_WRITES)]
        book, pushes = OutboxStore(store.database), PushStore(store.database)

        def several(conn: Connection) -> None:
            conn.execute(text("UPDATE heads SET to_act = '0'"))
            conn.execute(text("SELECT count(*) FROM heads")).all()

        kinds = [
            kind
            for number, row in enumerate(rows)
            for kind in (
                store.log.append(make_append(row, 2)),
                store.heartbeats.record(NOW + number, 10**9),
                store.due.schedule(row.id, NOW + number),
                store.due.claim(NOW + 10**6, 1, 5),
                pushes.pause_subscription("nobody", number),
                book.record_letter("nobody", [], str(number)),
                store.database.write(several),
            )
        ]
        await asyncio.gather(*kinds)
        assert await store.log.read_heads([row.id for row in rows]) == {row.id: 2 for row in rows}


class SlowWrite:
    """A write that holds the lock until `go_on` is set."""

    def __init__(self) -> None:
        self.begun, self.go_on = asyncio.Event(), threading.Event()
        self._loop = asyncio.get_running_loop()

    def write(self, conn: Connection) -> None:
        self._loop.call_soon_threadsafe(self.begun.set)
        assert self.go_on.wait(60)
        conn.execute(text("DELETE FROM notice_checks"))


@pytest.mark.usefixtures("no_busy_timeout")
async def test_move_overtakes_other_queued_writes(url: str) -> None:
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        seen: list[int] = []

        def look(conn: Connection) -> None:
            seen.append(int(conn.execute(text("SELECT seq FROM heads")).scalar_one()))

        slow = SlowWrite()
        first = asyncio.create_task(store.database.write(slow.write))
        await slow.begun.wait()
        others = [asyncio.create_task(store.database.write(look)) for _ in range(5)]
        await asyncio.sleep(0.01)
        move = asyncio.ensure_future(store.log.append(make_append(row, 2)))
        await asyncio.sleep(0.01)
        slow.go_on.set()
        assert await move is True
        await asyncio.gather(first, *others)
        assert seen == [2] * 5


@pytest.mark.usefixtures("no_busy_timeout")
async def test_unknown_commit_is_looked_up_while_another_write_runs(url: str) -> None:
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        assert await store.log.append(make_append(row, 2)) is True
        assert isinstance(store.database, SqliteDatabase)
        slow = SlowWrite()
        first = asyncio.create_task(store.database.write(slow.write))
        await slow.begun.wait()
        try:
            batch = [make_append(row, 2), make_append(row, 2, "another's"), make_append(row, 3)]
            looked_up = SqliteWriter(store.database).look_up(batch)
            assert await asyncio.wait_for(looked_up, 5) == [True, False, None]
        finally:
            slow.go_on.set()
        await first


@pytest.mark.usefixtures("no_busy_timeout")
async def test_abandoned_write_ends_before_the_next_starts(url: str) -> None:
    database, slow = SqliteDatabase(url), SlowWrite()
    try:
        gone = asyncio.create_task(database.write(slow.write))
        await slow.begun.wait()
        gone.cancel()
        await asyncio.wait([gone])
        assert not is_free(url)
        after = asyncio.create_task(database.execute_write(text("DELETE FROM notice_checks")))
        await asyncio.sleep(0.05)
        assert not after.done()
        slow.go_on.set()
        assert await after == 0
    finally:
        slow.go_on.set()
        await database.close()


@pytest.mark.usefixtures("no_busy_timeout")
async def test_queued_write_of_a_cancelled_caller_is_not_made(url: str) -> None:
    database, slow = SqliteDatabase(url), SlowWrite()
    try:
        first = asyncio.create_task(database.write(slow.write))
        await slow.begun.wait()
        gone = asyncio.create_task(database.execute_write(text("CREATE TABLE never (n INTEGER)")))
        await asyncio.sleep(0.01)
        gone.cancel()
        await asyncio.wait([gone])
        slow.go_on.set()
        await first
        found = text("SELECT count(*) FROM sqlite_master WHERE name = 'never'")
        assert (await database.write(lambda conn: conn.execute(found).scalar())) == 0
    finally:
        slow.go_on.set()
        await database.close()


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
async def test_write_that_fails_between_two_rows_releases_the_lock(url: str) -> None:
    """With unread rows, SQLite keeps the connection and its locks after it was closed."""
    database = SqliteDatabase(url)

    def fail(conn: Connection) -> None:
        rows = conn.execute(text("SELECT 1 UNION ALL SELECT 2"))
        rows.fetchone()
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StoreUnavailable):
        await database.write(fail)
    assert is_free(url)
    assert await database.execute_write(text("DELETE FROM notice_checks")) == 0
    await database.close()


async def test_storage_failure_is_logged_with_the_name_of_its_error(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_SECONDS", 0)
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        with rival(url) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable):
                await store.log.append(make_append(row, 2))
        slow = SlowWrite()
        first = asyncio.create_task(store.database.write(slow.write))
        await slow.begun.wait()
        with monkeypatch.context() as patch:
            patch.setattr(databases, "TRANSACTION_TIMEOUT_SECONDS", 0.05)
            with pytest.raises(StoreUnavailable):
                await store.log.append(make_append(row, 2))
        slow.go_on.set()
        await first
        assert await store.log.append(make_append(row, 2)) is True
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert said[0] == "1 entries could not be stored: OperationalError SQLITE_BUSY"
    assert said[1].startswith("the writer thread was busy for too long: SlowWrite.write for ")
    assert said[2:] == ["1 entries could not be stored: NotStarted"]
