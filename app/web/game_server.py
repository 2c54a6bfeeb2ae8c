"""The server of one app: rooms put together with their store, bus, clock and bots, for its lifespan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import HTTPConnection

from app.bots.fair_queue import ShareOf
from app.bus.local import LocalBus
from app.bus.redis_bus import RedisBus
from app.play.ports import Actor, Blocks, BotPlayer, Bus, Clock, GameStore, MetricsPort, NamesOf
from app.play.server import GameServer, SystemClock
from app.settings import Settings
from app.web.auth.identity import Person

BOT_INTERVAL = 200.0  # milliseconds: the finest that a bot's thinking can be seen where hands are hidden


def make_bus(redis: str) -> Bus:
    """The bus for a Redis address; empty: this process is alone."""
    if not redis:
        return LocalBus()
    return RedisBus(redis)


@asynccontextmanager
async def open_game_server(
    settings: Settings,
    store: GameStore,
    metrics: MetricsPort,
    *,
    names: NamesOf,
    bot: BotPlayer,
    blocks: Blocks | None = None,
    clock: Clock | None = None,
    share_of: ShareOf = lambda person: (person,),
    background: bool = True,
) -> AsyncIterator[GameServer]:
    """Rooms, lobby and sweeper on this store, alive while the block runs."""
    game_server = GameServer(
        store,
        make_bus(settings.redis),
        clock or SystemClock(),
        bot,
        metrics,
        blocks=blocks,
        names=names,
        idle_seconds=settings.idle_seconds,
        bot_interval=BOT_INTERVAL,
        new_tables=settings.new_tables,
        secret=settings.secret,
        share_of=share_of,
    )
    await game_server.open(background=background)
    try:
        yield game_server
    finally:
        await game_server.close()


def game_server_of(connection: HTTPConnection) -> GameServer:
    """The server of the app this connection belongs to."""
    game_server: GameServer = connection.app.state.game_server
    return game_server


def actor_of(person: Person | None) -> Actor:
    """A person as rooms know one; nobody in particular may only watch."""
    return Actor((), "") if person is None else Actor(person.ids, person.name, person.is_bot)
