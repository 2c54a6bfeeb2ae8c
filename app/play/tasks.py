"""Background tasks of one worker: started here, so that failures are logged and all of them end with the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from app.play.ports import StoreUnavailable

T = TypeVar("T")

_log = logging.getLogger("cartagena.server")
RESTART_SECONDS = 1.0  # before a loop that failed is started again
MAX_START_SECONDS = 60.0  # how long a starting server waits for the store before it gives up


class Tasks:
    """The background tasks of one worker."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self.closing = asyncio.Event()

    @property
    def running(self) -> set[asyncio.Task[Any]]:
        """A copy of the set of running tasks."""
        return set(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task whose result the caller handles."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a task that no caller awaits; a failure is logged."""
        self.start(work).add_done_callback(_log_failure)

    async def sleep(self, milliseconds: float) -> bool:
        """Sleep between two rounds of a loop; return False, early, when the server closes."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.closing.wait(), milliseconds / 1000)
        return not self.closing.is_set()

    def begin_closing(self) -> None:
        """End all sleeping loops."""
        self.closing.set()

    async def cancel(self) -> None:
        """Cancel the tasks that are still running and wait for them."""
        late = self.running
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


def _log_failure(task: asyncio.Task[Any]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _log.error("background work failed", exc_info=task.exception())


async def run_every(seconds: float, work: Callable[[], Awaitable[None]], stopping: asyncio.Event) -> None:
    """Run `work` at intervals until stopped; an outage or an error costs one round and is logged."""
    while not stopping.is_set():
        # The round is a task of its own, so that an error or a cancellation inside ends this round alone. A
        # cancellation from outside is passed on to the round, which ends first.
        round_ = asyncio.ensure_future(work())
        try:
            await asyncio.wait([round_])
        except asyncio.CancelledError:
            round_.cancel()
            await asyncio.wait([round_])
            raise
        fault = None if round_.cancelled() else round_.exception()
        if isinstance(fault, StoreUnavailable):
            _log.warning("the store did not answer; the next round retries")
        elif fault is not None:
            _log.error("background work failed and is restarted", exc_info=fault)
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), seconds)


async def retry_until_available(
    query: Callable[[], Awaitable[object]], *, max_seconds: float = MAX_START_SECONDS
) -> None:
    """Retry a query of a starting server until the store answers. Raises StoreUnavailable after `max_seconds`."""
    loop = asyncio.get_running_loop()
    until = loop.time() + max_seconds
    while True:
        try:
            await query()
            return
        except StoreUnavailable:
            if loop.time() > until:
                raise
        _log.warning("the database does not answer; retrying")
        await asyncio.sleep(0.5)
