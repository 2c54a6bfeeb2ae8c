"""A server clock that a test can advance by minutes at once, as if the server had been running."""

from __future__ import annotations

from sqlalchemy import update

from app.play.server import SystemClock
from app.store.tables.games import heartbeats
from tests.databases import begin
from tests.play.stage import replace_ports
from tests.sockets.running_server import RunningServer

__all__ = ["AdjustableClock"]


class AdjustableClock(SystemClock):
    """The system clock plus an offset."""

    def __init__(self, server: RunningServer) -> None:
        self._game_server = server.game_server
        self._turned = 0
        replace_ports(self._game_server, clock=self)

    def now(self) -> int:
        return super().now() + self._turned

    async def advance(self, seconds: float) -> None:
        """Advance the clock by some seconds."""
        later = round(seconds * 1000)
        # Heartbeats continued, so no outage is credited.
        async with begin(self._game_server.store.database) as run:  # type: ignore[attr-defined]
            await run.execute(update(heartbeats).values(at=self.now() + later))
        self._turned += later
        self._game_server.sweep_alarm.nudge(0)
