"""What a worker does every second or two besides due work: compare heads, repeat who is present, evict rooms."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from app.play.context import Context
from app.play.ports import StoreUnavailable
from app.play.room.presence import PRESENCE_LEASE
from app.play.room.rooms import Rooms

__all__ = ["keep_in_step"]

_log = logging.getLogger("cartagena.rooms")
HEADS_EVERY = 1500  # milliseconds; the bus may lose news: this is how long that can go unnoticed
NAMES_EVERY = 10_000


async def keep_in_step(context: Context, rooms: Rooms, renamed: Callable[[Collection[str]], None]) -> None:
    """Until the server closes. `renamed` is told who is called otherwise than rooms show."""
    presence_told = names_kept = 0
    while await context.tasks.rest(HEADS_EVERY):
        now = context.clock.now()
        if not context.bus.is_alone:
            await rooms.compare_heads()
            if now - presence_told > PRESENCE_LEASE // 3:
                presence_told = now
                rooms.tell_presence()
        rooms.tell_countdowns(now)
        rooms.evict(now)
        if now - names_kept > NAMES_EVERY:
            names_kept = now
            try:
                renamed(await context.names.keep(rooms.named()))
            except StoreUnavailable:
                _log.warning("old names could not be asked again; the next round will try")
