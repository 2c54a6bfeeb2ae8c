"""The Database class on SQLite and PostgreSQL: transactions, outages, errors, closing."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from app.play.ports import StoreUnavailable
from app.store import database as databases
from app.store.database import (
    Database,
    PostgresDatabase,
    SqliteDatabase,
    get_sqlite_file,
    open_database,
)
from tests.databases import connect

ONE = text("SELECT 1")
COUNT = text("SELECT count(*) FROM numbers")
INSERT = text("INSERT INTO numbers VALUES (:n)")


def insert_number(n: int) -> Any:
    return lambda conn: conn.execute(INSERT, {"n": n}).rowcount


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = open_database(database_url)
    await opened.write(
        lambda conn: conn.execute(text("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")).close()
    )
    yield opened
    await opened.close()


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[SqliteDatabase]:
    opened = SqliteDatabase(sqlite_url)
    await opened.write(
        lambda conn: conn.execute(text("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")).close()
    )
    yield opened
    await opened.close()


@pytest.fixture
async def on_postgres(postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    opened = PostgresDatabase(postgres_url)
    yield opened
    await opened.close()


async def count(database: Database) -> int:
    return int((await database.fetch_rows(COUNT))[0][0])


# -- both ------------------------------------------------------------------------------------------


async def test_write_is_atomic(database: Database) -> None:
    def insert_two(conn: Connection) -> str:
        conn.execute(INSERT, {"n": 1})
        conn.execute(INSERT, {"n": 2})
        return "numbers"

    def fail(conn: Connection) -> None:
        conn.execute(INSERT, {"n": 3})
        raise LookupError("in the middle")

    assert await database.write(insert_two) == "numbers"
    with pytest.raises(LookupError):
        await database.write(fail)
    with pytest.raises(IntegrityError):
        await database.write(insert_number(2))
    assert await database.write(insert_number(4), durable=False) == 1
    assert await count(database) == 3


async def test_wrong_statement_is_not_an_outage(database: Database) -> None:
    for transact in (database.read, database.write):
        with pytest.raises((ProgrammingError, Exception), match="nowhere") as caught:
            await transact(lambda conn: conn.execute(text("SELECT * FROM nowhere")))
        assert not isinstance(caught.value, StoreUnavailable)
    assert await count(database) == 0


async def test_unreachable_database_is_an_outage_until_it_is_back(database: Database) -> None:
    def away(conn: Connection) -> None:
        raise ConnectionResetError

    for transact in (database.read, database.write):
        with pytest.raises(StoreUnavailable, match=r"^ConnectionResetError$"):
            await transact(away)
    assert await count(database) == 0


async def test_transaction_that_takes_too_long_is_an_outage(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "TRANSACTION_TIMEOUT_SECONDS", 0.2)
    slow = text(
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000000) SELECT count(*) FROM n"
    )
    with pytest.raises(StoreUnavailable, match=r"^TimeoutError$"):
        await database.fetch_rows(slow)
    monkeypatch.setattr(databases, "TRANSACTION_TIMEOUT_SECONDS", 10)
    assert await count(database) == 0


async def test_write_that_timed_out_is_not_made_later(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "TRANSACTION_TIMEOUT_SECONDS", 0.1)
    go_on, ended = threading.Event(), threading.Event()

    def slow(conn: Connection) -> None:
        conn.execute(INSERT, {"n": 1})
        try:
            if conn.dialect.name == "sqlite":
                go_on.wait(30)
            else:
                conn.execute(text("SELECT pg_sleep(30)"))
        finally:
            ended.set()

    with pytest.raises(StoreUnavailable, match=r"^TimeoutError$"):
        await database.write(slow)
    monkeypatch.setattr(databases, "TRANSACTION_TIMEOUT_SECONDS", 10)
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 30)
    assert await database.write(insert_number(2)) == 1
    assert [row.n for row in await database.fetch_rows(text("SELECT n FROM numbers"))] == [2]


async def test_call_after_close_is_an_outage(database: Database) -> None:
    await database.close()
    for transact in (database.read, database.write):
        with pytest.raises(StoreUnavailable, match="closed"):
            await transact(lambda conn: conn.execute(ONE))
    await database.close()


# -- SQLite ----------------------------------------------------------------------------------------


async def test_statements_of_one_call_run_in_one_thread_off_the_event_loop(sqlite: SqliteDatabase) -> None:
    threads: list[str] = []

    def look(conn: Connection) -> None:
        threads.extend(threading.current_thread().name for _ in range(3) if conn.execute(COUNT).all())

    await sqlite.read(look)
    assert threads == ["store-read"] * 3
    threads.clear()
    await sqlite.write(look)
    assert threads == ["store-write"] * 3


async def test_reads_continue_while_a_write_waits_for_the_lock(
    sqlite_url: str, sqlite: SqliteDatabase
) -> None:
    rival = sqlite3.connect(get_sqlite_file(sqlite_url), isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    waiting = [asyncio.create_task(sqlite.write(insert_number(n))) for n in range(2)]
    try:
        assert await asyncio.wait_for(count(sqlite), 5) == 0
    finally:
        rival.execute("COMMIT")
        rival.close()
    await asyncio.gather(*waiting)
    assert await count(sqlite) == 2


@pytest.mark.parametrize("fault", [sqlite3.OperationalError("disk I/O error"), SystemExit(1)], ids=repr)
async def test_writer_releases_the_lock_after_any_error(
    sqlite_url: str, sqlite: SqliteDatabase, fault: BaseException
) -> None:
    def fail(conn: Connection) -> None:
        conn.execute(INSERT, {"n": 1})
        raise fault

    with pytest.raises((StoreUnavailable, SystemExit)):
        await sqlite.write(fail)
    rival = sqlite3.connect(get_sqlite_file(sqlite_url), timeout=0, isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    rival.execute("ROLLBACK")
    rival.close()
    assert await sqlite.write(insert_number(2)) == 1
    assert await count(sqlite) == 1


async def test_write_that_fails_with_unread_rows_does_not_break_the_next(
    sqlite_url: str, sqlite: SqliteDatabase
) -> None:
    for n in range(5):
        await sqlite.write(insert_number(n))
    unread: list[object] = []

    def fail(conn: Connection) -> None:
        rows = conn.execute(text("SELECT n FROM numbers"))
        rows.fetchone()
        unread.append(rows)
        raise LookupError

    with pytest.raises(LookupError):
        await sqlite.write(fail)
    rival = sqlite3.connect(get_sqlite_file(sqlite_url), isolation_level=None)
    rival.execute("INSERT INTO numbers VALUES (10)")
    rival.close()
    assert await sqlite.write(insert_number(11)) == 1


async def test_failed_log_batch_leaves_no_open_transaction(sqlite: SqliteDatabase) -> None:
    def fail(conn: sqlite3.Connection) -> None:
        conn.execute("BEGIN IMMEDIATE")
        conn.execute("INSERT INTO numbers VALUES (1)")
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        await sqlite.write_log(fail)
    assert await sqlite.write(insert_number(1)) == 1


async def test_only_durable_writes_wait_for_the_disk(sqlite: SqliteDatabase) -> None:
    def synchronous(conn: Connection) -> int:
        return int(conn.execute(text("PRAGMA synchronous")).scalar_one())

    found = [await sqlite.write(synchronous, durable=durable) for durable in (True, False, False, True)]
    found.append(await sqlite.write_log(lambda conn: int(conn.execute("PRAGMA synchronous").fetchone()[0])))
    await sqlite.write(synchronous, durable=False)
    found.append(await sqlite.write_log(lambda conn: int(conn.execute("PRAGMA synchronous").fetchone()[0])))
    assert found == [2, 1, 1, 2, 2, 2]


async def test_replaced_connection_is_durable_although_the_last_commits_were_not(
    sqlite: SqliteDatabase,
) -> None:
    def synchronous(conn: Connection) -> int:
        return int(conn.execute(text("PRAGMA synchronous")).scalar_one())

    def fail(conn: Connection) -> None:
        raise ConnectionResetError

    for durable, expected in ((False, 1), (True, 2)):
        assert await sqlite.write(synchronous, durable=False) == 1
        with pytest.raises(StoreUnavailable):
            await sqlite.write(fail, durable=False)
        assert await sqlite.write(synchronous, durable=durable) == expected


async def test_concurrent_reads_share_few_connections_that_stay_open(sqlite_url: str) -> None:
    database = SqliteDatabase(sqlite_url)
    opened: list[object] = []
    event.listen(database.engine, "connect", lambda connection, _: opened.append(connection))

    async def ask(number: int) -> int:
        return int((await database.fetch_rows(text("SELECT :number"), {"number": number}))[0][0])

    for _ in range(3):
        assert await asyncio.gather(*map(ask, range(40))) == list(range(40))
        await database.write(lambda conn: conn.execute(ONE).all())
    assert len(opened) <= 5
    await database.close()


async def test_close_finishes_queued_work(sqlite: SqliteDatabase) -> None:
    begun = [asyncio.create_task(sqlite.write(insert_number(n))) for n in range(5)]
    await asyncio.sleep(0)
    await sqlite.close()
    assert await asyncio.gather(*begun) == [1] * 5


async def test_closed_database_leaves_no_thread(sqlite_url: str) -> None:
    before = threading.active_count()
    database = SqliteDatabase(sqlite_url)
    await database.fetch_rows(ONE)
    assert threading.active_count() > before
    await database.close()
    assert threading.active_count() == before


# -- PostgreSQL ------------------------------------------------------------------------------------


def extra_statements(database: PostgresDatabase) -> list[str]:
    """Yield the list of statements sent to PostgreSQL in addition to the caller's."""
    found: list[str] = []

    def listen(connection: Any, _: object) -> None:
        connection.driver_connection.add_query_logger(lambda record: found.append(record.query))

    event.listen(database.engine.sync_engine, "connect", listen)
    return found


async def test_read_is_one_round_trip(on_postgres: PostgresDatabase) -> None:
    await on_postgres.fetch_rows(ONE)  # SQLAlchemy sends several queries on its first connection
    await on_postgres.engine.dispose()
    beside = extra_statements(on_postgres)
    for _ in range(3):
        await on_postgres.fetch_rows(ONE)
    await asyncio.sleep(0)
    assert beside == []
    await on_postgres.write(lambda conn: conn.execute(ONE).all())
    await asyncio.sleep(0)
    assert [words.rstrip(";").split()[0] for words in beside] == ["BEGIN", "COMMIT"]


async def test_write_after_a_read_is_still_a_transaction(on_postgres: PostgresDatabase) -> None:
    await on_postgres.fetch_rows(ONE)

    def half(conn: Connection) -> None:
        conn.execute(text("CREATE TABLE something (n int)"))
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        await on_postgres.write(half)
    assert (await on_postgres.fetch_rows(text("SELECT to_regclass('something')")))[0][0] is None


async def test_closed_connections_are_not_reused(on_postgres: PostgresDatabase) -> None:
    async def hold(barrier: asyncio.Barrier) -> int:
        async with connect(on_postgres) as conn:
            await barrier.wait()
            return int((await conn.execute(text("SELECT pg_backend_pid()"))).scalar_one())

    several = asyncio.Barrier(3)
    pids = set(await asyncio.gather(*(hold(several) for _ in range(3))))
    assert len(pids) == 3
    other = PostgresDatabase(on_postgres.engine.url.render_as_string(hide_password=False))
    for pid in pids:
        await other.fetch_rows(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
    await other.close()
    assert not pids & set(await asyncio.gather(*(hold(several) for _ in range(3))))


async def test_idle_connection_is_pinged_before_reuse(
    on_postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    await on_postgres.fetch_rows(ONE)
    await on_postgres.engine.dispose()
    beside = extra_statements(on_postgres)
    await on_postgres.fetch_rows(ONE)
    await asyncio.sleep(0)
    assert beside == []
    monkeypatch.setattr(databases, "PING_AFTER_IDLE_SECONDS", -1.0)
    await on_postgres.fetch_rows(ONE)
    await asyncio.sleep(0)
    assert beside != []
