"""The claim loop shared by every background queue, and the registry of rows that failed.

A queue is a set of rows in the database that some worker must process. Every queue is driven by a `ClaimLoop`, so
retry, back-off, bounded concurrency and fair shares are implemented once. The rules for writing a queue:

- `claim` selects keys and takes leases; it must not decode what a row contains. Everything that the contents of a row
  can make fail belongs in `process`, where a failure concerns that row alone.
- `claim` leaves out `skip_keys`: rows in progress here, and rows that failed and are not to be retried yet.
- `process` settles the row. It may run twice, in two workers at once too. It is cancelled after `MAX_PROCESS_SECONDS`.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Generic, Protocol, TypeVar

from app.play.alarm import Alarm
from app.play.ports import Clock, FailureStore, MetricsPort, StoreUnavailable
from app.play.refusals import Refusal
from app.play.tasks import Tasks

_log = logging.getLogger("cartagena.queues")

FIRST_RETRY_MS = 10_000
RETRY_FACTOR = 4  # 10 s, 40 s, 2.7 min, 11 min, 43 min
MAX_ATTEMPTS = 6  # then the row is set aside until the operator puts it back
FAILURES_CACHE_MS = 5_000  # shorter than FIRST_RETRY_MS: a retry in any worker finds its record in the cache
POSTPONE_MS = 30_000  # how long this worker skips a row that it cannot process through no fault of the row
MAX_CLAIM_DELAY_MS = 60_000
MAX_PROCESS_SECONDS = 600  # longer than any row takes; a row that hangs fails and frees its slot
MAX_ERROR_CHARS = 200

Row = TypeVar("Row")


class Postponed(Exception):
    """Raised by `process` when the row is not to blame and this worker cannot process it now."""


class Queue(Protocol[Row]):
    """Rows to be processed by any worker."""

    @property
    def name(self) -> str:
        """The name in metrics, logs, the table of failures and `cartagena admin queues`."""

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[Row]:
        """Return up to `limit` due rows, leased where the queue has leases, without those to be skipped.

        `skip_keys` is empty but for the rows in progress, unless something is wrong.
        """

    def key(self, row: Row) -> str:
        """Return the row's name in logs and in the table of failures: ids only, at most 120 characters."""

    def owner(self, row: Row) -> str | None:
        """Return the person whose share of the capacity the row uses, if any."""

    async def process(self, row: Row) -> None:
        """Do the work and settle the row; an exception is a failure of this row."""


def compute_retry_delay_ms(attempts: int) -> int | None:
    """Return the delay before the next attempt, or None if the row is to be set aside."""
    return None if attempts >= MAX_ATTEMPTS else FIRST_RETRY_MS * RETRY_FACTOR ** (attempts - 1)


class Failures:
    """The failed rows of all queues as one worker knows them: recorded in the store, cached for a few seconds."""

    def __init__(self, store: FailureStore, clock: Clock, metrics: MetricsPort) -> None:
        self.store = store
        self.clock = clock
        self._metrics = metrics
        self._retry_at: dict[tuple[str, str], int] = {}  # by queue and key
        self._set_aside: Counter[str] = Counter()
        self._refreshed_at = 0

    def count_set_aside(self, queue: str) -> int:
        """Return how many rows of a queue are set aside, for the gauge in /metrics."""
        return self._set_aside[queue]

    def list_blocked(self, queue: str) -> list[str]:
        """Return the keys that are not to be processed now."""
        now = self.clock.now()
        return [key for (name, key), retry_at in self._retry_at.items() if name == queue and retry_at > now]

    async def refresh(self) -> None:
        """Read the records again if the cache is old."""
        now = self.clock.now()
        if 0 <= now - self._refreshed_at < FAILURES_CACHE_MS:
            return
        self._refreshed_at = now
        found = await self.store.read_all()
        self._retry_at = {(failure.queue, failure.key): failure.retry_at for failure in found}
        self._set_aside = Counter(failure.queue for failure in found if failure.set_aside_at is not None)

    async def record(self, queue: str, key: str, problem: Exception) -> None:
        """Count a failed attempt and schedule the next one."""
        self._metrics.count_queue_failure(queue)
        error = describe_error(problem)
        now = self.clock.now()
        self._retry_at[queue, key] = now + FIRST_RETRY_MS  # until the cache is read again
        self._refreshed_at = 0
        attempts = await self.store.record(queue, key, error, now, compute_retry_delay_ms)
        if attempts == 1:
            fields = {"queue": queue, "row": key, "error": error}
            _log.error("a queue's row failed and will be retried", extra={"fields": fields})

    async def clear(self, queue: str, key: str) -> None:
        """Delete the record of a row that was processed; a no-op for nearly all rows."""
        if self._retry_at.pop((queue, key), None) is not None:
            await self.store.clear(queue, key)

    def record_failed_claim(self, queue: str, problem: Exception, *, is_first: bool) -> None:
        """Count a claim that failed, which means a defect in the queue's query."""
        self._metrics.count_queue_failure(queue)
        if is_first:
            fields = {"queue": queue, "error": describe_error(problem)}
            _log.error("a queue cannot be claimed", extra={"fields": fields})


def _is_postponed(problem: Exception) -> bool:
    return isinstance(problem, Postponed) or (isinstance(problem, Refusal) and problem.code == "try_again")


def describe_error(problem: BaseException) -> str:
    """Return the exception's class name and the innermost line of ours; messages may contain row data."""
    places = [
        f"{frame.f_code.co_filename[at + 1 :]}:{line}"
        for frame, line in traceback.walk_tb(problem.__traceback__)
        if (at := frame.f_code.co_filename.rfind("/app/")) >= 0
    ]
    return " at ".join([type(problem).__name__, *places[-1:]])[:MAX_ERROR_CHARS]


class ClaimLoop(Generic[Row]):
    """Drives one queue in one worker.

    At most `concurrency` rows are in progress, at most `per_owner` of one owner; further claimed rows of that owner
    wait, and its owner is left out of the next claim. A claim takes at most `batch` rows. While there is more, the
    next claim follows after `pause_ms`; otherwise after `poll_ms` or a `nudge`.
    """

    def __init__(
        self,
        queue: Queue[Row],
        failures: Failures,
        tasks: Tasks,
        *,
        poll_ms: int,
        concurrency: int,
        batch: int | None = None,
        per_owner: int | None = None,
        pause_ms: int = 0,
        alarm: Alarm | None = None,
    ) -> None:
        self.queue = queue
        self._failures = failures
        self._tasks = tasks
        self._poll_ms = poll_ms
        self._concurrency = concurrency
        self._batch = batch or concurrency
        self._per_owner = per_owner
        self._pause_ms = pause_ms
        self._alarm = alarm or Alarm(failures.clock)
        self._busy: dict[str, str | None] = {}  # keys in progress, and their owners
        self._held: dict[str, int] = {}  # keys on hold, and until when
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._has_more = False
        self._failed_claims = 0
        self._is_stopped = False

    @property
    def name(self) -> str:
        return self.queue.name

    @property
    def poll_seconds(self) -> float:
        return self._poll_ms / 1000

    def is_busy(self, key: str) -> bool:
        """Return whether this worker is processing the row."""
        return key in self._busy

    def nudge(self) -> None:
        """Claim at once: a row was added by this worker."""
        self._alarm.nudge(self._now())

    def stop(self) -> None:
        """Claim nothing more; rows in progress are finished."""
        self._is_stopped = True
        self._alarm.stop()

    async def run(self) -> None:
        """Claim and process rows until stopped."""
        while not self._is_stopped:
            self._alarm.plan(self._now() + self._poll_ms)
            for row in await self._claim_safely():
                self._tasks.spawn(self._process(row))
            await self._alarm.wait()

    async def run_once(self) -> int:
        """Claim once and process the rows one after another; return how many. Errors of the claim are raised."""
        rows = await self.claim()
        for row in rows:
            await self._process(row)
        return len(rows)

    async def drain(self) -> int:
        """Process everything that is due, batch by batch; return how many rows. For tests and small tools."""
        total = 0
        while rows := await self.claim():
            await asyncio.gather(*(self._process(row) for row in rows))
            total += len(rows)
        return total

    async def claim(self) -> Sequence[Row]:
        """Claim as many rows as there is room for, and mark them as in progress."""
        limit = min(self._concurrency - len(self._busy), self._batch)
        self._has_more = limit <= 0
        if limit <= 0:
            return ()
        await self._failures.refresh()
        now = self._now()
        self._held = {key: until for key, until in self._held.items() if until > now}
        full = self._full_owners()
        skipped = {*self._busy, *self._held, *self._failures.list_blocked(self.name)}
        found = await self.queue.claim(now, limit, skipped, full)
        self._has_more = len(found) >= limit or bool(full)
        rows = {self.queue.key(row): row for row in found}
        for key in skipped & rows.keys():
            del rows[key]
        self._busy |= {key: self.queue.owner(row) for key, row in rows.items()}
        return list(rows.values())

    async def _claim_safely(self) -> Sequence[Row]:
        try:
            rows = await self.claim()
        except StoreUnavailable:
            _log.warning("the store does not answer; queue %s waits", self.name)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the loop must go on
            self._failures.record_failed_claim(self.name, problem, is_first=self._failed_claims == 0)
            self._failed_claims = min(self._failed_claims + 1, MAX_ATTEMPTS)
            delay = min(self._poll_ms << self._failed_claims, MAX_CLAIM_DELAY_MS)
            self._alarm.plan(self._now() + max(self._poll_ms, delay))
        else:
            self._failed_claims = 0
            return rows
        return ()

    async def _process(self, row: Row) -> None:
        key, owner = self.queue.key(row), self.queue.owner(row)
        is_finished = False
        try:
            async with self._slot(owner):
                is_finished = await self._attempt(row, key)
        except StoreUnavailable:
            _log.warning("the store does not answer; row %s of queue %s waits", key, self.name)
            self._held[key] = self._now() + POSTPONE_MS
        finally:
            del self._busy[key]
            if owner is not None and owner not in self._busy.values():
                self._slots.pop(owner, None)
        if is_finished:
            self._claim_more()

    async def _attempt(self, row: Row, key: str) -> bool:
        """Process one row; return False if it is on hold. Raises StoreUnavailable only."""
        try:
            async with asyncio.timeout(MAX_PROCESS_SECONDS):
                await self.queue.process(row)
        except StoreUnavailable:
            raise
        except Exception as problem:  # noqa: BLE001 - a failing row must not stop the others
            if _is_postponed(problem):
                self._held[key] = self._now() + POSTPONE_MS
                return False
            await self._failures.record(self.name, key, problem)
        else:
            await self._failures.clear(self.name, key)
        return True

    def _claim_more(self) -> None:
        """Schedule the next claim if rows were left behind and there is room for a good part of a batch again."""
        has_room = self._concurrency - len(self._busy) >= min(self._batch, self._concurrency // 2)
        if self._has_more and has_room:
            self._alarm.nudge(self._now() + self._pause_ms)

    def _full_owners(self) -> list[str]:
        """Return the owners who use their whole share."""
        if self._per_owner is None:
            return []
        counts = Counter(owner for owner in self._busy.values() if owner is not None)
        return [owner for owner, count in counts.items() if count >= self._per_owner]

    def _slot(self, owner: str | None) -> AbstractAsyncContextManager[Any]:
        if owner is None or self._per_owner is None:
            return nullcontext()
        return self._slots.setdefault(owner, asyncio.Semaphore(self._per_owner))

    def _now(self) -> int:
        return self._failures.clock.now()
