"""Everybody comes back at once after a restart: what a person costs who has a session and a seat, and a new one."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.scaling.meters import cpu
from bench.scaling.servers import alone
from bench.scaling.table_group import TableGroup

__all__ = ["ENTRIES", "comeback"]

PLAYERS = 2
ENTRIES = 30  # actions at each table before the restart: the middle of a game
LIMIT = 60.0


async def comeback(
    people: int = 1000, rounds: int = 3, told: Callable[[str], None] = print
) -> dict[str, Any]:
    """One server on SQLite, started again for each round: no room is loaded, no session known to the process."""
    count = people // PLAYERS
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as name:
        folder = Path(name)
        settings = {"secret": secrets.token_hex(32)}
        with alone(folder, **settings) as server:
            group = TableGroup([server.port])
            before, began = cpu([server.pid]), perf_counter()
            await group.open_tables(count, PLAYERS)
            new = {
                "people": people,
                "seconds": perf_counter() - began,
                "cpu_ms": 1000 * (cpu([server.pid]) - before) / people,
            }
            told(f"  new: {new['cpu_ms']:.2f} ms of CPU a person, {new['seconds']:.1f} s")
            await group.play(ENTRIES)
            group.disconnect()
        found: dict[str, Any] = {"new": new, "entries": ENTRIES, "back": []}
        for _ in range(rounds):
            with alone(folder, **settings) as server:
                group.ports = [server.port]
                await asyncio.sleep(1)  # what a start does of itself has been done
                before, began = cpu([server.pid]), perf_counter()
                await _all_back(group)
                seconds = perf_counter() - began
                spent = cpu([server.pid]) - before
                found["back"].append({"people": people, "seconds": seconds, "cpu_ms": 1000 * spent / people})
                told(f"  back: {1000 * spent / people:.2f} ms of CPU a person, {seconds:.1f} s")
                await group.play(1)  # they hold the right state: each table goes on
                group.disconnect()
        return found


async def _all_back(group: TableGroup) -> None:
    everybody = [
        group.come_back(number, seat)
        for number, table in enumerate(group.tables)
        for seat in range(table.players)
    ]
    try:
        await asyncio.wait_for(asyncio.gather(*everybody), LIMIT)
    except TimeoutError:
        raise RuntimeError(f"not all of {len(everybody)} people were back after {LIMIT:.0f} s") from None
