"""Keepalive: one timer for all sockets, instead of a timer each.

A timer of its own weighs half a kilobyte a socket, which is as much as all else that an idle one needs here.
Sockets are spread over slots, so that ten thousand of them are not all visited in the same instant.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

SLOTS = 40  # in an interval


class Pinged(Protocol):
    """Something that is pinged once an interval."""

    def ping(self) -> None: ...


class KeepaliveTimer:
    """Pings all sockets of one server. `interval` is in seconds."""

    __slots__ = ("_interval", "_loop", "_now", "_slots", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop, interval: float) -> None:
        self._loop = loop
        self._interval = interval
        self._slots: list[set[Pinged]] = [set() for _ in range(SLOTS)]
        self._now = 0
        self._timer: asyncio.TimerHandle | None = None

    def join(self, socket: Pinged) -> set[Pinged]:
        """Its slot: pinged in an interval and every interval from then on, until it is taken out of the slot."""
        slot = self._slots[self._now]  # the one that has just been
        slot.add(socket)
        if self._timer is None:
            self._schedule()
        return slot

    def _schedule(self) -> None:
        self._timer = self._loop.call_later(self._interval / SLOTS, self._next_slot)

    def _next_slot(self) -> None:
        self._timer = None
        if not any(self._slots):
            return  # no socket is open: the next one that joins starts the timer again
        self._schedule()
        self._now = (self._now + 1) % SLOTS
        for socket in list(self._slots[self._now]):
            socket.ping()
