"""Transactions, one for each read or write, and telling a database that is away from a mistake of ours.

An outage is answered with "try again" and waited out. A statement that is wrong stays what it is, a fault
with a traceback: taken for an outage it would be tried again for ever, and nobody would ever look at it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any, TypeVar

import asyncpg
from sqlalchemy import Connection, Executable, exc
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.play.ports import StoreUnavailable
from app.store.engine import STATEMENT_SECONDS
from app.store.threads import threads_of

Found = TypeVar("Found")
MAX_ATTEMPTS = 4  # of a transaction that PostgreSQL rolled back to end a deadlock

# As the drivers raise them, where no SQLAlchemy stands between.
OUTAGES = (OSError, TimeoutError, exc.TimeoutError, asyncpg.InternalClientError)

# Classes of PostgreSQL's SQLSTATE: cut off, read-only, ended while idle, rolled back in favour of another,
# out of something, lock not had in time, shutting down, its disk, its own fault.
_STATES = ("08", "25006", "25P03", "25P04", "40", "53", "55P03", "57", "58", "XX")
# SQLite's word for a statement that is wrong, and for a value that does not fit, is among the others.
_SQLITE = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    )
)
# A table was changed under a running worker: the statement is prepared anew with the next try.
_PREPARED_ANEW = (asyncpg.InvalidCachedStatementError, asyncpg.InternalClientError)


def is_outage(problem: BaseException) -> bool:
    """Whether the database is to blame, and not the statement or a value in it."""
    if isinstance(problem, OUTAGES):
        return True
    if isinstance(problem, exc.DBAPIError):
        return problem.connection_invalidated or _is_drivers(problem.orig)
    return _is_drivers(problem)


def _is_drivers(problem: BaseException | None) -> bool:
    code = getattr(problem, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in _SQLITE
    state = getattr(problem, "sqlstate", None)
    if state:
        return state.startswith(_STATES) or isinstance(getattr(problem, "__cause__", None), _PREPARED_ANEW)
    cause = getattr(problem, "__cause__", None) or problem
    if isinstance(cause, asyncpg.InterfaceError):
        return not isinstance(cause, ValueError)  # that would be a value the driver cannot send
    # Without a code: aiosqlite's word for a connection that is gone.
    return isinstance(cause, (*_PREPARED_ANEW, *OUTAGES)) or isinstance(problem, sqlite3.OperationalError)


def _is_conflict(problem: BaseException | None) -> bool:
    """Whether PostgreSQL rolled the transaction back in favour of another one, so that it can be repeated."""
    return getattr(getattr(problem, "orig", None), "sqlstate", None) in ("40001", "40P01")


def error_name(problem: BaseException) -> str:
    """What went wrong, by its names alone: the text of an error may quote a row."""
    names = [type(problem).__name__]
    origin = getattr(problem, "orig", None) or problem
    code = getattr(origin, "sqlite_errorname", None) or getattr(origin, "sqlstate", None)
    return " ".join([*names, code] if code else names)


@contextmanager
def outages_as_unavailable() -> Iterator[None]:
    """An outage inside comes out as StoreUnavailable; a fault comes out as it is."""
    try:
        yield
    except Exception as problem:
        if is_outage(problem):
            raise StoreUnavailable(error_name(problem)) from problem
        raise


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection to read with; raises StoreUnavailable when the database does not answer."""
    threads = threads_of(engine)
    limit = nullcontext() if threads is None else threads.readers
    with outages_as_unavailable():
        async with asyncio.timeout(STATEMENT_SECONDS), limit, engine.connect() as run:
            if threads is None:
                # Every statement sees what was committed before it, in a transaction or not: BEGIN and ROLLBACK
                # would be two more round trips for nothing.
                await run.execution_options(isolation_level="AUTOCOMMIT")
            yield run


@asynccontextmanager
async def writing(engine: AsyncEngine, *, at_once: bool = True) -> AsyncIterator[AsyncConnection]:
    """A transaction that is committed at the end; raises StoreUnavailable when that cannot be known.

    `at_once`: it has SQLite's write lock from its beginning, as one that reads first needs it.
    The turn is taken before the connection, because one connection is always free for the transaction whose turn it
    is (`MAX_READERS`): a transaction that waits for its turn keeps no reader waiting, and no move waits for a reader.
    """
    threads = threads_of(engine)
    turn = nullcontext() if threads is None else threads.turns.awaited("a transaction in several steps")
    with outages_as_unavailable():
        async with asyncio.timeout(STATEMENT_SECONDS), turn, engine.begin() as run:
            if at_once and engine.dialect.name == "sqlite":
                # A transaction that reads first and writes later would fail at once with BUSY
                # when another writer came between, whatever the timeout.
                await run.exec_driver_sql("BEGIN IMMEDIATE")
            yield run


async def in_one_go(
    engine: AsyncEngine, work: Callable[[Connection], Found], *, is_write: bool = False
) -> Found:
    """A whole transaction; where a driver hops to another thread, it hops once. Raises StoreUnavailable.

    `work` is run again when PostgreSQL rolled it back to end a deadlock, so it changes nothing but the database.
    """
    threads = threads_of(engine)
    if threads is not None:
        with outages_as_unavailable():
            async with asyncio.timeout(STATEMENT_SECONDS):
                return await threads.run(work, is_write=is_write)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            async with writing(engine) if is_write else reading(engine) as run:
                return await run.run_sync(work)
        except StoreUnavailable as problem:
            if attempt == MAX_ATTEMPTS or not _is_conflict(problem.__cause__):
                raise
    raise AssertionError("the last attempt returns or raises")


class Queries:
    """Queries on one engine; each call is one transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return reading(self.engine)

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return writing(self.engine)

    async def read(self, work: Callable[[Connection], Found]) -> Found:
        """Several statements that read, in one go."""
        return await in_one_go(self.engine, work)

    async def write(self, work: Callable[[Connection], Found]) -> Found:
        """A transaction with the write lock from its beginning, in one go."""
        return await in_one_go(self.engine, work, is_write=True)

    async def rows(self, query: Executable, values: Mapping[str, Any] | None = None) -> Sequence[Any]:
        """All rows of one query."""
        return await self.read(lambda run: run.execute(query, values).all())

    async def dicts(self, query: Executable) -> list[dict[str, Any]]:
        """The same by the names of their columns."""
        return [dict(row._mapping) for row in await self.rows(query)]

    async def change(self, query: Executable) -> int:
        """One statement that writes; how many rows it changed."""
        return await self.write(lambda run: run.execute(query).rowcount)
