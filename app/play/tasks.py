"""Background work of one worker: begun here, so that nothing is lost sight of and all of it ends with the server."""

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
LONGEST = 60.0  # seconds a start waits for the store; whoever watches over the server may think further


class Tasks:
    """Everything that runs beside what people wait for."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self.closing = asyncio.Event()

    @property
    def running(self) -> set[asyncio.Task[Any]]:
        """A copy."""
        return set(self._running)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Work whose outcome the caller looks at."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Work nobody waits for; a failure is logged, never lost."""
        self.start(work).add_done_callback(_log_failure)

    async def rest(self, milliseconds: float) -> bool:
        """What lasting work does between two rounds; False when the server closes: then there is none."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.closing.wait(), milliseconds / 1000)
        return not self.closing.is_set()

    def begin_closing(self) -> None:
        """Whoever rests is woken, and ends."""
        self.closing.set()

    async def cancel(self) -> None:
        """What is still running ends now."""
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
        # A task of its own: an error, or a cancellation inside, stays in this round; ours cancels it too.
        round_ = asyncio.ensure_future(work())
        try:
            await asyncio.wait([round_])
        finally:
            round_.cancel()
        fault = None if round_.cancelled() else round_.exception()
        if isinstance(fault, StoreUnavailable):
            _log.warning("the store did not answer; the next round will try again")
        elif fault is not None:
            _log.error("background work failed and begins again", exc_info=fault)
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), seconds)


async def wait_until_answered(ask: Callable[[], Awaitable[None]], *, longest: float = LONGEST) -> None:
    """At its start a server asks a slow store again: a database that takes its time is no reason not to open.

    Raises StoreUnavailable when that takes longer than a start may.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + longest
    while True:
        try:
            return await ask()
        except StoreUnavailable:
            if loop.time() > until:
                raise
        _log.warning("the database does not answer; asked again")
        await asyncio.sleep(0.5)
