"""Frees the seats of deleted people at tables whose games have not begun."""

from __future__ import annotations

import logging
from collections.abc import Collection

from app.play.commands.request import Decision
from app.play.lobby import MAX_COUNTED_GAMES
from app.play.queues import describe_error
from app.play.room.submit import add_server_entry
from app.play.server import GameServer

_log = logging.getLogger("cartagena.rooms")


async def stand_up_everywhere(game_server: GameServer, ids: Collection[str]) -> None:
    """Free the seats of these people at open tables. Raises StoreUnavailable.

    A table that fails is logged and left out: its seat stays taken, without a name.
    """
    games = await game_server.store.lists.list_games_of(sorted(ids), unfinished=True, limit=MAX_COUNTED_GAMES)
    for game in games:
        if game.status != "open":
            continue
        try:
            await _stand_up(game_server, game.id, ids)
        except Exception as problem:  # noqa: BLE001  # one bad table must not keep the other seats taken
            _log.warning(
                "seats of deleted people at game %s stay taken: %s", game.id, describe_error(problem)
            )


async def _stand_up(game_server: GameServer, game: str, ids: Collection[str]) -> None:
    room = await game_server.rooms.get(game)
    if room is None:
        return
    for seat in [number for number, seat in enumerate(room.table.seats) if seat.person in ids]:
        if room.table.status == "open" and room.table.seats[seat].person in ids:
            left = Decision("left", seat, {"why": "stood"})
            await add_server_entry(room, left, game_server.clock.now(), room.table)
