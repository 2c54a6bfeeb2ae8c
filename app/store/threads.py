"""Whole transactions of SQLite in another thread: one hop for all statements of a batch.

The asynchronous driver hops for every cursor, statement, fetch and close, seven times a query; each hop wakes two
threads, which then wait for each other's turn in the interpreter. For what a crowd asks at once that was most of
the cost. PostgreSQL's driver is asynchronous by itself and has no use for this.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.write_turns import WriteTurns

Found = TypeVar("Found")
_THREADS = 4  # one that writes does not hold up those that read


class SqliteThreads:
    """Threads and connections beside those of an engine, made when they are first needed."""

    def __init__(self, make: Callable[[], Engine], turns: WriteTurns) -> None:
        self.turns = turns
        self._make = make
        self._open: tuple[ThreadPoolExecutor, Engine] | None = None

    async def run(self, work: Callable[[Connection], Found], *, is_write: bool) -> Found:
        """What `work` returns; its transaction is committed if it is a write, which has the lock from its beginning."""
        if not is_write:
            return await asyncio.wrap_future(self._submit(_read, work))
        await self.turns.wait(getattr(work, "__qualname__", "somebody"))
        try:
            job = self._submit(_write, work)
        except BaseException:
            self.turns.give_back()
            raise
        # When the thread has ended it: whoever asked for it may have gone long before.
        job.add_done_callback(lambda _: self.turns.give_back())
        return await asyncio.wrap_future(job)

    def _submit(
        self,
        do: Callable[[Engine, Callable[[Connection], Found]], Found],
        work: Callable[[Connection], Found],
    ) -> Future[Found]:
        if self._open is None:
            self._open = ThreadPoolExecutor(_THREADS, thread_name_prefix="store"), self._make()
        threads, engine = self._open
        return threads.submit(do, engine, work)

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


def give_threads(engine: AsyncEngine, make: Callable[[], Engine], turns: WriteTurns) -> None:
    """The threads of this engine, until it is disposed of; whoever writes with either takes turns."""
    threads = _known[engine.sync_engine] = SqliteThreads(make, turns)
    event.listen(engine.sync_engine, "engine_disposed", lambda _: threads.close())


def threads_of(engine: AsyncEngine) -> SqliteThreads | None:
    """None: PostgreSQL."""
    return _known.get(engine.sync_engine)
