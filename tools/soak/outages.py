"""Database outages during play (refused, hanging, slow, read-only, full): nothing is acknowledged but not stored."""

from __future__ import annotations

import asyncio
import resource
import signal
import sqlite3
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url

from tools.services import Postgres, ServiceError
from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Tally, reading
from tools.soak.proxy import Proxy, proxied
from tools.soak.table_group import TableGroup

Step = Callable[[], Awaitable[None]]
SQLITE_KINDS = ("hanging", "slow", "full")
POSTGRESQL_KINDS = ("crashed", "refused", "hanging", "slow", "read-only", "full")

# A really full disk would need control over the machine, so every write fails with the same error instead.
_WRITTEN = ("log", "games", "chat", "due", "beats", "outages", "seats")
_FULL = """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$"""


@dataclass
class Fault:
    """How one kind of outage begins and ends."""

    name: str
    begin: Step
    end: Step
    is_slow: bool = False  # play continues, only slower
    is_unreadable: bool = False  # the ledger cannot read meanwhile either


@dataclass
class OutageRun:
    """What happened in each outage."""

    seed: int
    outages: list[str] = field(default_factory=list)
    told: int = 0
    """commands answered with try_again, or not answered while it lasted"""
    promised: int = 0
    """commands acknowledged during it that were not in the log then; must be 0"""
    recoveries: list[float] = field(default_factory=list)
    by_clock: int = 0
    tally: Tally = field(default_factory=Tally)

    def __str__(self) -> str:
        worst = max(self.recoveries, default=0.0)
        return (
            f"{len(self.outages)} outages ({', '.join(self.outages)}); {self.told} commands held back, "
            f"{self.promised} acknowledged without a commit, {self.by_clock} moves lost to the clock, play went on "
            f"after {worst:.1f} s at most; {self.tally} (seed {self.seed})"
        )


async def sqlite_faults(file: Path, server: Server) -> list[Fault]:
    """Another process holds the write lock (hanging, slow), or no file may grow (full)."""
    held: list[Any] = []

    async def lock() -> None:
        link = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
        taking = asyncio.ensure_future(asyncio.to_thread(link.execute, "BEGIN IMMEDIATE"))
        try:
            await asyncio.shield(taking)
        except asyncio.CancelledError:
            await taking  # a thread cannot be cancelled: it would take the lock and never release it
            link.close()
            raise
        held.append(link)

    async def unlock() -> None:
        held.pop().close()

    async def pulse() -> None:
        async def beat() -> None:
            while True:
                await lock()
                try:
                    await asyncio.sleep(0.3)
                finally:
                    await unlock()
                await asyncio.sleep(0.1)

        held.append(asyncio.create_task(beat()))

    async def calm() -> None:
        task = next(each for each in held if isinstance(each, asyncio.Task))
        held.remove(task)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def fill() -> None:
        _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, most))

    async def empty() -> None:
        _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (most, most))

    return [
        Fault("hanging", lock, unlock),
        Fault("slow", pulse, calm, is_slow=True),
        Fault("full", fill, empty),
    ]


async def postgres_faults(postgres: Postgres, database: str, proxy: Proxy) -> list[Fault]:
    async def say(words: str) -> None:
        await asyncio.to_thread(postgres.sql, words)

    async def drop_all() -> None:
        await say(
            f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{database}'"
        )

    async def forbid() -> None:
        await say(f'ALTER DATABASE "{database}" SET default_transaction_read_only = on')
        await drop_all()

    async def allow() -> None:
        await say(f'ALTER DATABASE "{database}" RESET default_transaction_read_only')
        await drop_all()

    async def fill() -> None:
        await asyncio.to_thread(postgres.sql, _FULL, database)
        for table in _WRITTEN:
            await asyncio.to_thread(
                postgres.sql,
                f"CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {table} EXECUTE FUNCTION full_disk()",
                database,
            )

    async def empty() -> None:
        for table in _WRITTEN:
            await asyncio.to_thread(postgres.sql, f"DROP TRIGGER full_disk ON {table}", database)
        await asyncio.to_thread(postgres.sql, "DROP FUNCTION full_disk", database)

    async def slow() -> None:
        await proxy.slows(0.4)

    async def start_again() -> None:
        for _ in range(60):
            try:
                await asyncio.to_thread(postgres.restart)
            except ServiceError:  # processes of the killed server are still exiting
                await asyncio.sleep(0.5)
            else:
                return
        raise ServiceError("PostgreSQL did not come back after kill -9")

    async def crash() -> None:
        await asyncio.to_thread(postgres.kill)

    crashed = [Fault("crashed", crash, start_again, is_unreadable=True)] if postgres.is_durable else []
    return [
        *crashed,
        Fault("refused", proxy.refuses, proxy.passes),
        Fault("hanging", proxy.hangs, proxy.passes),
        Fault("slow", slow, proxy.passes, is_slow=True),
        Fault("read-only", forbid, allow),
        Fault("full", fill, empty),
    ]


async def take_away(
    fork_server: ForkServer,
    folder: Path,
    *,
    seconds: list[float],
    seed: int,
    tables: int = 3,
    postgres: Postgres | None = None,
    kinds: list[str] | None = None,
    **terms: Any,
) -> OutageRun:
    """Run each kind of outage for each of these lengths, on SQLite or, if given, on PostgreSQL."""
    if postgres is not None:
        database = postgres.create_database()
        async with proxied(postgres.port, seed) as proxy:
            url = make_url(postgres.url(database)).set(port=proxy.port).render_as_string(hide_password=False)
            faults = await postgres_faults(postgres, database, proxy)
            server = Server(fork_server, url, folder)
            return await _take_away(
                server, postgres.url(database), faults, seconds, seed, tables, kinds, terms
            )
    file = folder / "outage.db"
    url = f"sqlite:///{file}"
    server = Server(fork_server, url, folder)
    return await _take_away(
        server, url, await sqlite_faults(file, server), seconds, seed, tables, kinds, terms
    )


async def _take_away(
    server: Server,
    url: str,
    faults: list[Fault],
    seconds: list[float],
    seed: int,
    tables: int,
    kinds: list[str] | None,
    terms: dict[str, Any],
) -> OutageRun:
    run = OutageRun(seed)
    await server.start()
    try:
        async with reading(url) as store:
            group = TableGroup([server.base], store, seed)
            run.tally = group.tally
            try:
                await group.launch(tables, **terms)
                chosen = [fault for fault in faults if kinds is None or fault.name in kinds]
                for length in seconds:
                    for fault in chosen:
                        await _one(group, fault, length, run)
                        await group.renew()
            finally:
                await group.close()
    finally:
        server.send(signal.SIGCONT)
        await server.stop()
        server.close()
    run.tally.wrong += server.tracebacks()
    return run


async def _one(group: TableGroup, fault: Fault, seconds: float, run: OutageRun) -> None:
    await group.go_on()
    await group.moves(3)
    began = int(time.time() * 1000)
    troubled = sum(client.troubled for client in group.everybody)
    await fault.begin()
    await asyncio.sleep(seconds)
    if not fault.is_slow:
        await group.somebody_waits()
    # The log is read directly from the database: every command acknowledged by now must be in it.
    if not fault.is_unreadable:
        run.promised += len((await group.check(views=False)).wrong)
    run.told += sum(len(client.pending) + client.troubled for client in group.everybody) - troubled
    await fault.end()
    ended = time.monotonic()
    run.outages.append(f"{fault.name} {seconds:g} s")
    await group.moves(2)
    run.recoveries.append(time.monotonic() - ended)
    await group.rest()
    await group.check(views=True, fresh=True)
    for seated in group.tables:
        late = [e.seq for e in seated.book.entries if e.by == "clock" and e.at >= began]
        run.by_clock += len(late)
        if late:
            run.tally.wrong.append(
                f"{fault.name} {seconds:g} s: the clock played {late} at {seated.book.game}"
            )
