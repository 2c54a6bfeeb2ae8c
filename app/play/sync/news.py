"""What a house does with the news of other workers. The bus may lose some: numbers show it, the log has it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from app.play.room import chat
from app.play.ports import News

if TYPE_CHECKING:
    from app.play.server import House
    from app.play.room.room import Room

__all__ = ["hear"]

_log = logging.getLogger("cartagena.house")


def hear(house: House, news: News) -> None:
    """One piece of news."""
    if news.worker == house.worker:
        return
    match news.kind:
        case "lobby":
            house.lobby.changed(news.body)
        case "signed_out":
            house.signed_out(news.about, news.body)
        case "renamed":
            house.renamed({news.about: news.body})
        case "gap":
            house.catching_up.soon()
        case "counted":
            house.counted(news.about, news.body)
        case _:
            room = house.rooms.loaded(news.about)
            if room is not None:
                _hear_of(house, room, news)


def _hear_of(house: House, room: Room, news: News) -> None:
    match news.kind:
        case "entry":
            if not room.heard(news.body):
                house.spawn(house.rooms.catch_up(room))
        case (
            "followed"
        ):  # by this worker's own bus: what was said between reading and listening is in the log
            house.spawn(house.rooms.catch_up(room))
        case "named":
            house.names.take(news.body)
        case "chat":
            if news.body.name:
                house.names.take({news.body.person: news.body.name})
            if not chat.hear_line(room, news.body):
                house.spawn(chat.read_on(room))
        case "presence":
            room.presence.heard(news.worker, news.body, house.clock.now())
            house.presence.changed(room)
        case "who":
            if len(room.visitors):
                house.presence.changed(room, here=True)
        case "looked":
            if len(room.visitors):
                # By a worker with nobody in the room, which may know nobody: here more may be due.
                house.presence.changed(room, here=True)
                house.spawn(house.rewake(room))
        case "muted":
            chat.take_mutes(room, news.body[0], frozenset(news.body[1]))
        case "closed":
            room.end_all()
        case _:
            _log.warning("news of unknown kind %r", news.kind)
