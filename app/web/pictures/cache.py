"""Cache of preview pictures: each is drawn once, one at a time, within a bound on memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cachetools import LRUCache

from app.web.offload import Offload
from app.web.pictures.raster import Rasteriser, can_rasterise

__all__ = ["MAX_CACHE_BYTES", "PICTURE_COST_MS", "PictureCache"]

MAX_CACHE_BYTES = 16_000_000  # about eighty pictures
PICTURE_COST_MS = 250  # CPU time of one picture


class PictureCache:
    """The pictures of one app."""

    def __init__(self, offload: Offload) -> None:
        self.can_draw = can_rasterise()
        self.rasteriser = Rasteriser()
        self._offload = offload
        self._cache: LRUCache[str, bytes] = LRUCache(MAX_CACHE_BYTES, getsizeof=len)
        self._tasks: dict[str, asyncio.Task[bytes]] = {}

    async def get(self, key: str, draw: Callable[[], str], charge: Callable[[], None]) -> bytes:
        """Return the picture of this key. If it is not cached or in progress, call `charge`, then `draw` for its SVG.

        Raise what `charge` raises, NoPicture, or TooMany if too many are waiting.
        """
        found = self._cache.get(key)
        if found is not None:
            return found
        task = self._tasks.get(key)
        if task is None:
            charge()
            task = self._tasks[key] = asyncio.create_task(self._make(key, draw))
            task.add_done_callback(lambda done: self._on_done(key, done))
        return await asyncio.shield(task)  # a cancelled caller must not cancel it for others

    async def _make(self, key: str, draw: Callable[[], str]) -> bytes:
        picture = await self.rasteriser.rasterise(await self._offload.run(draw))
        if len(picture) <= self._cache.maxsize:
            self._cache[key] = picture
        return picture

    def _on_done(self, key: str, done: asyncio.Task[bytes]) -> None:
        del self._tasks[key]
        if not done.cancelled():
            done.exception()  # mark it as retrieved

    async def close(self) -> None:
        """Cancel all pictures in progress."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
