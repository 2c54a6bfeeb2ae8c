"""What a worker does with the news of the others. The bus may lose some: numbers show it, the log has it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from app.play.context import Context
from app.play.lobby import Lobby
from app.play.ports import News
from app.play.room import chat
from app.play.room.presence_broadcast import PresenceBroadcast
from app.play.room.room import Room
from app.play.room.rooms import Rooms
from app.play.sync.resync import Resync

__all__ = ["NewsReader"]

_log = logging.getLogger("cartagena.sync")


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
            case "entry":
                if not room.receive(news.body):
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
