"""The game server of one app: connects rooms to their store, bus, clock and bots."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import HTTPConnection

from app.bots.fair_queue import ShareOf
from app.bus.local import LocalBus
from app.bus.redis_bus import RedisBus
from app.play.ports import (
    Actor,
    BotPlayer,
    Bus,
    Clock,
    FetchBlocked,
    FetchNames,
    GameStore,
    HasBlocked,
    MetricsPort,
)
from app.play.server import GameServer, SystemClock
from app.settings import Settings
from app.store.people.players import Player

BOT_INTERVAL_MS = 200.0  # granularity of visible thinking times: finer ones could reveal hidden cards


def make_bus(redis: str) -> Bus:
    """Return the bus for a Redis URL; a local bus if it is empty."""
    if not redis:
        return LocalBus()
    return RedisBus(redis)


@asynccontextmanager
async def open_game_server(
    settings: Settings,
    store: GameStore,
    metrics: MetricsPort,
    *,
    names: FetchNames,
    bot: BotPlayer,
    blocks: HasBlocked | None = None,
    blocked: FetchBlocked | None = None,
    clock: Clock | None = None,
    share_of: ShareOf = lambda person: (person,),
    background: bool = True,
) -> AsyncIterator[GameServer]:
    """Run rooms, lobby and sweeper on this store while the block runs."""
    game_server = GameServer(
        store,
        make_bus(settings.redis),
        clock or SystemClock(),
        bot,
        metrics,
        has_blocked=blocks,
        fetch_blocked=blocked,
        fetch_names=names,
        idle_seconds=settings.idle_seconds,
        bot_interval_ms=BOT_INTERVAL_MS,
        new_table_version=settings.new_tables,
        secret=settings.secret,
        share_of=share_of,
    )
    await game_server.open(background=background)
    try:
        yield game_server
    finally:
        await game_server.close()


def game_server_of(connection: HTTPConnection) -> GameServer:
    """Return the game server of the app that this connection belongs to."""
    game_server: GameServer = connection.app.state.game_server
    return game_server


def actor_of(person: Player | None) -> Actor:
    """Return a person as rooms know them; None becomes an anonymous spectator."""
    return (
        Actor((), "") if person is None else Actor(person.ids, person.name, person.is_bot, person.is_account)
    )
