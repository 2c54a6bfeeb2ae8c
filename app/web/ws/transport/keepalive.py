"""Signs of life: one timer goes round all sockets, instead of a timer each.

A timer of its own weighs half a kilobyte a socket, which is as much as all else that an idle one needs here.
Sockets take turns, so that ten thousand of them are not all asked in the same instant.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

__all__ = ["Beating", "Rounds"]

TURNS = 40  # an interval has so many


class Beating(Protocol):
    """Something that is asked for a sign of life when its turn comes."""

    def beat(self) -> None: ...


class Rounds:
    """Of all sockets of one server. `interval` is in seconds."""

    __slots__ = ("_interval", "_loop", "_now", "_timer", "_turns")

    def __init__(self, loop: asyncio.AbstractEventLoop, interval: float) -> None:
        self._loop = loop
        self._interval = interval
        self._turns: list[set[Beating]] = [set() for _ in range(TURNS)]
        self._now = 0
        self._timer: asyncio.TimerHandle | None = None

    def join(self, socket: Beating) -> set[Beating]:
        """Its turn, which comes in an interval and every interval from then on, until it is taken out of it."""
        turn = self._turns[self._now]  # the one that has just been
        turn.add(socket)
        if self._timer is None:
            self._go_on()
        return turn

    def _go_on(self) -> None:
        self._timer = self._loop.call_later(self._interval / TURNS, self._next_turn)

    def _next_turn(self) -> None:
        self._timer = None
        if not any(self._turns):
            return  # nobody is there: whoever comes first begins again
        self._go_on()
        self._now = (self._now + 1) % TURNS
        for socket in list(self._turns[self._now]):
            socket.beat()
