"""Several workers on one PostgreSQL and one Redis: Redis down or hanging, a worker frozen or killed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tools.services import Postgres, RedisServer
from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Tally, reading
from tools.soak.table_group import TableGroup

KINDS = ("redis down", "redis hangs", "worker frozen", "worker killed")


@dataclass
class WorkersRun:
    """Number of faults by kind, and the ledger's result."""

    seed: int
    faults: Counter[str] = field(default_factory=Counter)
    stale: int = 0
    """commands that a resumed worker decided on an outdated table and the log rejected"""
    tally: Tally = field(default_factory=Tally)

    def __str__(self) -> str:
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        return f"{sum(self.faults.values())} faults ({kinds}); {self.tally} (seed {self.seed})"


async def upset(
    fork_server: ForkServer,
    postgres: Postgres,
    folder: Path,
    *,
    faults: int,
    seconds: float,
    seed: int,
    workers: int = 2,
    tables: int = 2,
    kinds: tuple[str, ...] = KINDS,
    minutes: float = float("inf"),
) -> WorkersRun:
    """Spread each table's clients over the workers and inject faults one after the other, for this long at most."""
    run = WorkersRun(seed)
    until = time.monotonic() + 60 * minutes
    rng = Random(seed)
    url = postgres.url(postgres.create_database())
    with RedisServer() as redis:
        servers = [Server(fork_server, url, folder / f"worker{n}", redis=redis.url) for n in range(workers)]
        try:
            for server in servers:
                await server.start()
            async with reading(url) as store:
                group = TableGroup([server.base for server in servers], store, seed)
                run.tally = group.tally
                try:
                    await group.launch(tables)
                    for number in range(faults):
                        kind = kinds[number % len(kinds)]
                        run.faults[kind] += 1
                        await _one(kind, servers[rng.randrange(workers)], redis, group, seconds)
                        if run.tally.wrong or time.monotonic() > until:
                            break
                        await group.renew()
                finally:
                    await group.close()
        finally:
            os.kill(redis.pid, signal.SIGCONT)
            for server in servers:
                server.send(signal.SIGCONT)
                await server.stop()
                server.close()
    for server in servers:
        run.tally.wrong += server.tracebacks()
    return run


async def _one(kind: str, server: Server, redis: RedisServer, group: TableGroup, seconds: float) -> None:
    await group.go_on()
    await group.moves(4)
    match kind:
        case "redis down":
            await asyncio.to_thread(redis.pause)
            await group.moves(2)  # through the log alone
            await asyncio.sleep(seconds)
            await asyncio.to_thread(redis.start, redis.port)
        case "redis hangs":
            os.kill(redis.pid, signal.SIGSTOP)
            await group.moves(2)
            await asyncio.sleep(seconds)
            os.kill(redis.pid, signal.SIGCONT)
        case "worker frozen":
            await _freeze(server, group, seconds)
        case "worker killed":
            await server.kill()
            await asyncio.sleep(seconds / 2)
            await server.start()
    await group.moves(4)
    await group.rest()
    await group.check(views=True, fresh=True)


async def _freeze(server: Server, group: TableGroup, seconds: float) -> None:
    """Freeze a worker with SIGSTOP while it has commands; its clients continue elsewhere with the same commands.

    When it resumes, it decides the remaining commands on outdated tables. The log accepts every number and every
    command once, so the worker can only learn that it is late.
    """
    server.send(signal.SIGSTOP)
    await asyncio.sleep(seconds / 2)
    elsewhere = next(base for base in group.bases if base != server.base)
    stranded = [client for client in group.everybody if client.base == server.base]
    for client in stranded:
        client.move_to(elsewhere)
    await group.moves(4)
    server.send(signal.SIGCONT)
    await group.moves(2)
    for client in stranded:
        client.move_to(server.base)
