"""Closing the server: no query is cancelled, and sleeping loops are not waited for."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from app.bus.local import LocalBus
from app.play.server import GameServer, SystemClock
from tests.play.simple_bot import SimpleBot
from tests.play.stage import RecordingMetrics, Stage


class SlowStore:
    """A store with slow queries that records which have begun and which have ended."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.begun: list[str] = []
        self.ended: list[str] = []

    def __getattr__(self, part: str) -> Any:
        return SlowPart(self, getattr(self._store, part))


class SlowPart:
    def __init__(self, whole: SlowStore, part: Any) -> None:
        self._whole = whole
        self._part = part

    def __getattr__(self, name: str) -> Any:
        async def query(*args: Any, **named: Any) -> Any:
            self._whole.begun.append(name)
            await asyncio.sleep(0.1)
            answer = await getattr(self._part, name)(*args, **named)
            self._whole.ended.append(name)
            return answer

        return query


def make_slow_server(stage: Stage) -> tuple[GameServer, SlowStore]:
    store = SlowStore(stage.store)
    return GameServer(store, LocalBus(), SystemClock(), SimpleBot(), RecordingMetrics()), store


async def test_closing_waits_for_running_queries(stage: Stage) -> None:
    guests = await stage.start_game("ann", "bo")
    game_server, store = make_slow_server(stage)
    await game_server.open()
    hasty = asyncio.create_task(game_server.rooms.get(guests[0].game))
    await asyncio.sleep(0.05)
    hasty.cancel()  # a request that was cancelled; the room is still read
    assert {"read_all", "read_game"} <= set(store.begun) - set(store.ended)
    await game_server.close()
    assert sorted(store.begun) == sorted(store.ended)
    assert "read_entries" in store.ended


async def test_closing_does_not_wait_for_sleeping_loops(stage: Stage) -> None:
    game_server, _ = make_slow_server(stage)
    await game_server.open()
    await asyncio.sleep(0.4)
    began = time.monotonic()
    await game_server.close()
    assert time.monotonic() - began < 0.5
    assert await game_server.tasks.sleep(60_000) is False
