"""The `Database` class, with the same interface for SQLite and PostgreSQL.

`read` and `write` call a function with a SQLAlchemy `Connection`, on which it may execute several statements. On SQLite
the function runs in a thread, so all of its statements cost one hop. `write` runs it in a transaction, which is
committed when the function returns.
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from sqlalchemy import Connection, Dialect, Engine, Executable, create_engine, event, exc
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from app.play.ports import StoreUnavailable
from app.store.checkpoints import Checkpointer, disable_auto_checkpoint
from app.store.errors import is_conflict, raise_outages_as_unavailable
from app.store.worker_threads import WorkerThreads

T = TypeVar("T")
MAX_ATTEMPTS = 4  # of a transaction that PostgreSQL rolled back to end a deadlock
# Longer than any healthy transaction takes; no caller waits forever for a database that hangs.
TRANSACTION_TIMEOUT_SECONDS = 10.0
CLOSE_TIMEOUT_SECONDS = 10.0
# SQLite: concurrent read transactions. The writer has its own thread and connection and never waits for a reader.
MAX_READERS = 4
BUSY_TIMEOUT_SECONDS = 10  # SQLite: while another process, such as the command line, holds the write lock
# PostgreSQL: end a transaction whose worker is frozen or unreachable. It would hold its row locks forever.
SERVER_SETTINGS = {"idle_in_transaction_session_timeout": "30000"}
PING_AFTER_IDLE_SECONDS = 5.0  # a connection that was idle this long may have been cut off silently


def is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def get_sqlite_file(url: str) -> str:
    """Return the file of a SQLite URL; raise ValueError for an in-memory database, which ends with its connection."""
    file = make_url(url).database
    if not file or file == ":memory:":
        raise ValueError("The SQLite database must be a file.")
    return file


def open_database(url: str) -> Database:
    """Return the database at this URL; connections are opened on demand."""
    return SqliteDatabase(url) if is_sqlite(url) else PostgresDatabase(url)


class Database(ABC):
    """A database. Every method raises StoreUnavailable after `close`.

    They also raise it when the database does not respond, except `inspect` and `migrate`, which raise the driver's
    exceptions.
    """

    dialect: Dialect

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which only reads. Each of its statements sees everything committed before the statement."""
        return await self._run(partial(self._read, work))

    async def write(self, work: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run `work` in a transaction. On SQLite it holds the write lock from the start.

        If PostgreSQL rolls the transaction back to end a deadlock, `work` is called again, so it must change nothing
        but the database. With `durable=False` a SQLite commit does not wait for the disk and may be lost in a power
        failure; this is for leases and heartbeats. The next durable commit writes it to disk.

        StoreUnavailable and cancellation mean that nothing was stored, unless they occur during the commit itself.
        """
        return await self._run(partial(self._write, work, durable=durable))

    async def inspect(self, work: Callable[[Connection], T]) -> T:
        """Run `work`, which only reads, without a timeout. Raise the driver's exceptions."""
        return await self._read(work)

    async def migrate(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction without a timeout. Raise the driver's exceptions."""
        return await self._write(work, durable=True)

    async def fetch_rows(self, query: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """Return all rows of one query."""
        return await self.read(lambda conn: conn.execute(query, values).all())

    async def fetch_dicts(self, query: Executable) -> list[dict[str, Any]]:
        """Return all rows of one query as dicts by column name."""
        return [dict(row._mapping) for row in await self.fetch_rows(query)]

    async def execute_write(self, query: Executable) -> int:
        """Execute one writing statement; return how many rows it changed."""
        return await self.write(lambda conn: conn.execute(query).rowcount)

    @abstractmethod
    async def close(self) -> None:
        """Close all connections; calls after this raise StoreUnavailable.

        SQLite first finishes queued work, for up to CLOSE_TIMEOUT_SECONDS each for readers and writer. On PostgreSQL,
        transactions in progress are not waited for.
        """

    @abstractmethod
    async def _read(self, work: Callable[[Connection], T]) -> T: ...

    @abstractmethod
    async def _write(self, work: Callable[[Connection], T], *, durable: bool) -> T: ...

    async def _run(self, transact: Callable[[], Awaitable[T]]) -> T:
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                with raise_outages_as_unavailable():
                    async with asyncio.timeout(TRANSACTION_TIMEOUT_SECONDS):
                        return await transact()
            except StoreUnavailable as problem:
                if attempt == MAX_ATTEMPTS or not is_conflict(problem.__cause__):
                    raise
        raise AssertionError("the last attempt returns or raises")


class SqliteDatabase(Database):
    """A SQLite file (WAL, synchronous=FULL) with a few reader threads and one writer thread.

    The writer thread has a FIFO queue in which game moves have priority. SQLite's own write lock has no queue: a
    waiting writer polls less and less often, so on a slow disk later writers would overtake a move for seconds. One
    server has the file to itself (`file_lock.py`), so all its writes can queue here.
    """

    def __init__(self, url: str) -> None:
        file = get_sqlite_file(url)
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        self.engine = create_engine(
            make_url(url).set(drivername="sqlite+pysqlite"),
            hide_parameters=True,
            poolclass=QueuePool,  # connections move between threads, one thread at a time
            pool_size=MAX_READERS + 1,
            max_overflow=0,
            connect_args={"timeout": BUSY_TIMEOUT_SECONDS},
        )
        event.listen(self.engine, "connect", _set_up_sqlite)
        self.dialect = self.engine.dialect
        self._readers = WorkerThreads("store-read", MAX_READERS)
        self._writer = WorkerThreads("store-write")
        self._checkpointer = Checkpointer(file)
        self._connection: Connection | None = None  # of the writer
        self._is_durable = True

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._readers.run(partial(self._read_in_thread, work))

    async def _write(self, work: Callable[[Connection], T], *, durable: bool) -> T:
        is_abandoned = Event()
        try:
            return await self._writer.run(partial(self._write_in_thread, work, durable, is_abandoned))
        except asyncio.CancelledError:
            is_abandoned.set()
            raise

    async def write_log(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` ahead of all other writes and raise what it raises. It begins and commits its own transaction.

        Raise NotStarted if an earlier write does not end in time.
        """
        return await self._writer.run(
            partial(self._write_log_in_thread, work), urgent=True, start_within=TRANSACTION_TIMEOUT_SECONDS
        )

    async def close(self) -> None:
        await self._readers.stop(lambda: None, CLOSE_TIMEOUT_SECONDS)
        await self._writer.stop(self._disconnect, CLOSE_TIMEOUT_SECONDS)

    # -- in a thread -------------------------------------------------------------------------------

    def _read_in_thread(self, work: Callable[[Connection], T]) -> T:
        with self.engine.connect() as conn:
            return work(conn)

    def _write_in_thread(self, work: Callable[[Connection], T], durable: bool, is_abandoned: Event) -> T:
        conn, driver = self._connect(durable)
        changes = driver.total_changes
        try:
            # With a plain BEGIN, a transaction that reads before it writes fails with BUSY as soon as another process
            # has written in between, whatever the timeout.
            conn.exec_driver_sql("BEGIN IMMEDIATE")
            result = work(conn)
            if is_abandoned.is_set():
                raise StoreUnavailable("the caller was cancelled")
            conn.commit()
        except BaseException as problem:
            # A result with unread rows keeps its snapshot after ROLLBACK; once another process has written, the
            # connection's next write would fail. A constraint violation is common and leaves no such result.
            self._roll_back(is_broken=not isinstance(problem, exc.IntegrityError))
            raise
        self._count_changes(driver.total_changes - changes)
        return result

    def _write_log_in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        _, driver = self._connect(durable=True)
        changes = driver.total_changes
        try:
            outcome = work(driver)
        except BaseException:
            self._roll_back(is_broken=True)
            raise
        self._count_changes(driver.total_changes - changes)
        return outcome

    def _connect(self, durable: bool) -> tuple[Connection, sqlite3.Connection]:
        """Return the writer's connection, which stays open."""
        if self._connection is None:
            self._connection = self.engine.connect()
            self._is_durable = True
        driver = _get_driver(self._connection)
        if durable != self._is_durable:
            driver.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._is_durable = durable
        return self._connection, driver

    def _roll_back(self, *, is_broken: bool) -> None:
        """Release the write lock. A broken connection is closed and not used again."""
        conn = self._connection
        assert conn is not None
        try:
            _get_driver(conn).rollback()  # SQLAlchemy does not know of transactions that `work` began itself
            conn.rollback()
        except (sqlite3.Error, exc.SQLAlchemyError):
            is_broken = True
        if is_broken:
            self._connection = None
            with suppress(sqlite3.Error, exc.SQLAlchemyError):
                conn.invalidate()
                conn.close()

    def _count_changes(self, changes: int) -> None:
        if self._checkpointer.count_changes(changes):
            self._writer.post(self._finish_checkpoint)  # runs after this write was reported to its caller

    def _finish_checkpoint(self) -> None:
        if self._connection is not None:
            self._checkpointer.finish(_get_driver(self._connection))

    def _disconnect(self) -> None:
        self._checkpointer.close()
        if self._connection is not None:
            self._connection.close()
        self.engine.dispose()


def _get_driver(conn: Connection) -> sqlite3.Connection:
    driver = conn.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _set_up_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")
    disable_auto_checkpoint(connection)


class PostgresDatabase(Database):
    """A PostgreSQL database, through asyncpg."""

    def __init__(self, url: str) -> None:
        self.engine: AsyncEngine = create_async_engine(
            url,
            hide_parameters=True,
            pool_size=10,
            max_overflow=20,
            connect_args={"timeout": 5, "server_settings": dict(SERVER_SETTINGS)},
        )
        self.dialect = self.engine.dialect
        self._is_closed = False
        _check_pooled_connections(self.engine.sync_engine)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        self._check_open()
        async with self.engine.connect() as conn:
            # A transaction would add two round trips, BEGIN and ROLLBACK, and at READ COMMITTED no isolation.
            await conn.execution_options(isolation_level="AUTOCOMMIT")
            return await conn.run_sync(work)

    async def _write(self, work: Callable[[Connection], T], *, durable: bool) -> T:
        self._check_open()
        async with self.engine.begin() as conn:
            return await conn.run_sync(work)

    async def close(self) -> None:
        self._is_closed = True
        await self.engine.dispose()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailable("the store is closed")


def _check_pooled_connections(engine: Engine) -> None:
    """Before a pooled connection is used again, check that it is open, and ping it if it was idle for a while.

    The pool's own `pre_ping` pings every time, in its own transaction: four round trips for one query.
    """

    @event.listens_for(engine, "checkin")
    def on_checkin(_: object, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def on_checkout(connection: Any, record: ConnectionPoolEntry, _: object) -> None:
        try:
            if connection.driver_connection.is_closed():
                raise exc.InvalidatePoolError
            if time.monotonic() - record.info.get("idle_since", math.inf) > PING_AFTER_IDLE_SECONDS:
                engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as dead:
            raise exc.InvalidatePoolError from dead
