"""Reviews of finished games: each is made once, one at a time, and cached. They contain no names, which may change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from cachetools import LRUCache

from app.bots.fair_queue import FairQueue, QueueFull, ShareOf
from app.web.errors import TooMany

Json = dict[str, Any]
MakeReview = Callable[[Json], Awaitable[Json | None]]
"""Makes a review from a record; returns None if it cannot be made now."""

_MAX_CACHED_REVIEWS = 200
_RETRY_SECONDS = 30
_MAX_WAITING = 8  # a review can take many seconds, so a longer queue would be useless


class Reviews:
    """The reviews of one app. One at a time, so that they never occupy more than one bot process."""

    def __init__(self, make: MakeReview, share_of: ShareOf = lambda person: (person,)) -> None:
        self._make = make
        self._share_of = share_of
        self._cache: LRUCache[str, Json] = LRUCache(_MAX_CACHED_REVIEWS)
        self._tasks: dict[str, asyncio.Task[Json]] = {}
        self._queue = FairQueue(1, _MAX_WAITING)

    async def find(self, game: str) -> Json | None:
        """Return the review if it is cached or in progress. Raise TooMany if that fails."""
        if game in self._cache:
            return self._cache[game]
        making = self._tasks.get(game)
        # Shielded: a cancelled caller must not cancel it for others.
        return await asyncio.shield(making) if making is not None else None

    async def find_or_make(self, game: str, record: Json, person: str = "") -> Json:
        """Return the review, and make it if needed. Raise TooMany.

        `person` is the requesting person or their address, for fair queueing.
        """
        found = await self.find(game)
        if found is not None:
            return found
        task = self._tasks[game] = asyncio.create_task(self._review(game, record, person))
        task.add_done_callback(lambda done: self._on_done(game, done))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Cancel all reviews in progress."""
        making = list(self._tasks.values())
        for task in making:
            task.cancel()
        await asyncio.gather(*making, return_exceptions=True)

    async def _review(self, game: str, record: Json, person: str) -> Json:
        try:
            async with self._queue.slot(self._share_of(person)):
                found = await self._make(record)
        except QueueFull:
            found = None
        if found is None:
            # Not 503, which proxies take as a sign of a broken worker.
            raise TooMany(_RETRY_SECONDS, "Other reviews are being made. Ask again in a minute.")
        review = {**found, "result": record["result"]}
        self._cache[game] = review
        return review

    def _on_done(self, game: str, done: asyncio.Task[Json]) -> None:
        del self._tasks[game]
        if not done.cancelled():
            done.exception()  # mark it as retrieved: all callers may have been cancelled
