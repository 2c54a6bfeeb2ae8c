"""Whole transactions of SQLite in another thread: one hop for all statements of a batch.

The asynchronous driver hops for every cursor, statement, fetch and close, seven times a query; each hop wakes two
threads, which then wait for each other's turn in the interpreter. For what a crowd asks at once that was most of
the cost. PostgreSQL's driver is asynchronous by itself and has no use for this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.write_turns import WriteTurns

Found = TypeVar("Found")
# Transactions that read at the same time, in threads and, as many again, in steps on the event loop. One more
# connection and one more thread are kept for the one transaction that writes: it never waits for a reader.
MAX_READERS = 4


class SqliteThreads:
    """Threads and connections beside those of an engine, made when they are first needed."""

    def __init__(self, make: Callable[[], Engine], turns: WriteTurns) -> None:
        self.turns = turns
        self.readers = asyncio.Semaphore(MAX_READERS)  # in steps on the event loop
        self._make = make
        self._open: _Open | None = None

    async def run(self, work: Callable[[Connection], Found], *, is_write: bool) -> Found:
        """What `work` returns; its transaction is committed if it is a write, which has the lock from its beginning."""
        if not is_write:
            opened = self._opened()
            return await asyncio.wrap_future(opened.reading.submit(_read, opened.engine, work))
        await self.turns.wait(getattr(work, "__qualname__", "somebody"))
        try:
            opened = self._opened()
            job = opened.writing.submit(_write, opened.engine, work)
        except BaseException:
            self.turns.give_back()
            raise
        # When the thread has ended it: whoever asked for it may have gone long before.
        job.add_done_callback(lambda _: self.turns.give_back())
        return await asyncio.wrap_future(job)

    def _opened(self) -> _Open:
        if self._open is None:
            self._open = _Open(self._make())
        return self._open

    def close(self) -> None:
        """What is under way is finished."""
        if self._open is not None:
            opened, self._open = self._open, None
            opened.close()


class _Open:
    """Threads and their connections, which are opened as they are needed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.reading = ThreadPoolExecutor(MAX_READERS, thread_name_prefix="store-read")
        self.writing = ThreadPoolExecutor(1, thread_name_prefix="store-write")

    def close(self) -> None:
        self.reading.shutdown(wait=True)
        self.writing.submit(self.engine.dispose)
        self.writing.shutdown(wait=True)


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


def give_threads(engine: AsyncEngine, make: Callable[[], Engine], turns: WriteTurns) -> None:
    """The threads of this engine, until it is disposed of; whoever writes with either takes turns."""
    threads = _known[engine.sync_engine] = SqliteThreads(make, turns)
    event.listen(engine.sync_engine, "engine_disposed", lambda _: threads.close())


def threads_of(engine: AsyncEngine) -> SqliteThreads | None:
    """None: PostgreSQL."""
    return _known.get(engine.sync_engine)
