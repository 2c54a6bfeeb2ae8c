"""What waits for the app behind a socket: as much of asyncio.Queue as is needed, at a tenth of its memory."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["Event", "Inbox"]

Event = dict[str, Any]


class Inbox:
    """Events in order; one reader."""

    __slots__ = ("_events", "_waiter")

    def __init__(self) -> None:
        self._events: list[Event] | None = None  # never more than a few, as a rule none
        self._waiter: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return 0 if self._events is None else len(self._events)

    def put_nowait(self, event: Event) -> None:
        if self._events is None:
            self._events = [event]
        else:
            self._events.append(event)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> Event:
        while self._events is None:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event = self._events.pop(0)
        if not self._events:
            self._events = None
        return event
