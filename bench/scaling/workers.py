"""What an action costs on SQLite, with one worker on PostgreSQL and Redis, and with two: all up at once, in turn.

A round is a short stretch of each, so that a machine whose speed changes changes it for all; who begins changes from
round to round. With two workers a table is either at one of them, as behind the balancer, or spread over both.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.scaling.meters import BusCount, cpu, metric, tree
from bench.scaling.servers import ROOMY, alone
from bench.scaling.table_group import TableGroup, percentile
from tools.cluster import Cluster, Worker
from tools.services import Postgres

__all__ = ["ACTIONS", "PACE", "PLAYERS", "SETUPS", "TABLES", "side_by_side"]

TABLES, PLAYERS, WARM, ACTIONS = 60, 4, 10, 30
PACE, PACED = 200.0, 10  # actions a second at which latency is asked, and how many a table
SETUPS = ("sqlite", "one", "affinity", "spread")


@dataclass
class Setup:
    """Workers with their people, and who else works for them."""

    workers: list[Worker]
    group: TableGroup
    cluster: Cluster | None = None
    rounds: list[dict[str, Any]] = field(default_factory=list)

    def parties(self) -> dict[str, list[int]]:
        found = {"workers": [worker.pid for worker in self.workers]}
        if self.cluster is not None:
            found |= {
                "postgres": tree(self.cluster.postgres.pid),
                "redis": tree(self.cluster.redis.pid),
            }
        return found

    def counted(self, name: str) -> float:
        return sum(metric(worker.port, name) for worker in self.workers)

    def _stored(self) -> tuple[int, int]:
        """Entries in the log and bytes of PostgreSQL's write-ahead log."""
        assert self.cluster is not None
        sql, database = self.cluster.postgres.sql, self.cluster.database
        entries = int(sql("SELECT count(*) FROM log", database))
        return entries, int(sql("SELECT (pg_current_wal_lsn() - '0/0')::bigint", database))

    async def stretch(self, actions: int) -> dict[str, Any]:
        """As fast as they are answered: CPU of everybody who took part, microseconds an action."""
        parties = self.parties()
        bus = BusCount(self.cluster.redis, self.workers) if self.cluster is not None else None
        commits, rows = self._commits()
        entries, wal = self._stored() if self.cluster is not None else (0, 0)
        before = {name: cpu(pids) for name, pids in parties.items()}
        seconds = await self.group.play(actions)
        spent = {name: cpu(pids) - before[name] for name, pids in parties.items()}
        done = len(self.group.latencies)
        commits_after, rows_after = self._commits()
        found: dict[str, Any] = {
            "actions": done,
            "per_second": done / seconds,
            "p50_ms": 1000 * percentile(self.group.latencies, 0.5),
            "p99_ms": 1000 * percentile(self.group.latencies, 0.99),
            "cpu_us": {name: 1e6 * used / done for name, used in spent.items()},
            "entries_a_commit": (rows_after - rows) / max(1.0, commits_after - commits),
            "frame_bytes": {who: self.group.bytes[who] / self.group.frames[who] for who in self.group.frames},
        }
        if self.cluster is not None and bus is not None:
            entries_after, wal_after = self._stored()
            added = max(1, entries_after - entries)
            size = int(
                self.cluster.postgres.sql("SELECT pg_total_relation_size('log')", self.cluster.database)
            )
            found |= {
                "bus": bus.an_action(done),
                "wal_bytes_an_entry": (wal_after - wal) / added,
                "log_bytes_an_entry": size / entries_after,
            }
        self.rounds.append(found)
        return found

    def _commits(self) -> tuple[float, float]:
        return self.counted("cartagena_commit_seconds_count"), self.counted(
            "cartagena_committed_entries_total"
        )

    async def paced(self) -> dict[str, float]:
        await self.group.play(PACED, PACE)
        return {
            "p50_ms": 1000 * percentile(self.group.latencies, 0.5),
            "p99_ms": 1000 * percentile(self.group.latencies, 0.99),
        }


@asynccontextmanager
async def _setups(names: tuple[str, ...], tables: int) -> AsyncIterator[dict[str, Setup]]:
    """The servers, and people at their tables."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cartagena-scale-")))
        found: dict[str, Setup] = {}
        if "sqlite" in names:
            server = stack.enter_context(alone(folder))
            found["sqlite"] = Setup([server], TableGroup([server.port]))
        postgres = None
        for name in names:
            if name == "sqlite":
                continue
            postgres = postgres or stack.enter_context(Postgres(durable=True))
            cluster = stack.enter_context(Cluster(1 if name == "one" else 2, postgres=postgres, **ROOMY))
            ports = [worker.port for worker in cluster.workers]
            group = TableGroup(ports, affinity=name == "affinity")
            found[name] = Setup(cluster.workers, group, cluster)
        try:
            for name in names:
                await found[name].group.open_tables(tables, PLAYERS)
                await found[name].group.play(WARM)
            yield found
        finally:
            for setup in found.values():
                setup.group.close()


async def side_by_side(
    rounds: int = 7,
    *,
    names: tuple[str, ...] = SETUPS,
    tables: int = TABLES,
    actions: int = ACTIONS,
    told: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Of every setup its rounds, and latency at a steady pace."""
    async with _setups(names, tables) as setups:
        for number in range(rounds):
            first = number % len(names)
            for name in (*names[first:], *names[:first]):
                await setups[name].stretch(actions)
            spent = ", ".join(f"{name} {setups[name].rounds[-1]['cpu_us']['workers']:.0f}" for name in names)
            told(f"  round {number + 1}: worker µs an action {spent}")
        return {name: {"rounds": setups[name].rounds, "paced": await setups[name].paced()} for name in names}
