"""Threads behind a fair queue (app/bots/fair_queue.py), for work that blocks, such as hashing passwords."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.bots.fair_queue import FairQueue, QueueFull, Share

ResultT = TypeVar("ResultT")


class FairThreads:
    """A few threads shared fairly between callers; at most `capacity` jobs run or wait."""

    def __init__(self, threads: int, name: str, capacity: int) -> None:
        self._queue = FairQueue(threads, capacity)
        self._executor = ThreadPoolExecutor(threads, name)
        self._is_closed = False

    @property
    def job_count(self) -> int:
        """Number of jobs that run or wait."""
        return self._queue.active

    async def run(self, share: Share, work: Callable[[], ResultT]) -> ResultT:
        """Return the result of `work`. Raises QueueFull, also when another caller's job displaces this one."""
        async with self._queue.slot(share):
            if self._is_closed:
                raise QueueFull
            job = asyncio.get_running_loop().run_in_executor(self._executor, work)
            try:
                return await asyncio.shield(job)
            finally:
                if not job.done():  # the caller was cancelled, but the thread is busy until the job ends
                    await asyncio.wait([job])

    def close(self) -> None:
        """Refuse all waiting jobs; running ones finish."""
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
