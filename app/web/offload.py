"""A thread for CPU work that would block the event loop: one job at a time, with a short queue.

It is separate from asyncio's default pool and from the password threads, so that a replay delays neither look-ups nor
log-ins. Callers charge the client with `Limits.take_work` first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.web.errors import TooMany

MAX_WAITING = 24  # more would wait for seconds

T = TypeVar("T")


class Offload:
    """The offload thread of one app."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="offload")
        self._waiting = 0

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run a function in the thread and return its result. Raise TooMany if too many jobs are waiting."""
        if self._waiting >= MAX_WAITING:
            raise TooMany(5.0)
        self._waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)
        future.add_done_callback(self._on_done)
        # The job continues, and counts as waiting, even if the caller is cancelled.
        return await asyncio.shield(future)

    def _on_done(self, future: asyncio.Future[T]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            future.exception()  # mark it as retrieved: the caller may have been cancelled

    async def close(self) -> None:
        """Cancel waiting jobs and wait for the running one."""
        await asyncio.to_thread(self._thread.shutdown, wait=True, cancel_futures=True)
