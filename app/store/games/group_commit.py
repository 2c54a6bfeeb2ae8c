"""Group commit: waiting appends of all rooms share one transaction and one fsync.

While a batch is being written the next one collects appends, so batches grow with the load. After a commit with
unknown outcome, the rows are looked up before the callers get a result.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from app.play.log.entries import Append
from app.play.outcome import Outcome
from app.play.ports import StoreUnavailable
from app.store.games.log_rows import BatchFailed, BatchWriter, CommitUnknown

_log = logging.getLogger("cartagena.store")
MAX_BATCH_ROWS = 500
LOOK_UP_TIMEOUT_SECONDS = 5.0  # for an unknown outcome; after it, clients are asked to try again
LOOK_UP_RETRY_SECONDS = 0.25

_PendingAppends = list[tuple[Append, Outcome[bool]]]


class GroupCommit:
    """Appends entries to the log in batches."""

    def __init__(self, writer: BatchWriter, on_commit: Callable[[float, int], None]) -> None:
        self._writer = writer
        self._on_commit = on_commit
        self._waiting: _PendingAppends = []
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    def append(self, append: Append) -> Outcome[bool]:
        """Return the outcome: True once the entry is on disk, False if its seq was taken, else StoreUnavailable."""
        if self._is_closed:
            return Outcome.failed(StoreUnavailable("the store is closed"))
        outcome: Outcome[bool] = Outcome()
        self._waiting.append((append, outcome))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())
        return outcome

    async def flush(self) -> None:
        """Return when no append is waiting."""
        while self._task is not None:
            await asyncio.wait([self._task])

    async def close(self) -> None:
        """Write what is waiting, then close; later appends fail."""
        self._is_closed = True
        await self.flush()
        await self._writer.close()

    async def _run(self) -> None:
        """Write batches until no append is waiting."""
        batch: _PendingAppends = []
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MAX_BATCH_ROWS], self._waiting[MAX_BATCH_ROWS:]
                await self._write(batch)
                batch = []
        finally:
            self._task = None
            left, self._waiting = self._waiting, []
            _fail([*batch, *left], "the store was stopped")  # no caller may wait forever

    async def _write(self, batch: _PendingAppends) -> None:
        began = time.perf_counter()
        try:
            is_written = await self._writer.write([append for append, _ in batch])
        except CommitUnknown:
            await self._look_up(batch)
        except BatchFailed as problem:
            if problem.is_row_error and len(batch) > 1:
                for pending in batch:  # one by one, so that a bad row fails alone
                    await self._write([pending])
                return
            # The callers get the same result, but a programming error must not be logged as an outage.
            level = logging.WARNING if problem.is_outage else logging.ERROR
            _log.log(level, "%d entries could not be stored: %s", len(batch), problem)
            _fail(batch, "not stored")
        else:
            self._on_commit(time.perf_counter() - began, len(batch))
            if self._waiting:  # start the next batch first
                asyncio.get_running_loop().call_soon(self._settle, batch, is_written)
            else:  # immediately: with many new connections, the next event-loop iteration may be long
                self._settle(batch, is_written)

    def _settle(self, batch: _PendingAppends, is_written: list[bool]) -> None:
        for (append, outcome), is_stored in zip(batch, is_written, strict=True):
            try:
                outcome.settle(is_stored)
            except Exception:  # noqa: BLE001 - an error in one room must not affect the others
                _log.exception("game %s failed to handle a stored entry", append.entry.game)

    async def _look_up(self, batch: _PendingAppends) -> None:
        deadline = time.monotonic() + LOOK_UP_TIMEOUT_SECONDS
        while True:
            try:
                found = await self._writer.look_up([append for append, _ in batch])
                break
            except BatchFailed:
                if time.monotonic() > deadline:
                    _fail(batch, "the outcome is unknown")
                    return
                await asyncio.sleep(LOOK_UP_RETRY_SECONDS)
        for (_, outcome), is_stored in zip(batch, found, strict=True):
            if is_stored is None:
                outcome.fail(StoreUnavailable("not stored"))
            else:
                outcome.settle(is_stored)


def _fail(batch: _PendingAppends, reason: str) -> None:
    for _, outcome in batch:
        outcome.fail(StoreUnavailable(reason))
