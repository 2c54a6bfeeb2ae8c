"""Keeping in step with the other workers: their news, what is read anew where some were lost, and what is compared
every second or two. The bus may lose news: numbers show it, the log has it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

from app.play.context import Context
from app.play.lobby import Lobby
from app.play.ports import News, StoreUnavailable
from app.play.room import chat
from app.play.room.presence import PRESENCE_LEASE
from app.play.room.room import Room
from app.play.room.rooms import PresenceBroadcast, Rooms

_log = logging.getLogger("cartagena.sync")
SOON = 100  # milliseconds; after an outage every worker says so, and one round serves for all
AGAIN = 1000
HEADS_EVERY = 1500  # milliseconds; the bus may lose news: this is how long that can go unnoticed
NAMES_EVERY = 10_000


class NewsReader:
    """Of one worker. `signed_out` and `counted` are for whoever keeps sessions and limits."""

    def __init__(
        self,
        context: Context,
        rooms: Rooms,
        lobby: Lobby,
        presence: PresenceBroadcast,
        renamed: Callable[[Mapping[str, str | None]], None],
    ) -> None:
        self._context = context
        self._rooms = rooms
        self._lobby = lobby
        self._presence = presence
        self._renamed = renamed
        self.resync = Resync(context, rooms, lobby)
        self.signed_out: Callable[[str, Any], None] = lambda key, how: None  # sessions ended in other workers
        self.counted: Callable[[str, Any], None] = lambda what, body: None  # limits of other workers

    def read(self, news: News) -> None:
        """One piece of news."""
        if news.worker == self._context.worker:
            return
        if news.kind == "entry":  # nearly all of them
            room = self._rooms.loaded(news.about)
            if room is not None and not room.receive(news.body, is_news=True, public=news.public):
                self._context.tasks.spawn(room.catch_up())
            return
        match news.kind:
            case "lobby":
                self._lobby.changed(news.body)
            case "signed_out":
                self.signed_out(news.about, news.body)
            case "renamed":
                self._renamed({news.about: news.body})
            case "gap":
                self.resync.soon()
            case "counted":
                self.counted(news.about, news.body)
            case _:
                room = self._rooms.loaded(news.about)
                if room is not None:
                    self._of_room(room, news)

    def _of_room(self, room: Room, news: News) -> None:
        context = self._context
        match news.kind:
            case "joined":
                # Another worker takes the room too: it may lack what was not said while nobody heard it.
                context.publish("head", room.id, room.table.seq)
            case "head":
                if room.table.seq < news.body:
                    context.tasks.spawn(room.catch_up())
            case "followed":
                # By this worker's own bus: what was said between reading and listening is in the log.
                context.tasks.spawn(room.catch_up())
            case "named":
                context.names.take(news.body)
            case "chat":
                if news.body.name:
                    context.names.take({news.body.person: news.body.name})
                if not chat.receive_line(room, news.body):
                    context.tasks.spawn(chat.read_on(room))
            case "presence":
                room.presence.heard_from(news.worker, news.body, context.clock.now())
                self._presence.changed(room)
            case "who":
                context.publish("head", room.id, room.table.seq)
                if len(room.subscribers):
                    self._presence.changed(room, here=True)
            case "looked":
                if len(room.subscribers):
                    # By a worker with nobody in the room, which may know nobody: here more may be due.
                    self._presence.changed(room, here=True)
                    context.tasks.spawn(room.reschedule())
            case "muted":
                chat.take_mutes(room, news.body[0], frozenset(news.body[1]))
            case "closed":
                room.end_all()
            case _:
                _log.warning("news of unknown kind %r", news.kind)


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
        for room in list(self._rooms):
            if len(room.subscribers):
                await chat.read_on(room)
            else:
                room.last_chat_sent = None  # asked for by whoever comes next
        self._rooms.tell_presence()
        self._lobby.changes += 1  # and perhaps many more
        for subscriber in list(self._lobby.subscribers):
            await self._lobby.tell_lists(subscriber)


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
