"""After a gap in the news between workers: heads, chat, presence and lobby lists are read and told anew."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.play.room import chat
from app.play.ports import StoreUnavailable

if TYPE_CHECKING:
    from app.play.server import House

__all__ = ["CatchingUp"]

_log = logging.getLogger("cartagena.house")
SOON = 100  # milliseconds; after an outage every worker says so, and one round serves for all
AGAIN = 1000


class CatchingUp:
    """Of one house. Nothing is lost by a gap: all but presence is in the store, and that is said again."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._is_asked = False
        self._is_running = False

    def soon(self) -> None:
        """News may have been lost."""
        self._is_asked = True
        if not self._is_running:
            self._is_running = True
            self._house.spawn(self._run())

    async def _run(self) -> None:
        pause = SOON
        try:
            while self._is_asked and await self._house.rest(pause):
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
        house = self._house
        await house.rooms.compare_heads()
        for room in [room for room in house.rooms if len(room.visitors)]:
            await chat.read_on(room)
        house.rooms.tell_presence()
        house.lobby.changes += 1  # and perhaps many more
        for visitor in list(house.lobby.visitors):
            await house.lobby.tell_lists(visitor)
