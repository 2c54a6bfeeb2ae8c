"""Worker threads that run functions for an event loop in FIFO order, urgent functions first.

They cost half as much as an executor: one queue, one short lock and one callback to the loop per function.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from app.play.ports import StoreUnavailable

T = TypeVar("T")
_POLL_SECONDS = 0.001  # while waiting for threads to stop

_log = logging.getLogger("cartagena.store")


class NotStarted(TimeoutError):
    """The function waited too long in the queue and will not run. The message says what the thread was running."""


class WorkerThreads:
    """Up to `max_threads` daemon threads. A thread is started when a function is queued and all others are busy."""

    def __init__(self, name: str, max_threads: int = 1) -> None:
        self._name = name
        self._max_threads = max_threads
        self._tokens: SimpleQueue[bool] = SimpleQueue()  # True for each queued job; False ends a thread
        self._urgent: deque[_Job[Any]] = deque()
        self._queue: deque[_Job[Any]] = deque()
        self._threads: list[Thread] = []
        self._lock = Lock()
        self._unfinished = 0
        self._running: tuple[str, float] | None = (
            None  # the function and its start time; meaningful with one thread
        )
        self._is_stopped = False

    async def run(
        self, work: Callable[[], T], *, urgent: bool = False, start_within: float | None = None
    ) -> T:
        """Return what `work` returns, or raise what it raises. Raise StoreUnavailable after `stop`.

        If the caller is cancelled before `work` has started, `work` never runs. Once started it runs to its end, and
        only then does the next function start. Raise NotStarted if it has not started within `start_within` seconds.
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, loop)
        if not self._enqueue(job, urgent=urgent):
            raise StoreUnavailable("the store is closed")
        timer = None if start_within is None else loop.call_later(start_within, self._give_up, job)
        try:
            return await job.done
        except asyncio.CancelledError:
            job.claim()
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def post(self, work: Callable[[], None]) -> None:
        """Queue `work` as urgent and return immediately. Thread-safe. Errors are logged. No-op after `stop`."""
        self._enqueue(_Job(work, None), urgent=True)

    async def stop(self, last: Callable[[], None], seconds: float) -> None:
        """Run what is queued, then `last`, and end the threads; stop waiting for them after `seconds`.

        With one thread `last` runs after everything else has ended, with several after everything else has started.
        """
        if not self._enqueue(_Job(last, None), urgent=False, is_last=True):
            return
        for _ in self._threads:
            self._tokens.put(False)
        deadline = time.monotonic() + seconds
        while any(thread.is_alive() for thread in self._threads):
            if time.monotonic() > deadline:
                _log.warning("%s did not end within %.0f s: %s", self._name, seconds, self._describe())
                return
            await asyncio.sleep(_POLL_SECONDS)

    def _enqueue(self, job: _Job[Any], *, urgent: bool, is_last: bool = False) -> bool:
        """Return False if the threads have been stopped."""
        with self._lock:
            if self._is_stopped:
                return False
            self._is_stopped = is_last
            self._unfinished += 1
            if self._unfinished > len(self._threads) < self._max_threads:
                thread = Thread(target=self._work, name=self._name, daemon=True)
                thread.start()
                self._threads.append(thread)
            (self._urgent if urgent else self._queue).append(job)
            self._tokens.put(True)
        return True

    def _give_up(self, job: _Job[Any]) -> None:
        if job.claim() and not job.done.done():
            job.done.set_exception(NotStarted(self._describe()))

    def _describe(self) -> str:
        running = self._running
        return "idle" if running is None else f"{running[0]} for {time.monotonic() - running[1]:.1f} s"

    def _work(self) -> None:
        while self._tokens.get():
            try:
                job = self._urgent.popleft()
            except IndexError:
                job = self._queue.popleft()
            if job.claim():
                self._running = job.name, time.monotonic()
                job.run()
                self._running = None
            with self._lock:
                self._unfinished -= 1
            job.deliver()
            del job  # an idle thread must not keep the result alive


class _Job(Generic[T]):
    """A queued function and its result. Without a loop, no caller waits for it."""

    def __init__(self, work: Callable[[], T], loop: asyncio.AbstractEventLoop | None) -> None:
        self._work = work
        self._loop = loop
        self._claimed = Lock()
        self._outcome: T | None = None
        self._problem: BaseException | None = None
        if loop is not None:
            self.done: asyncio.Future[T] = loop.create_future()

    @property
    def name(self) -> str:
        work = getattr(self._work, "args", (self._work,))[0]  # the first argument of a partial
        return getattr(work, "__qualname__", type(work).__name__)

    def claim(self) -> bool:
        """Return True to the first caller only: the thread that runs the job, or the caller that cancels it."""
        return self._claimed.acquire(blocking=False)

    def run(self) -> None:
        try:
            self._outcome = self._work()
        except BaseException as problem:  # noqa: BLE001 - raised in the caller; the thread continues
            self._problem = problem
            if self._loop is None:
                _log.exception("%s failed", self.name)

    def deliver(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed, so no caller waits
                self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        if self.done.done():  # cancelled
            return
        problem, self._problem = self._problem, None  # avoids a reference cycle with the traceback
        if problem is None:
            self.done.set_result(self._outcome)  # type: ignore[arg-type]
        elif isinstance(problem, StopIteration):  # a future does not accept it
            self.done.set_exception(RuntimeError("StopIteration"))
        else:
            self.done.set_exception(problem)
