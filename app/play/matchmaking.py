"""Quick play: finds an open table of the wanted kind at which another player is waiting."""

from __future__ import annotations

import asyncio

from app.play.list_rows import build_each
from app.play.lobby import build_game_row, is_for_quick_play
from app.play.log.entries import GameRow
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.server import GameServer

PAGE_SIZE = 100
MAX_PAGES = 20  # beyond two thousand tables without a waiting player, a new table is quicker
MAX_TABLES_ASKED_ELSEWHERE = 8  # tables not loaded here whose players may be connected to another worker
OTHER_WORKERS_WAIT_SECONDS = 0.4


async def find_table(
    game_server: GameServer, actor: Actor, preset: str | None, seats: int | None
) -> GameRow | None:
    """Return the newest open table of this kind at which this person can sit down and would not be alone.

    None stands for any edition, or any number of seats.
    """
    elsewhere: list[GameRow] = []
    for page in range(MAX_PAGES):
        try:
            games = await game_server.store.lists.list_open_tables(preset, seats, PAGE_SIZE, page * PAGE_SIZE)
        except StoreUnavailable:
            raise Refusal("try_again") from None
        for game in build_each(games, _pick_for_quick_play):
            if game is None:
                continue
            if game.creator in actor.ids:
                if await _may_sit_down(game_server, game.id, actor):
                    return game
                continue
            room = game_server.rooms.get_loaded(game.id)
            if room is None:
                elsewhere.append(game)  # its players can only be connected to another worker
            elif await _is_suitable(game_server, room, actor):
                return game
        if len(games) < PAGE_SIZE:
            break
    return (
        None
        if game_server.bus.is_single_worker
        else await _find_on_other_workers(game_server, actor, elsewhere[:MAX_TABLES_ASKED_ELSEWHERE])
    )


def _pick_for_quick_play(game: GameRow) -> GameRow | None:
    return game if is_for_quick_play(build_game_row(game), game.rules_version) else None


async def _may_sit_down(game_server: GameServer, game: str, actor: Actor) -> bool:
    """Return whether a table's creator may sit down there.

    A later host may have removed them, and people may have sat down with whom they do not play.
    """
    room = await _load(game_server, game)
    return (
        room is not None
        and room.table.removed_until(actor.ids) <= game_server.clock.now()
        and not await game_server.blocked_people.has_between(room.table, actor)
    )


async def _load(game_server: GameServer, game: str) -> Room | None:
    """Return the room; None if the game cannot be read, which `Rooms` logs. Raises Refusal `try_again`."""
    try:
        return await game_server.rooms.get(game)
    except Refusal:
        raise
    except Exception:  # noqa: BLE001  # one bad table must not keep players from the others
        return None


async def _is_suitable(game_server: GameServer, room: Room, actor: Actor) -> bool:
    now = game_server.clock.now()
    return (
        bool(room.presence.list_present_seats(room.table, now))
        and room.table.removed_until(actor.ids) <= now
        and room.table.seal_round is None
        and not await game_server.blocked_people.has_between(room.table, actor)
    )


async def _find_on_other_workers(
    game_server: GameServer, actor: Actor, games: list[GameRow]
) -> GameRow | None:
    """Ask the other workers who is present at these tables; return the first suitable one."""
    rooms = [room for room in [await _load(game_server, game.id) for game in games] if room is not None]
    if not rooms:
        return None
    loop = asyncio.get_running_loop()
    until = loop.time() + OTHER_WORKERS_WAIT_SECONDS
    while loop.time() < until:
        for room in rooms:
            game_server.context.publish("who", room.id, None)  # repeated: subscribing takes a moment
        await asyncio.sleep(OTHER_WORKERS_WAIT_SECONDS / 4)
        for room in rooms:
            if await _is_suitable(game_server, room, actor):
                return room.row
    return None
