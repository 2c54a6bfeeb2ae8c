"""What an action costs as games grow longer and as more people watch; what an idle socket holds."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from bench.scaling.fleet import Fleet
from bench.scaling.meters import cpu, memory
from bench.scaling.servers import alone

__all__ = ["crowds", "lengths", "sockets"]


async def lengths(tables: int = 40, longest: int = 300, step: int = 30) -> list[dict[str, float]]:
    """CPU an action in stretches of so many entries, all tables in step."""
    found = []
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        fleet = Fleet([server.port])
        await fleet.open_tables(tables, 2)
        await fleet.play(1)
        for _ in range(longest // step):
            before, start = cpu([server.pid]), fleet.tables[0].seq
            await fleet.play(step)
            used = 1e6 * (cpu([server.pid]) - before) / len(fleet.latencies)
            found.append({"entries": (start + fleet.tables[0].seq) / 2, "cpu_us": used})
        fleet.close()
    return found


async def crowds(sizes: tuple[int, ...] = (0, 25, 50, 100, 200, 400)) -> list[dict[str, float]]:
    """CPU an action with so many spectators at each of four tables."""
    found = []
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        fleet = Fleet([server.port])
        await fleet.open_tables(4, 2)
        await fleet.play(20)
        watching = 0
        for size in sizes:
            for table in fleet.tables:
                table.sockets += await fleet.watch(table, size - watching)
            watching = size
            await asyncio.sleep(0.5)  # the last presence is told
            before = cpu([server.pid])
            await fleet.play(60)  # in all fewer than a game has
            used = 1e6 * (cpu([server.pid]) - before) / len(fleet.latencies)
            found.append({"spectators": size, "cpu_us": used})
        fleet.close()
    return found


async def sockets(counts: tuple[int, ...] = (0, 500, 1000, 2000)) -> list[dict[str, Any]]:
    """Memory with so many idle sockets, spread over ten tables."""
    found = []
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        fleet = Fleet([server.port])
        await fleet.open_tables(10, 2)
        await fleet.play(10)
        held = 0
        for count in counts:
            for table in fleet.tables:
                table.sockets += await fleet.watch(table, (count - held) // len(fleet.tables))
            held = count
            await asyncio.sleep(1)
            found.append({"sockets": count + 20, "mb": memory(server.pid)})
        fleet.close()
    return found
