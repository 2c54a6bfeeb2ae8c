"""Reviews of finished games: each is made once, one after the other, and kept for those who ask next."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

from app.bots.fair_queue import FairQueue, QueueFull, ShareOf
from app.web.errors import TooMany

Json = dict[str, Any]
Making = Callable[[Json], Awaitable[Json | None]]
"""Makes a review from a record; None when it cannot be made now."""

_KEPT = 200
_BACK_SECONDS = 30
_MAX_WAITING = 8  # a review may take many seconds of its process: a longer queue is no answer to anybody


class Reviews:
    """Of one app: one review at a time, so that however many ask, one process is all they hold."""

    def __init__(self, make: Making, share_of: ShareOf = lambda person: (person,)) -> None:
        self._make = make
        self._share_of = share_of
        self._kept: OrderedDict[str, Json] = OrderedDict()
        self._making: dict[str, asyncio.Task[Json]] = {}
        self._queue = FairQueue(1, _MAX_WAITING)

    async def known(self, game: str) -> Json | None:
        """The review, if it has been made or is being made; costs nothing. Raises TooMany."""
        if game in self._kept:
            self._kept.move_to_end(game)
            return self._kept[game]
        making = self._making.get(game)
        # Whoever goes away does not take the review from the others.
        return await asyncio.shield(making) if making is not None else None

    async def made(self, game: str, record: Json, person: str = "") -> Json:
        """A new review, unless somebody began it meanwhile. Raises TooMany.

        `person` is who asks for it, or their address; people who wait take equal turns.
        """
        found = await self.known(game)
        if found is not None:
            return found
        task = self._making[game] = asyncio.create_task(self._review(game, record, person))
        task.add_done_callback(lambda done: self._ended(game, done))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Nobody waits any longer."""
        making = list(self._making.values())
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
            raise _not_now()
        kept = {**found, "players": record["players"], "result": record["result"]}
        self._kept[game] = kept
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return kept

    def _ended(self, game: str, done: asyncio.Task[Json]) -> None:
        del self._making[game]
        if not done.cancelled():
            done.exception()  # whoever asked has it; when all have gone nobody needs it


def _not_now() -> TooMany:
    """Not 503, which the proxy takes for a sign that the whole server is sick."""
    return TooMany(_BACK_SECONDS, "Other reviews are being made. Ask again in a minute.")
