"""The time at which a background loop must run next."""

from __future__ import annotations

import asyncio

from app.play.ports import Clock


class Alarm:
    """Sleeps until a planned time, or an earlier one that is set meanwhile."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._next = 0
        self._wake = asyncio.Event()
        self._is_stopped = False

    def plan(self, at: int) -> None:
        """Set the time, replacing the previous one."""
        self._next = at
        self._wake.clear()

    def nudge(self, at: int) -> None:
        """Move the time forward to `at` if that is earlier."""
        if at < self._next:
            self._next = at
            self._wake.set()

    async def wait(self) -> None:
        """Return at the planned time, or when stopped."""
        while self.clock.now() < self._next and not self._is_stopped:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), max(0.0, (self._next - self.clock.now()) / 1000))
            except TimeoutError:
                break

    def stop(self) -> None:
        """End the present and all later waits at once."""
        self._is_stopped = True
        self._wake.set()
