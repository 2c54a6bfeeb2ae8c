"""Work that would hold up the loop, in a thread of its own: one thing at a time, and a short queue.

Not asyncio's own pool: that is where passwords are checked and names are looked up, and nobody's log-in should
wait for somebody's replay. What it costs the asker is counted by `Limits.take_work`, before it is begun.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.web.errors import TooMany

MOST_WAITING = 24  # things that may wait; the last of more would wait for seconds

T = TypeVar("T")


class Offload:
    """Of one app; closed with it."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="offload")
        self._waiting = 0

    async def run(self, work: Callable[..., T], *given: object) -> T:
        """What it gives, or raises; raises TooMany when too much waits."""
        if self._waiting >= MOST_WAITING:
            raise TooMany(5.0)
        self._waiting += 1
        begun = asyncio.get_running_loop().run_in_executor(self._thread, work, *given)
        begun.add_done_callback(self._ended)
        # Whoever goes away leaves the thread at work, and that still counts.
        return await asyncio.shield(begun)

    def _ended(self, begun: asyncio.Future[T]) -> None:
        self._waiting -= 1
        if not begun.cancelled():
            begun.exception()  # whoever asked has it; when they have gone nobody needs it

    async def close(self) -> None:
        """What waits is not begun any more; what is under way ends."""
        await asyncio.to_thread(self._thread.shutdown, wait=True, cancel_futures=True)
