"""What an action costs as more people watch; what an idle socket holds."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from bench.scaling.meters import cpu, memory
from bench.scaling.servers import alone
from bench.scaling.table_group import TableGroup

__all__ = ["crowds", "sockets"]


async def crowds(sizes: tuple[int, ...] = (0, 25, 50, 100, 200, 400)) -> list[dict[str, float]]:
    """CPU an action with so many spectators at each of four tables."""
    found = []
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        group = TableGroup([server.port])
        await group.open_tables(4, 2)
        await group.play(20)
        watching = 0
        for size in sizes:
            for table in group.tables:
                table.sockets += await group.watch(table, size - watching)
            watching = size
            await asyncio.sleep(0.5)  # the last presence is told
            before = cpu([server.pid])
            await group.play(60)  # in all fewer than a game has
            used = 1e6 * (cpu([server.pid]) - before) / len(group.latencies)
            found.append({"spectators": size, "cpu_us": used})
        group.close()
    return found


async def sockets(counts: tuple[int, ...] = (0, 500, 1000, 2000)) -> list[dict[str, Any]]:
    """Memory with so many idle sockets, spread over ten tables."""
    found = []
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        group = TableGroup([server.port])
        await group.open_tables(10, 2)
        await group.play(10)
        held = 0
        for count in counts:
            for table in group.tables:
                table.sockets += await group.watch(table, (count - held) // len(group.tables))
            held = count
            await asyncio.sleep(1)
            found.append({"sockets": count + 20, "mb": memory(server.pid)})
        group.close()
    return found
