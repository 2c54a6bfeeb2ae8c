"""The server closes: no query is cut off, and nobody waits for those who only rest."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from app.bus.local import LocalBus
from app.play.server import GameServer, SystemClock
from tests.play.simple_bot import SimpleBot
from tests.play.stage import Counts, Stage


class SlowStore:
    """A store whose queries take a while and remember whether they came to their end."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.begun: list[str] = []
        self.ended: list[str] = []

    def __getattr__(self, name: str) -> Any:
        async def query(*args: Any, **named: Any) -> Any:
            self.begun.append(name)
            await asyncio.sleep(0.1)
            answer = await getattr(self._store, name)(*args, **named)
            self.ended.append(name)
            return answer

        return query


def server_on(stage: Stage) -> tuple[GameServer, SlowStore]:
    store = SlowStore(stage.store)
    return GameServer(store, LocalBus(), SystemClock(), SimpleBot(), Counts()), store


async def test_queries_under_way_come_to_their_end(stage: Stage) -> None:
    guests = await stage.game("ann", "bo")
    game_server, store = server_on(stage)
    await game_server.open()
    hasty = asyncio.create_task(game_server.rooms.get(guests[0].game))
    await asyncio.sleep(0.05)
    hasty.cancel()  # a request that was given up; the room is read all the same
    assert {"queue_failures", "game"} <= set(store.begun) - set(store.ended)
    await game_server.close()
    assert sorted(store.begun) == sorted(store.ended)
    assert "entries" in store.ended


async def test_whoever_rests_is_not_waited_for(stage: Stage) -> None:
    game_server, _ = server_on(stage)
    await game_server.open()
    await asyncio.sleep(0.4)
    began = time.monotonic()
    await game_server.close()
    assert time.monotonic() - began < 0.5
    assert await game_server.tasks.rest(60_000) is False
