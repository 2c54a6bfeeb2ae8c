"""Database engines: SQLite (WAL, FULL) and PostgreSQL, set up the same way everywhere."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, exc
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from app.store.games.checkpoints import EVERY, MOST
from app.store.threads import MAX_READERS, give_threads, threads_of
from app.store.write_turns import WriteTurns

BUSY_SECONDS = 10
# PostgreSQL itself ends what a worker has begun and does not go on with: one that is frozen, or whose machine is
# gone, would else hold its rows for ever. Generous here, as migrations may think between two statements.
SERVER_SETTINGS = {"idle_in_transaction_session_timeout": "30000"}
ASK_AFTER = 5.0  # seconds: a connection that was idle for so long may have been cut off without a word
STATEMENT_SECONDS = 10.0  # longer than any healthy transaction; a database that hangs holds nobody for ever


def is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def sqlite_file(url: str) -> str:
    """The file of a SQLite address; a table in memory would not survive its connection."""
    file = make_url(url).database
    if not file or file == ":memory:":
        raise ValueError("A SQLite database of this server is a file.")
    return file


def make_engine(url: str, *, durable: bool = True, beside: AsyncEngine | None = None) -> AsyncEngine:
    """An engine for everything but the group commit.

    `durable` False (SQLite only): commits do not wait for the disk; for notes that may be lost with the
    power, such as leases. They are on disk with the next durable commit, as the WAL is one sequence.
    `beside`: another one of this server; whoever writes with one of them takes turns with who does with the other.
    """
    if not is_sqlite(url):
        engine = create_async_engine(
            url,
            hide_parameters=True,
            pool_size=10,
            max_overflow=20,
            connect_args={"timeout": 5, "server_settings": dict(SERVER_SETTINGS)},
        )
        _find_dead_connections(engine.sync_engine)
        return engine
    Path(sqlite_file(url)).parent.mkdir(parents=True, exist_ok=True)
    # As many connections as there ever are stay open. Whoever finds them all in use waits: a crowd at the door used
    # to open and close one, with a thread of its own, for nearly every query, and left 6 MB of heaps behind.
    settings: dict[str, Any] = {
        "hide_parameters": True,
        "pool_size": MAX_READERS + 1,  # one is the writer's
        "max_overflow": 0,
        "connect_args": {"timeout": BUSY_SECONDS},
    }
    engine = create_async_engine(url, **settings)
    _set_up_sqlite(engine.sync_engine, durable=durable)
    _roll_back_before_closing(engine.sync_engine)

    def make() -> Engine:
        # Each of its connections is used by one thread at a time, but not always by the same.
        in_threads = create_engine(
            make_url(url).set(drivername="sqlite+pysqlite"), **settings, poolclass=QueuePool
        )
        _set_up_sqlite(in_threads, durable=durable)
        return in_threads

    give_threads(engine, make, WriteTurns() if beside is None else turns_of(beside))
    return engine


def turns_of(engine: AsyncEngine) -> WriteTurns:
    """The turns at the write lock of an engine on SQLite."""
    threads = threads_of(engine)
    assert threads is not None, "PostgreSQL locks rows, and has a queue for each"
    return threads.turns


def _set_up_sqlite(engine: Engine, *, durable: bool) -> None:
    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        # Checkpoints are made beside the writer of the log. Should they fail, or should nobody play while much else
        # is written, a commit on one of these connections makes up for it.
        cursor.execute(f"PRAGMA wal_autocheckpoint={EVERY + MOST}")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()


def _roll_back_before_closing(engine: Engine) -> None:
    """Whoever is cancelled in the middle of a statement leaves the write lock to the next.

    SQLAlchemy closes such a connection. But SQLite closes none that has rows to give: it lives on, and its transaction
    with the write lock, until the collector finds the cursor, in some circle of an exception and its frames.
    """

    @event.listens_for(engine, "invalidate")
    def roll_back(connection: Any, _: object, __: object) -> None:
        with suppress(engine.dialect.loaded_dbapi.Error):
            connection.rollback()  # in its thread, behind the statement; the lock is free when that is done


def _find_dead_connections(engine: Engine) -> None:
    """Before one is used again: one that ended is known by itself, one that was idle for a while is asked.

    The pool's own way is to ask each time, with a transaction of its own: four round trips to one query.
    """

    @event.listens_for(engine, "checkin")
    def left(_: object, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def taken(connection: Any, record: ConnectionPoolEntry, _: object) -> None:
        try:
            if connection.driver_connection.is_closed():
                raise exc.InvalidatePoolError
            if time.monotonic() - record.info.get("idle_since", math.inf) > ASK_AFTER:
                engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as dead:
            raise exc.InvalidatePoolError from dead
