"""After a gap in the news between workers: heads, chat, presence and lobby lists are read and told anew."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.play.ports import StoreUnavailable
from app.play.room import chat

if TYPE_CHECKING:
    from app.play.server import GameServer

__all__ = ["CatchingUp"]

_log = logging.getLogger("cartagena.server")
SOON = 100  # milliseconds; after an outage every worker says so, and one round serves for all
AGAIN = 1000


class CatchingUp:
    """Of one server. Nothing is lost by a gap: all but presence is in the store, and that is said again."""

    def __init__(self, game_server: GameServer) -> None:
        self._game_server = game_server
        self._is_asked = False
        self._is_running = False

    def soon(self) -> None:
        """News may have been lost."""
        self._is_asked = True
        if not self._is_running:
            self._is_running = True
            self._game_server.spawn(self._run())

    async def _run(self) -> None:
        pause = SOON
        try:
            while self._is_asked and await self._game_server.rest(pause):
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
        game_server = self._game_server
        await game_server.rooms.compare_heads()
        for room in [room for room in game_server.rooms if len(room.subscribers)]:
            await chat.read_on(room)
        game_server.rooms.tell_presence()
        game_server.lobby.changes += 1  # and perhaps many more
        for subscriber in list(game_server.lobby.subscribers):
            await game_server.lobby.tell_lists(subscriber)
