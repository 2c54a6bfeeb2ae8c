"""What a server does with the news of other workers. The bus may lose some: numbers show it, the log has it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.play.ports import News
from app.play.room import chat

if TYPE_CHECKING:
    from app.play.room.room import Room
    from app.play.server import GameServer

__all__ = ["hear"]

_log = logging.getLogger("cartagena.server")


def hear(game_server: GameServer, news: News) -> None:
    """One piece of news."""
    if news.worker == game_server.worker:
        return
    match news.kind:
        case "lobby":
            game_server.lobby.changed(news.body)
        case "signed_out":
            game_server.signed_out(news.about, news.body)
        case "renamed":
            game_server.renamed({news.about: news.body})
        case "gap":
            game_server.catching_up.soon()
        case "counted":
            game_server.counted(news.about, news.body)
        case _:
            room = game_server.rooms.loaded(news.about)
            if room is not None:
                _hear_of(game_server, room, news)


def _hear_of(game_server: GameServer, room: Room, news: News) -> None:
    match news.kind:
        case "entry":
            if not room.heard(news.body):
                game_server.spawn(game_server.rooms.catch_up(room))
        case (
            "followed"
        ):  # by this worker's own bus: what was said between reading and listening is in the log
            game_server.spawn(game_server.rooms.catch_up(room))
        case "named":
            game_server.names.take(news.body)
        case "chat":
            if news.body.name:
                game_server.names.take({news.body.person: news.body.name})
            if not chat.hear_line(room, news.body):
                game_server.spawn(chat.read_on(room))
        case "presence":
            room.presence.heard_from(news.worker, news.body, game_server.clock.now())
            game_server.presence.changed(room)
        case "who":
            if len(room.subscribers):
                game_server.presence.changed(room, here=True)
        case "looked":
            if len(room.subscribers):
                # By a worker with nobody in the room, which may know nobody: here more may be due.
                game_server.presence.changed(room, here=True)
                game_server.spawn(game_server.reschedule(room))
        case "muted":
            chat.take_mutes(room, news.body[0], frozenset(news.body[1]))
        case "closed":
            room.end_all()
        case _:
            _log.warning("news of unknown kind %r", news.kind)
