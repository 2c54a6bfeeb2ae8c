"""Group commit: appends of all rooms that wait go into one transaction; each waits for one fsync.

While one batch is on its way to the disk the next one gathers, so batches grow with the load by themselves.
After a commit whose outcome is unknown the rows are looked up before anyone is answered.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable

from app.play.log.entries import Append
from app.play.ports import StoreUnavailable
from app.play.stored import Stored
from app.store.games.rows import BatchFailed, BatchWriter, CommitUnknown

_log = logging.getLogger("cartagena.store")
MOST = 500  # rows a transaction
LOOK_FOR = 5.0  # seconds to look an unknown outcome up before the senders are asked to try again
LOOK_EVERY = 0.25


class GroupCommit:
    """The one way into the log."""

    def __init__(self, writer: BatchWriter, committed: Callable[[float, int], None]) -> None:
        self._writer = writer
        self._committed = committed
        self._waiting: list[Stored] = []
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    def append(self, append: Append) -> Stored:
        """True once it is on disk, False when its number was taken; else StoreUnavailable."""
        stored = Stored(append)
        if self._is_closed:
            stored.settle(StoreUnavailable("the store is closed"))
            return stored
        self._waiting.append(stored)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())
        return stored

    async def flush(self) -> None:
        """Returns when nothing waits for the disk."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """What was begun is finished."""
        self._is_closed = True
        await self.flush()
        await self._writer.close()

    async def _run(self) -> None:
        """As long as anybody waits. The task ends when nobody does: an idle server does nothing."""
        batch: list[Stored] = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                await self._write(batch)
                batch = []
        finally:
            self._task = None
            left, self._waiting = self._waiting, []
            _fail([*batch, *left], "the store was stopped")  # in the middle: nobody may wait for ever

    async def _write(self, batch: list[Stored]) -> None:
        began = time.perf_counter()
        try:
            outcome = await self._writer.write([stored.append for stored in batch])
        except CommitUnknown:
            await self._look_up(batch)
        except BatchFailed as problem:
            if problem.is_row and len(batch) > 1:
                for waiting in batch:  # one bad row must not fail the others: find it
                    await self._write([waiting])
                return
            # To whoever waits it is the same, nothing is stored; but a fault of ours must not pass for an outage.
            level = logging.WARNING if problem.is_outage else logging.ERROR
            _log.log(level, "%d entries could not be stored: %s", len(batch), problem)
            _fail(batch, "not stored")
        else:
            self._committed(time.perf_counter() - began, len(batch))
            outcomes = zip(batch, outcome, strict=True)
            if self._waiting:  # once for all of them, and after the next batch is on its way
                asyncio.get_running_loop().call_soon(self._tell, outcomes)
            else:  # at once: a crowd that comes in meanwhile makes every turn of the loop longer
                self._tell(outcomes)

    def _tell(self, outcomes: Iterable[tuple[Stored, bool]]) -> None:
        for stored, is_ours in outcomes:
            try:
                stored.settle(is_ours)
            except Exception:  # noqa: BLE001  # a fault in one room is not the others'
                _log.exception("game %s could not take what was stored", stored.append.entry.game)

    async def _look_up(self, batch: list[Stored]) -> None:
        until = time.monotonic() + LOOK_FOR
        while True:
            try:
                found = await self._writer.look_up([stored.append for stored in batch])
                break
            except BatchFailed:
                if time.monotonic() > until:
                    _fail(batch, "the outcome is not known")
                    return
                await asyncio.sleep(LOOK_EVERY)
        for stored, is_ours in zip(batch, found, strict=True):
            stored.settle(StoreUnavailable("not stored") if is_ours is None else is_ours)


def _fail(batch: list[Stored], why: str) -> None:
    for stored in batch:
        stored.settle(StoreUnavailable(why))
