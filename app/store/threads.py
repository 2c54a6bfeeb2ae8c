"""Whole transactions of SQLite in another thread: one hop for all statements of a batch.

The asynchronous driver hops for every cursor, statement, fetch and close, seven times a query; each hop wakes two
threads, which then wait for each other's turn in the interpreter. For what a crowd asks at once that was most of
the cost. PostgreSQL's driver is asynchronous by itself and has no use for this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

Found = TypeVar("Found")
_THREADS = 4  # one that waits for the write lock does not hold up those that read


class SqliteThreads:
    """Threads and connections beside those of an engine, made when they are first needed."""

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._make = make
        self._open: tuple[ThreadPoolExecutor, Engine] | None = None

    async def run(self, work: Callable[[Connection], Found], *, is_write: bool) -> Found:
        """What `work` returns; its transaction is committed if it is a write, which has the lock from its beginning."""
        if self._open is None:
            self._open = ThreadPoolExecutor(_THREADS, thread_name_prefix="store"), self._make()
        threads, engine = self._open
        do = partial(_write if is_write else _read, engine, work)
        return await asyncio.get_running_loop().run_in_executor(threads, do)

    def close(self) -> None:
        """What is under way is finished."""
        if self._open is not None:
            threads, engine = self._open
            self._open = None
            threads.submit(engine.dispose)
            threads.shutdown(wait=True)


def _read(engine: Engine, work: Callable[[Connection], Found]) -> Found:
    with engine.connect() as run:
        return work(run)


def _write(engine: Engine, work: Callable[[Connection], Found]) -> Found:
    with engine.connect() as run:
        # One that reads first and writes later would fail at once with BUSY when another writer came between.
        run.exec_driver_sql("BEGIN IMMEDIATE")
        found = work(run)
        run.commit()
        return found


_known: WeakKeyDictionary[Engine, SqliteThreads] = WeakKeyDictionary()


def give_threads(engine: AsyncEngine, make: Callable[[], Engine]) -> None:
    """The threads of this engine, until it is disposed of."""
    threads = _known[engine.sync_engine] = SqliteThreads(make)
    event.listen(engine.sync_engine, "engine_disposed", lambda _: threads.close())


def threads_of(engine: AsyncEngine) -> SqliteThreads | None:
    """None: PostgreSQL."""
    return _known.get(engine.sync_engine)
