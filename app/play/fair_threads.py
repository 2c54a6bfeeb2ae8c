"""Threads behind a fair queue (app/bots/fair_queue.py), for work that blocks, such as hashing passwords."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.bots.fair_queue import FairQueue, QueueFull, Share

Found = TypeVar("Found")


class FairThreads:
    """A few threads that callers share fairly; at most `capacity` jobs run or wait."""

    def __init__(self, threads: int, name: str, capacity: int) -> None:
        self._queue = FairQueue(threads, capacity)
        self._executor = ThreadPoolExecutor(threads, name)
        self._is_closed = False

    @property
    def job_count(self) -> int:
        """Jobs that run or wait."""
        return self._queue.active

    async def run(self, share: Share, work: Callable[[], Found]) -> Found:
        """Return what `work` returns. Raises QueueFull, also when this job gives way to another caller's."""
        async with self._queue.slot(share):
            if self._is_closed:
                raise QueueFull
            job = asyncio.get_running_loop().run_in_executor(self._executor, work)
            try:
                return await asyncio.shield(job)
            finally:
                if not job.done():  # the caller was cancelled: the thread is not free before the job ends
                    await asyncio.wait([job])

    def close(self) -> None:
        """Refuse all jobs that wait; running ones end by themselves."""
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
