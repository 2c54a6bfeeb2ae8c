"""The house of one app: rooms put together with their store, bus, clock and bots, for its lifespan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import HTTPConnection

from app.bus.opening import make_bus
from app.play.simple_bot import StandIn
from app.play.server import House
from app.play.ports import Anyone, Blocks, BotPlayer, Clock, GameStore, NamesOf, Watcher
from app.play.system_clock import SystemClock
from app.settings import Settings
from app.web.identity import Person

__all__ = ["BOT_BEAT", "anyone_of", "house_of", "open_house"]

BOT_BEAT = 200.0  # milliseconds: the finest that a bot's thinking can be seen where hands are hidden


@asynccontextmanager
async def open_house(
    settings: Settings,
    store: GameStore,
    watcher: Watcher,
    *,
    names: NamesOf,
    blocks: Blocks | None = None,
    bot: BotPlayer | None = None,
    clock: Clock | None = None,
    background: bool = True,
) -> AsyncIterator[House]:
    """Rooms, lobby and sweeper on this store, alive while the block runs."""
    house = House(
        store,
        make_bus(settings.redis),
        clock or SystemClock(),
        bot or StandIn(),
        watcher,
        blocks=blocks,
        names=names,
        idle_seconds=settings.idle_seconds,
        bot_beat=BOT_BEAT,
        new_tables=settings.new_tables,
    )
    await house.open(background=background)
    try:
        yield house
    finally:
        await house.close()


def house_of(connection: HTTPConnection) -> House:
    """The house of the app this connection belongs to."""
    house: House = connection.app.state.house
    return house


def anyone_of(person: Person | None) -> Anyone:
    """A person as rooms know one; nobody in particular may only watch."""
    return Anyone((), "") if person is None else Anyone(person.ids, person.name, person.is_bot)
