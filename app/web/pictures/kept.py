"""Pictures made so far: each drawn once however many ask, kept within a bound, and made one at a time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from app.web.offload import Offload
from app.web.pictures.raster import Rasteriser, can_rasterise

__all__ = ["MILLISECONDS", "MOST_BYTES", "Pictures"]

MOST_BYTES = 16_000_000  # some eighty pictures
MILLISECONDS = 250  # of a core that one takes, for the price


class Pictures:
    """Of one app; closed with it."""

    def __init__(self, offload: Offload) -> None:
        self.is_able = can_rasterise()
        self.rasteriser = Rasteriser()
        self._offload = offload
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._under_way: dict[str, asyncio.Task[bytes]] = {}

    async def get(self, key: str, draw: Callable[[], str], pay: Callable[[], None]) -> bytes:
        """The picture of this key. `draw` gives its SVG; `pay` is called before, by whoever is the first to ask.

        Raises what `pay` raises, NoPicture, and TooMany when too many wait.
        """
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        task = self._under_way.get(key)
        if task is None:
            pay()
            task = self._under_way[key] = asyncio.create_task(self._make(key, draw))
            task.add_done_callback(lambda done: self._ended(key, done))
        return await asyncio.shield(task)  # whoever goes away does not take it from the others

    async def _make(self, key: str, draw: Callable[[], str]) -> bytes:
        picture = await self.rasteriser.png_of(await self._offload.run(draw))
        self._kept[key] = picture
        self._bytes += len(picture)
        while self._bytes > MOST_BYTES:
            self._bytes -= len(self._kept.popitem(last=False)[1])
        return picture

    def _ended(self, key: str, done: asyncio.Task[bytes]) -> None:
        del self._under_way[key]
        if not done.cancelled():
            done.exception()  # whoever asked has it

    async def close(self) -> None:
        """What is under way is not waited for."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
