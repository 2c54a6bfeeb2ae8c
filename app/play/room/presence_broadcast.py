"""Telling who is here: every change reaches everybody in the room soon, many at once in one message."""

from __future__ import annotations

import asyncio

from app.play.context import Context
from app.play.log.entries import Entry
from app.play.log.table import Table
from app.play.room.occupancy import Occupancy

__all__ = ["SOON", "PresenceBroadcast"]

SOON = 0.1  # seconds; a hundred people who come back at once are one message, not a hundred to each


class PresenceBroadcast:
    """Of one server. Rooms in which something may have changed wait together for the next round."""

    def __init__(self, context: Context, delay: float) -> None:
        self._context = context
        self._delay = delay
        self._waiting: dict[Occupancy, bool] = {}  # room → whether the other workers are to be told as well
        self._timer: asyncio.TimerHandle | None = None

    def changed(self, room: Occupancy, *, here: bool = False) -> None:
        """Something that presence shows may have changed; `here`: a socket of this worker came or went."""
        self._waiting[room] = here or self._waiting.get(room, False)
        if self._delay <= 0:
            self.tell()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._delay, self.tell)

    def moved(self, room: Occupancy, before: Table, entry: Entry) -> None:
        """The room has moved on. Most actions change nobody's presence, so they are asked the short question."""
        table = room.table
        if entry.kind == "action" and (
            before.to_act == table.to_act or room.presence.away(table, entry.at) == room.shown_away
        ):
            return
        self.changed(room)

    def tell(self) -> None:
        """Everything that waits, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        context, waiting, self._waiting = self._context, self._waiting, {}
        now = context.clock.now()
        for room, is_here in waiting.items():
            if len(room.subscribers):
                message = room.presence.shown(room.table, now)
                if message != room.shown_presence:
                    room.shown_presence = message
                    room.shown_away = message.away
                    room.subscribers.tell_all(message)
            if is_here:
                context.publish("presence", room.id, room.presence.as_news())
