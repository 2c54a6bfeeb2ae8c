"""A server's clock that a test turns on: minutes go by at once, and the server was there all the while."""

from __future__ import annotations

from sqlalchemy import update

from app.play.server import SystemClock
from app.store.games.tables import heartbeats
from tests.play.stage import exchange
from tests.sockets.running_server import RunningServer

__all__ = ["TurnedClock"]


class TurnedClock(SystemClock):
    """The system's clock and what it was turned on by."""

    def __init__(self, server: RunningServer) -> None:
        self._game_server = server.game_server
        self._turned = 0
        exchange(self._game_server, clock=self)

    def now(self) -> int:
        return super().now() + self._turned

    async def turn(self, seconds: float) -> None:
        """So many seconds have gone by."""
        later = round(seconds * 1000)
        # Its heart has beaten all the time, so nothing is credited to anybody.
        async with self._game_server.store.writing() as run:  # type: ignore[attr-defined]
            await run.execute(update(heartbeats).values(at=self.now() + later))
        self._turned += later
        self._game_server.schedule.nudge(0)
