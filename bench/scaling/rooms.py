"""Rooms read from the log and put away again: time and memory for 10 to 10,000 of them, in a process of its own."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from app.bus.local import LocalBus
from app.play.server import GameServer, SystemClock
from app.store.games.store import open_store
from app.web.metrics import Metrics
from bench.scaling.meters import memory
from bench.scaling.stored import game_id, stock
from tests.play.simple_bot import SimpleBot

__all__ = ["rooms"]

_LATER = 10**9


def rooms(counts: tuple[int, ...] = (10, 100, 1_000, 10_000)) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder:
        file = stock(Path(folder), max(counts))
        command = [sys.executable, "-m", "bench.scaling.rooms", str(file), *map(str, counts)]
        found: list[dict[str, Any]] = json.loads(
            subprocess.run(command, check=True, capture_output=True).stdout
        )
        return found


async def _measure(file: str, counts: list[int]) -> list[dict[str, Any]]:
    found = []
    async with open_store(f"sqlite:///{file}", lambda *_: None) as store:
        game_server = GameServer(store, LocalBus(), SystemClock(), SimpleBot(), Metrics())
        await game_server.open(background=False)
        await game_server.rooms.get(game_id(0))
        game_server.rooms.evict(_LATER * _LATER)
        gc.collect()
        empty = memory(os.getpid())
        for count in counts:
            began = perf_counter()
            for number in range(count):
                await game_server.rooms.get(game_id(number))
            loaded = perf_counter() - began
            full = memory(os.getpid())
            began = process_time()
            await game_server.rooms.compare_heads()
            compared = process_time() - began
            began = perf_counter()
            gone = game_server.rooms.evict(_LATER * _LATER)
            evicted = perf_counter() - began
            assert gone == count
            gc.collect()
            found.append(
                {
                    "rooms": count,
                    "load_ms_a_room": 1000 * loaded / count,
                    "kb_a_room": 1024 * (full - empty) / count,
                    "heads_us_a_room": 1e6 * compared / count,
                    "evict_us_a_room": 1e6 * evicted / count,
                    "mb_loaded": full,
                    "mb_after": memory(os.getpid()),
                }
            )
        await game_server.close()
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(sys.argv[1], [int(count) for count in sys.argv[2:]]))))
