"""Threads that sources share fairly: each source has a short queue of its own, and the queues take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from app.web.errors import TooMany

T = TypeVar("T")
Job = tuple[asyncio.Future[Any], Callable[[], Any]]


class FairThreads:
    """A few threads. A source never waits for more than one job of every other source.

    When `max_waiting` jobs wait in all, a source with none displaces the newest job of the longest queue, so that a
    source keeps out nobody but itself.
    """

    def __init__(self, threads: int, name: str, *, per_source: int, max_waiting: int, busy: TooMany) -> None:
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads, name)
        self._per_source = per_source
        self._max_waiting = max_waiting
        self._busy = busy
        self._queues: OrderedDict[str, deque[Job]] = OrderedDict()
        self._running = 0
        self.jobs: Counter[str] = Counter()
        """Jobs of each source, running or waiting."""

    async def run(self, source: str, work: Callable[[], T]) -> T:
        """Return what `work` returns; raises TooMany when too many jobs of this source, or in all, wait."""
        if self.jobs[source] >= self._per_source or not self._make_room(source):
            raise self._refusal()
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.jobs[source] += 1
        self._queues.setdefault(source, deque()).append((outcome, work))
        self._start_next()
        return await outcome

    def close(self) -> None:
        """Refuse all jobs that wait; running ones end by themselves."""
        for queue in self._queues.values():
            for outcome, _ in queue:
                if not outcome.done():
                    outcome.set_exception(self._refusal())
        self._queues.clear()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _make_room(self, source: str) -> bool:
        if sum(map(len, self._queues.values())) < self._max_waiting:
            return True
        longest = max(self._queues, key=lambda each: len(self._queues[each]))
        if source in self._queues or len(self._queues[longest]) < 2:
            return False
        outcome, _ = self._queues[longest].pop()
        self._release(longest)
        if not outcome.done():
            outcome.set_exception(self._refusal())
        return True

    def _start_next(self) -> None:
        while self._queues and self._running < self._threads:
            source, queue = self._queues.popitem(last=False)
            outcome, work = queue.popleft()
            if queue:
                self._queues[source] = queue  # behind all other sources
            if outcome.done():  # cancelled while it waited
                self._release(source)
                continue
            self._running += 1
            done = asyncio.get_running_loop().run_in_executor(self._executor, work)
            done.add_done_callback(partial(self._on_done, source, outcome))

    def _on_done(self, source: str, outcome: asyncio.Future[Any], done: asyncio.Future[Any]) -> None:
        self._running -= 1
        self._release(source)
        problem = asyncio.CancelledError() if done.cancelled() else done.exception()
        if outcome.done():
            pass  # the caller has gone
        elif problem is None:
            outcome.set_result(done.result())
        elif isinstance(problem, asyncio.CancelledError):
            outcome.cancel()
        else:
            outcome.set_exception(problem)
        self._start_next()

    def _release(self, source: str) -> None:
        self.jobs[source] -= 1
        if not self.jobs[source]:
            del self.jobs[source]

    def _refusal(self) -> TooMany:
        return TooMany(self._busy.retry_after, self._busy.message)
