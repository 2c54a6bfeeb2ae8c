"""After a gap in the news between workers: heads, chat, presence and lobby lists are read and sent anew."""

from __future__ import annotations

import logging

from app.play.context import Context
from app.play.lobby import Lobby
from app.play.ports import StoreUnavailable
from app.play.room import chat
from app.play.room.rooms import Rooms

__all__ = ["Resync"]

_log = logging.getLogger("cartagena.sync")
SOON = 100  # milliseconds; after an outage every worker says so, and one round serves for all
AGAIN = 1000


class Resync:
    """Of one worker. Nothing is lost by a gap: all but presence is in the store, and that is said again."""

    def __init__(self, context: Context, rooms: Rooms, lobby: Lobby) -> None:
        self._context = context
        self._rooms = rooms
        self._lobby = lobby
        self._is_asked = False
        self._is_running = False

    def soon(self) -> None:
        """News may have been lost."""
        self._is_asked = True
        if not self._is_running:
            self._is_running = True
            self._context.tasks.spawn(self._run())

    async def _run(self) -> None:
        pause = SOON
        try:
            while self._is_asked and await self._context.tasks.rest(pause):
                self._is_asked = False
                try:
                    await self.round()
                except StoreUnavailable:
                    _log.warning("what the bus lost cannot be read yet")
                    self._is_asked = True
                    pause = AGAIN
        finally:
            self._is_running = False

    async def round(self) -> None:
        """Everything that news would have told."""
        await self._rooms.compare_heads()
        for room in [room for room in self._rooms if len(room.subscribers)]:
            await chat.read_on(room)
        self._rooms.tell_presence()
        self._lobby.changes += 1  # and perhaps many more
        for subscriber in list(self._lobby.subscribers):
            await self._lobby.tell_lists(subscriber)
