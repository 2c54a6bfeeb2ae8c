"""Keep-alive checks: one timer for all sockets of a server.

A timer per socket would take half a kilobyte each, as much memory as the rest of an idle socket. Sockets are spread
over slots, so that ten thousand of them are not all visited in the same loop iteration.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

SLOTS_PER_INTERVAL = 40


class KeepaliveTarget(Protocol):
    """An object that is visited once per interval."""

    def visit(self) -> None: ...


class KeepaliveTimer:
    """Visits all sockets of one server, each every `interval` seconds."""

    __slots__ = ("_current", "_interval", "_loop", "_slots", "_timer")

    def __init__(self, loop: asyncio.AbstractEventLoop, interval: float) -> None:
        self._loop = loop
        self._interval = interval
        self._slots: list[set[KeepaliveTarget]] = [set() for _ in range(SLOTS_PER_INTERVAL)]
        self._current = 0
        self._timer: asyncio.TimerHandle | None = None

    def join(self, socket: KeepaliveTarget) -> set[KeepaliveTarget]:
        """Add a socket and return its slot; the visits end when the socket is removed from the slot."""
        slot = self._slots[self._current]  # visited last, so its next visit is an interval away
        slot.add(socket)
        if self._timer is None:
            self._schedule()
        return slot

    def _schedule(self) -> None:
        self._timer = self._loop.call_later(self._interval / SLOTS_PER_INTERVAL, self._visit_next_slot)

    def _visit_next_slot(self) -> None:
        self._timer = None
        if not any(self._slots):
            return  # no socket is open: the next one that joins starts the timer again
        self._schedule()
        self._current = (self._current + 1) % SLOTS_PER_INTERVAL
        for socket in list(self._slots[self._current]):
            socket.visit()
