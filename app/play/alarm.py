"""The time at which a loop must wake next."""

from __future__ import annotations

import asyncio

from app.play.ports import Clock


class Alarm:
    """Sleeps until a planned time, or until an earlier one becomes known."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._next = 0
        self._wake = asyncio.Event()
        self._is_stopped = False

    def plan(self, at: int) -> None:
        """Set the time; nothing is known to be due before it."""
        self._next = at
        self._wake.clear()

    def nudge(self, at: int) -> None:
        """Wake at `at` if that is earlier than planned."""
        if at < self._next:
            self._next = at
            self._wake.set()

    async def wait(self) -> None:
        """Return when the time has come, or when stopped."""
        while self.clock.now() < self._next and not self._is_stopped:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), max(0.0, (self._next - self.clock.now()) / 1000))
            except TimeoutError:
                break

    def stop(self) -> None:
        """End every wait, now and later."""
        self._is_stopped = True
        self._wake.set()
