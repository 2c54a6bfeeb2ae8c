"""Quick play: a table where somebody waits for somebody like you, found by a query and by who is there."""

from __future__ import annotations

import asyncio

from app.play.lobby import row_of_game
from app.play.log.entries import GameRow
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.server import GameServer

PAGE = 100
PAGES = 20  # two thousand tables of one kind that nobody waits at: a new one is quicker
ASKED = 8  # tables not loaded here whose people may be with another worker
ANSWER_SECONDS = 0.4


async def fitting_table(game_server: GameServer, actor: Actor, preset: str, seats: int) -> GameRow | None:
    """An open table of this kind at which this person can sit down and is not alone; the newest."""
    elsewhere: list[GameRow] = []
    for page in range(PAGES):
        try:
            games = await game_server.store.open_tables(preset, seats, PAGE, page * PAGE)
        except StoreUnavailable:
            raise Refusal("try_again") from None
        for game in filter(_is_plain, games):
            if game.creator in actor.ids:
                return game
            room = game_server.rooms.loaded(game.id)
            if room is None:
                elsewhere.append(game)  # nobody is there, unless with another worker
            elif await _is_good(game_server, room, actor):
                return game
        if len(games) < PAGE:
            break
    return None if game_server.bus.is_alone else await _elsewhere(game_server, actor, elsewhere[:ASKED])


def _is_plain(game: GameRow) -> bool:
    """No surprise for whoever only said which kind and how many."""
    row = row_of_game(game)
    return not row["locked"] and row["clock"] in ("none", "turn") and not row["variant"]


async def _is_good(game_server: GameServer, room: Room, actor: Actor) -> bool:
    # A table whose people have all gone would be a place to wait alone.
    is_waited_at = bool(room.presence.present_seats(room.table, game_server.clock.now()))
    return (
        is_waited_at and room.table.round is None and not await game_server.is_blocked_either_way(room, actor)
    )


async def _elsewhere(game_server: GameServer, actor: Actor, games: list[GameRow]) -> GameRow | None:
    """Ask the other workers who is at these tables."""
    rooms = [room for room in [await game_server.rooms.get(game.id) for game in games] if room is not None]
    if not rooms:
        return None
    loop = asyncio.get_running_loop()
    until = loop.time() + ANSWER_SECONDS
    while loop.time() < until:
        for room in rooms:
            game_server.context.publish("who", room.id, None)  # again: a subscription takes a moment
        await asyncio.sleep(ANSWER_SECONDS / 4)
        for room in rooms:
            if await _is_good(game_server, room, actor):
                return room.row
    return None
