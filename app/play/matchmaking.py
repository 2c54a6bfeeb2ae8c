"""Quick play: finds an open table of the wanted kind at which another player is waiting.

Unrated, the newest suitable table is chosen; rated, the one whose players are closest in rating. How far they may be
apart grows with the time for which the table has been open, so that nobody waits for ever.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial

from app.play.list_rows import build_each
from app.play.lobby import build_game_row, is_for_quick_play
from app.play.log.entries import GameRow
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.server import GameServer
from app.ratings.display import shown_number
from app.ratings.model import Value
from app.ratings.pools import Pool, pool_of

PAGE_SIZE = 100
MAX_PAGES = 20  # beyond two thousand tables without a waiting player, a new table is quicker
MAX_TABLES_ASKED_ELSEWHERE = 8  # tables not loaded here whose players may be connected to another worker
OTHER_WORKERS_WAIT_SECONDS = 0.4
# How far the numbers of two players may be apart at a rated table:
FIRST_DISTANCE = 100
DISTANCE_PER_SECOND = 5
MAX_RATED_CANDIDATES = 50  # whose players' ratings are read

ReadValues = Callable[[Sequence[str], Pool], Awaitable[Mapping[str, Value]]]
"""Returns the ratings of people in a pool, for rated quick play; rooms do not know where they are stored."""


async def find_table(
    game_server: GameServer, actor: Actor, preset: str | None, seats: int | None
) -> GameRow | None:
    """Return the newest open table of this kind at which this person can sit down and would not be alone.

    None stands for any edition, or any number of seats. Rated tables are left out.
    """
    elsewhere: list[GameRow] = []
    async for game in _list_tables(game_server, preset, seats, is_rated=False):
        if game.creator in actor.ids:
            if await _may_sit_down(game_server, game.id, actor):
                return game
            continue
        room = game_server.rooms.get_loaded(game.id)
        if room is None:
            elsewhere.append(game)  # its players can only be connected to another worker
        elif await _is_suitable(game_server, room, actor):
            return game
    return await _find_elsewhere(game_server, actor, elsewhere)


async def find_rated_table(
    game_server: GameServer, actor: Actor, preset: str | None, seats: int | None, read_values: ReadValues
) -> GameRow | None:
    """Return the rated open table of this kind whose players' ratings are closest, if any is close enough.

    The person's own open table comes last: meanwhile another one may be close enough.
    """
    own: GameRow | None = None
    tables: list[GameRow] = []
    async for game in _list_tables(game_server, preset, seats, is_rated=True):
        if game.creator in actor.ids:
            own = own or game
        elif len(tables) < MAX_RATED_CANDIDATES:
            tables.append(game)
    elsewhere: list[GameRow] = []
    for game in await _sort_by_distance(tables, actor, game_server.clock.now(), read_values):
        room = game_server.rooms.get_loaded(game.id)
        if room is None:
            elsewhere.append(game)
        elif await _is_suitable(game_server, room, actor):
            return game
    found = await _find_elsewhere(game_server, actor, elsewhere)
    if found is None and own is not None and await _may_sit_down(game_server, own.id, actor):
        return own
    return found


def max_distance(waited_ms: int) -> float:
    """Return how far ratings may be apart at a table that has been open for this long."""
    return FIRST_DISTANCE + DISTANCE_PER_SECOND * waited_ms / 1000


async def _sort_by_distance(
    tables: Sequence[GameRow], actor: Actor, now: int, read_values: ReadValues
) -> list[GameRow]:
    """Return the tables that are close enough, the closest first."""
    by_pool: dict[Pool, list[GameRow]] = {}
    for pool, game in build_each(tables, lambda game: (_pool_of_table(game), game)):
        by_pool.setdefault(pool, []).append(game)
    found: list[tuple[float, GameRow]] = []
    for pool, of_pool in by_pool.items():
        people = {game.id: _list_people(game) for game in of_pool}
        everyone = {actor.id, *(person for seated in people.values() for person in seated)}
        try:
            values = await read_values(sorted(everyone), pool)
        except StoreUnavailable:
            raise Refusal("try_again") from None
        numbers = {person: shown_number(value.mu) for person, value in values.items()}
        for game in of_pool:
            if not people[game.id]:
                continue
            mean = sum(numbers[person] for person in people[game.id]) / len(people[game.id])
            distance = abs(mean - numbers[actor.id])
            if distance <= max_distance(now - game.created_at):
                found.append((distance, game))
    return [game for _, game in sorted(found, key=lambda pair: pair[0])]


def _pool_of_table(game: GameRow) -> Pool:
    assert game.summary is not None
    options = game.summary.options
    return pool_of(options["players"], options["hands"])


def _list_people(game: GameRow) -> list[str]:
    assert game.summary is not None
    return [seat.person for seat in game.summary.seats if seat.person is not None]


async def _list_tables(
    game_server: GameServer, preset: str | None, seats: int | None, *, is_rated: bool
) -> AsyncIterator[GameRow]:
    """Yield the open tables that quick play may choose, newest first. Raises Refusal `try_again`."""
    for page in range(MAX_PAGES):
        try:
            games = await game_server.store.lists.list_open_tables(preset, seats, PAGE_SIZE, page * PAGE_SIZE)
        except StoreUnavailable:
            raise Refusal("try_again") from None
        for game in build_each(games, partial(_pick_for_quick_play, is_rated=is_rated)):
            if game is not None:
                yield game
        if len(games) < PAGE_SIZE:
            return


def _pick_for_quick_play(game: GameRow, *, is_rated: bool) -> GameRow | None:
    row = build_game_row(game)
    return game if row["rated"] is is_rated and is_for_quick_play(row, game.rules_version) else None


async def _may_sit_down(game_server: GameServer, game: str, actor: Actor) -> bool:
    """Return whether a table's creator may sit down there; a later host may have removed them."""
    room = await _load(game_server, game)
    return room is not None and room.table.removed_until(actor.ids) <= game_server.clock.now()


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
        and not await game_server.is_blocked_either_way(room, actor)
    )


async def _find_elsewhere(game_server: GameServer, actor: Actor, games: list[GameRow]) -> GameRow | None:
    """Ask the other workers who is present at the first of these tables; return the first suitable one."""
    if game_server.bus.is_single_worker:
        return None
    asked = games[:MAX_TABLES_ASKED_ELSEWHERE]
    rooms = [room for room in [await _load(game_server, game.id) for game in asked] if room is not None]
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
