"""An update under play: workers of the release before and of this one on one PostgreSQL log and one Redis.

The release before is the last one whose seats are not sealed (releases/before-seals.tar.xz: its app/ and
migrations/, without pages). An archive and not a commit: a shallow clone has no history, and a source archive
has none at all. It runs on the same packages.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx

from app import rules
from tools import archives
from tools.services import Postgres, RedisServer
from tools.soak.client import SoakClient
from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Tally, reading
from tools.soak.table_group import SoakTable, TableGroup, begin, finish

ARCHIVE = Path(__file__).with_name("releases") / "before-seals.tar.xz"
UNKNOWN_RULES = 4006


@dataclass
class RollingRun:
    """What was updated while people played; the log decides, so nothing may be wrong."""

    seed: int
    updates: Counter[str] = field(default_factory=Counter)
    """workers replaced, by what came and how the one before went"""
    began: Counter[str] = field(default_factory=Counter)
    """games, by who opened their table"""
    ended: int = 0
    verified: int = 0
    closes: Counter[int] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)

    def __str__(self) -> str:
        updates = ", ".join(f"{name} {count}" for name, count in sorted(self.updates.items()))
        games = ", ".join(f"{name} {count}" for name, count in sorted(self.began.items()))
        return (
            f"{sum(self.updates.values())} workers replaced ({updates}); {sum(self.began.values())} games ({games}), "
            f"{self.ended} played to their end, {self.verified} records verified; closed with "
            f"{dict(sorted(self.closes.items()))}; {self.tally} (seed {self.seed})"
        )


def unpack(folder: Path) -> Path:
    """The code of the release before, where a fork_server can run it."""
    root = folder / "before-seals"
    archives.unpack(ARCHIVE, root)
    return root


async def roll(
    fork_server: ForkServer,
    postgres: Postgres,
    folder: Path,
    *,
    seed: int,
    workers: int = 2,
    tables: int = 2,
    restarts: int = 0,
    longest: int = 80,
    minutes: float = float("inf"),
) -> RollingRun:
    """From old workers to new ones, one by one, with people spread over all of them.

    `restarts`: so often some worker but the last is replaced by a new one, in good order or killed, beside an old one.
    `longest`: entries of a game after which all but one resign.
    """
    run = RollingRun(seed)
    rng = Random(seed)
    until = time.monotonic() + 60 * minutes
    url = postgres.url(postgres.create_database())
    with ForkServer(await asyncio.to_thread(unpack, folder)) as before, RedisServer() as redis:
        servers = [Server(before, url, folder / f"worker{n}", redis=redis.url) for n in range(workers)]
        update = _Update(run, servers, fork_server)
        try:
            for server in servers:
                await server.start()
            async with reading(url) as store:
                update.group = TableGroup([server.base for server in servers], store, seed, may_be_older=True)
                run.tally = update.group.tally
                try:
                    await update.open_tables("old", tables)
                    for _ in range(restarts):
                        if run.tally.wrong or time.monotonic() > until:
                            break
                        # One stays old. An old process that has gone cannot come back: it does not open a database
                        # that a new one has migrated.
                        how = rng.choice((signal.SIGTERM, signal.SIGTERM, signal.SIGKILL))
                        await update.replace(rng.choice(servers[:-1]), how)
                    await update.go_through(tables)
                    await update.play_to_the_end(longest)
                finally:
                    await update.group.close()
        finally:
            for server in servers:
                await server.stop()
                server.close()
    for server in servers:
        run.tally.wrong += _faults(server)
    return run


def _faults(server: Server) -> list[str]:
    """Old and new workers share a log file. The old release writes a traceback where it refuses a table knowingly."""
    known = server.said().count("app.play.engines.UnknownRules: rules version 2")
    return server.tracebacks() if server.said().count("Traceback") > known else []


class _Update:
    """The workers, who plays on them, and what has been done so far."""

    group: TableGroup

    def __init__(self, run: RollingRun, servers: list[Server], now: ForkServer) -> None:
        self.run = run
        self.servers = servers
        self.now = now

    async def open_tables(self, who: str, tables: int) -> None:
        """Two people a table or three, and one table with a bot, whose moves any worker may make."""
        await self.group.launch(tables)
        await self.group.launch(1, bots=["cabin-boy"], pace=0)
        self.run.began[who] += tables + 1
        await self._look()

    async def replace(self, server: Server, how: int = signal.SIGTERM, *, new_tables: int = 1) -> None:
        """One worker goes, another comes at its address; everybody plays on."""
        await server.stop(how)
        server.fork_server = self.now
        await server.start(new_tables=new_tables)
        self.run.updates[f"new after {signal.Signals(how).name}"] += 1
        await self._look()

    async def go_through(self, tables: int) -> None:
        """Worker by worker; on the way tables are opened by new workers, of the old kind and of the new."""
        first, *others = self.servers
        await self.replace(first)
        await self.open_tables("new, unsealed", tables)
        # An operator in a hurry: sealed tables while an old worker still serves. Whoever is with that one is told
        # to come again in a while; nobody is let in half.
        await self.replace(first, new_tables=2)
        sealed = await self.group.add_table(len(self.servers), watchers=0)
        self.group.tables.remove(sealed)  # it does not play before everybody can come
        beginning = asyncio.create_task(begin(sealed, self.group.http))
        self.run.began["new, sealed"] += 1
        try:
            old = {server.base for server in others if server.fork_server is not self.now}
            strangers = [client for client in sealed.players if client.base in old]
            for client in strangers:
                await client.until(lambda client: UNKNOWN_RULES in client.closed_with)
                if client.greeted or client.table:
                    self.run.tally.wrong.append("an old worker let somebody into a table it does not know")
            await self._look()
            for server in others:
                await self.replace(server, new_tables=2)
            async with asyncio.timeout(300):
                await beginning
        finally:
            beginning.cancel()
            await asyncio.gather(beginning, return_exceptions=True)
        self.group.tables.append(sealed)
        await self._look()

    async def _look(self) -> None:
        """Some moves at every table, then everything is held against the log."""
        await self.group.go_on()
        await self.group.moves(3)
        await self.group.rest()
        await self.group.check(views=True, fresh=True)
        for client in self.group.everybody:
            self.run.closes.update(client.closed_with)
            client.closed_with.clear()

    async def play_to_the_end(self, longest: int) -> None:
        """Nobody is lost: every game ends for everybody who sat there, and its record can be verified."""
        await self.group.go_on()
        for seated in self.group.tables:
            await seated.players[0].until(lambda client: client.is_over or client.seq > longest, 600)
            await finish(seated)
            self.run.ended += all(client.is_over for client in seated.clients)
        await self.group.check(views=False)
        for seated in self.group.tables:
            problem = await _verify(seated, self.group.http)
            self.run.tally.wrong += problem
            self.run.verified += not problem


async def _verify(seated: SoakTable, http: httpx.AsyncClient) -> list[str]:
    client: SoakClient = seated.players[0]
    answer = await http.get(
        f"{client.base}/api/v1/games/{client.game}/record",
        headers={"Cookie": client.cookie, "Origin": client.base},
    )
    try:
        record = rules.record_from_json(answer.json())
        rules.verify(record, scheme=record.scheme)  # tables of the release before have scheme 1
    except rules.RuleError as wrong:
        return [f"{client.game}: its record does not hold ({wrong})"]
    return []
