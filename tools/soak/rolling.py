"""A rolling update under play: workers of release 0.1.0 and of this tree on one PostgreSQL log and one Redis.

releases/0.1.0.tar.xz holds what a server without pages needs: `git archive` of app/ and migrations/ at a33f698,
without locales and research. A shallow clone and a source archive have no history to take it from. It runs on the
packages of this tree; aiosqlite, which 0.1.0 needs for SQLite, is not among them.
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
from tools.soak.client import SoakClient, new_client
from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Book, Tally, reading
from tools.soak.table_group import SoakTable, TableGroup, finish

ARCHIVE = Path(__file__).with_name("releases") / "0.1.0.tar.xz"
UNKNOWN_RULES = 4006


@dataclass
class RollingRun:
    """What was updated during play, and the ledger's result."""

    seed: int
    updates: Counter[str] = field(default_factory=Counter)
    """workers replaced, by new release and how the previous one stopped"""
    began: Counter[str] = field(default_factory=Counter)
    """games, by the release that opened their table"""
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
    """Unpack release 0.1.0 and return the folder, for a fork server to run."""
    root = folder / "0.1.0"
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
    """Replace old workers by new ones one by one, with clients spread over all of them.

    `restarts`: how often some worker but the last is replaced again, gracefully or killed, beside an old one.
    `longest`: number of entries after which all but one player resign.
    """
    run = RollingRun(seed)
    rng = Random(seed)
    until = time.monotonic() + 60 * minutes
    url = postgres.url(postgres.create_database())
    with ForkServer(await asyncio.to_thread(unpack, folder)) as before, RedisServer() as redis:
        # As docs/deploy.md says: no worker opens tables of a version that old workers do not know.
        servers = [
            Server(before, url, folder / f"worker{n}", redis=redis.url, new_tables=2) for n in range(workers)
        ]
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
                        # One worker stays old. A stopped old worker cannot come back: it does not open a
                        # database that a new one has migrated.
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
    """Old and new workers share a log file. Release 0.1.0 writes a traceback when it refuses a table over HTTP."""
    known = server.said().count("app.play.engines.UnknownRules: rules version 3")
    return server.tracebacks() if server.said().count("Traceback") > known else []


class _Update:
    """The workers, their clients, and what has been done so far."""

    group: TableGroup

    def __init__(self, run: RollingRun, servers: list[Server], now: ForkServer) -> None:
        self.run = run
        self.servers = servers
        self.now = now
        self._is_migrated = False  # the store of this tree reads columns that the first new worker adds

    async def open_tables(self, who: str, tables: int) -> None:
        """Open tables of two or three players, and one with a bot, whose moves any worker may make."""
        await self.group.launch(tables)
        await self.group.launch(1, bots=["cabin-boy"], pace=0)
        self.run.began[who] += tables + 1
        await self._look()

    async def replace(self, server: Server, how: int = signal.SIGTERM) -> None:
        """Stop one worker and start a new one at its address while play continues."""
        await server.stop(how)
        server.fork_server = self.now
        await server.start()
        self._is_migrated = True
        self.run.updates[f"new after {signal.Signals(how).name}"] += 1
        await self._look()

    async def go_through(self, tables: int) -> None:
        """Replace worker by worker, opening tables on new workers, and a game that old workers do not know."""
        first, *others = self.servers
        await self.replace(first)
        await self.open_tables("new", tables)
        deal = await self._begin_deal(first.base, self.servers[-1].base)
        (player,) = deal.players
        await player.until(lambda client: UNKNOWN_RULES in client.closed_with)
        if player.greeted or player.table:
            self.run.tally.wrong.append("an old worker let a player into a game it does not know")
        await self._look()
        for server in others:
            await self.replace(server)
        await player.until(lambda client: client.greeted)
        self.group.tables.append(deal)
        await self._look()

    async def _begin_deal(self, new: str, old: str) -> SoakTable:
        """Start today's deal at a new worker, as a player whose socket is with an old one.

        Its `rules_version` is 3, which 0.1.0 does not know.
        """
        group = self.group
        player = await new_client(old, group.rng, group.http)
        headers = {"Cookie": player.cookie, "Origin": new}
        answer = await group.http.post(f"{new}/api/v1/deal", headers=headers)
        assert answer.status_code == 201, answer.text
        book = Book(group.store, answer.json()["id"], may_be_older=True)
        player.join(book.game)
        self.run.began["new, deal"] += 1
        return SoakTable(book, [player], [], "", {"bots": ["opponent"]})

    async def _look(self) -> None:
        """Play some moves at every table, then compare everything since the beginning with the log."""
        await self.group.go_on()
        await self.group.moves(3)
        await self.group.rest()
        if self._is_migrated:
            await self.group.check(views=True, fresh=True)
        for client in self.group.everybody:
            self.run.closes.update(client.closed_with)
            client.closed_with.clear()

    async def play_to_the_end(self, longest: int) -> None:
        """Check that every game ends for every player, and that its record can be verified."""
        await self.group.go_on()
        for seated in self.group.tables:
            await seated.players[0].until(lambda client: client.is_over or client.seq > longest, 600)
            await finish(seated)
            self.run.ended += all(client.is_over for client in seated.clients)
        await self.group.check(views=False)
        for seated in self.group.tables:
            if (
                seated.book.table is not None and seated.book.table.deal is None
            ):  # a deal is secret until its day ends
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
        rules.verify(record)
    except rules.RuleError as wrong:
        return [f"{client.game}: its record does not hold ({wrong})"]
    return []
