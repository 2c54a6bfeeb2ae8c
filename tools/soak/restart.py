"""Graceful restarts under load: every client is told to resume, none is refused, and the pause is short.

In turn the next server is started first and waits until the former has stopped (docs/deploy.md), and the
plain way: stop, then start. In the long form it is a Python of its own, from its first import on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Tally, reading
from tools.soak.table_group import TableGroup

WAYS = ("next one first", "stop, then start")


@dataclass
class RestartRun:
    """Pauses per client, from the stop signal to its greeting by the next server."""

    seed: int
    restarts: int = 0
    pauses: dict[str, list[float]] = field(default_factory=lambda: {way: [] for way in WAYS})
    codes: dict[int, int] = field(default_factory=dict)
    byes: dict[str, int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    @property
    def resumes(self) -> int:
        return sum(len(pauses) for pauses in self.pauses.values())

    def times(self) -> str:
        """Return median, 95th percentile and maximum for both ways of restarting."""
        said = []
        for way, pauses in self.pauses.items():
            if pauses:
                p50, p95, longest = (_share(pauses, share) for share in (0.5, 0.95, 1.0))
                said.append(f"{way}: {p50:.2f} s (p50), {p95:.2f} s (p95), {longest:.2f} s (longest)")
        return "; ".join(said)

    def __str__(self) -> str:
        return (
            f"{self.restarts} restarts, {self.resumes} resumes, pauses: {self.times()}; closed with {self.codes}, "
            f"told {self.byes}, refused {self.refusals}; {self.tally} (seed {self.seed})"
        )


def _share(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def restart_under_load(
    fork_server: ForkServer,
    database_url: str,
    folder: Path,
    *,
    restarts: int,
    seed: int,
    tables: int = 6,
    fresh: bool = False,
    minutes: float = float("inf"),
) -> RestartRun:
    run = RestartRun(seed)
    until = time.monotonic() + 60 * minutes
    server = Server(fork_server, database_url, folder)
    await server.start()
    try:
        async with reading(database_url) as store:
            group = TableGroup([server.base], store, seed)
            run.tally = group.tally
            try:
                await group.launch(tables, as_pages=True)
                for number in range(restarts):
                    await _one(server, group, run, WAYS[number % 2], fresh)
                    if time.monotonic() > until:
                        break
                    await group.renew()
            finally:
                await group.close()
    finally:
        await server.stop()
        server.close()
    run.tally.wrong += server.tracebacks()
    return run


async def _one(server: Server, group: TableGroup, run: RestartRun, way: str, fresh: bool) -> None:
    await group.go_on()
    await group.moves(3)
    for client in group.everybody:
        client.closed_with.clear()
        client.byes.clear()
    known = {client: set(client.noted.refused) for client in group.everybody}
    if way == "next one first":
        await server.succeed(fresh=fresh)
    else:
        await server.stop()
        await server.launch(fresh=fresh)
        await server.until_ready()
    run.restarts += 1
    for client in group.everybody:
        await client.until(lambda client: client.greeted and client.greeted_at > server.stopped_at)
        run.pauses[way].append(client.greeted_at - server.stopped_at)
        for code in client.closed_with[:1]:
            run.codes[code] = run.codes.get(code, 0) + 1
        for word in client.byes:
            run.byes[word] = run.byes.get(word, 0) + 1
        codes = [code for command, code in client.noted.refused.items() if command not in known[client]]
        run.refusals += [
            code for code in codes if code != "stale"
        ]  # a move that came too late is not an error
    await group.moves(2)
    await group.rest()
    await group.check(views=True, fresh=True)
