"""Actions a second, latency and CPU with one and two workers on PostgreSQL and Redis, and alone on SQLite."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.scaling.meters import cpu, metric, tree
from bench.scaling.servers import ROOMY, alone
from bench.scaling.table_group import TableGroup, percentile
from tools.cluster import Cluster, Worker

__all__ = ["on_cluster", "on_sqlite"]

TABLES, PLAYERS, WARM, ACTIONS = 60, 4, 5, 30
PACE, PACED = 200.0, 10  # actions a second at which latency is asked, and how many a table


async def _measured(workers: list[Worker], others: dict[str, int]) -> dict[str, Any]:
    """One run on these workers; CPU of everybody who took part, microseconds an action."""
    group = TableGroup([worker.port for worker in workers])
    await group.open_tables(TABLES, PLAYERS)
    await group.play(WARM)
    parties = {"workers": [worker.pid for worker in workers]} | {
        name: tree(pid) for name, pid in others.items()
    }
    before = {name: cpu(pids) for name, pids in parties.items()}
    commits, rows = (
        sum(metric(worker.port, name) for worker in workers)
        for name in ("cartagena_commit_seconds_count", "cartagena_committed_entries_total")
    )
    seconds = await group.play(ACTIONS)
    done = len(group.latencies)
    found: dict[str, Any] = {
        "actions": done,
        "per_second": done / seconds,
        "p50_ms": 1000 * percentile(group.latencies, 0.5),
        "p99_ms": 1000 * percentile(group.latencies, 0.99),
        "cpu_us": {name: 1e6 * (cpu(pids) - before[name]) / done for name, pids in parties.items()},
    }
    found["entries_a_commit"] = (
        sum(metric(worker.port, "cartagena_committed_entries_total") for worker in workers) - rows
    ) / max(1.0, sum(metric(worker.port, "cartagena_commit_seconds_count") for worker in workers) - commits)
    found["frame_bytes"] = {who: group.bytes[who] / group.frames[who] for who in group.frames}
    await group.play(PACED, PACE)
    found["paced_p50_ms"] = 1000 * percentile(group.latencies, 0.5)
    found["paced_p99_ms"] = 1000 * percentile(group.latencies, 0.99)
    group.close()
    return found


async def on_cluster(workers: int) -> dict[str, Any]:
    with Cluster(workers, **ROOMY) as cluster:
        lsn = cluster.postgres.sql("SELECT pg_current_wal_lsn()")
        others = {"postgres": cluster.postgres.pid, "redis": cluster.redis.pid}
        found = await _measured(cluster.workers, others)
        sql, database = cluster.postgres.sql, cluster.database
        entries = int(sql("SELECT count(*) FROM log", database))
        found["wal_bytes_an_entry"] = (
            int(sql(f"SELECT (pg_current_wal_lsn() - '{lsn}')::bigint", database)) / entries
        )
        found["log_bytes_an_entry"] = int(sql("SELECT pg_total_relation_size('log')", database)) / entries
        info = cluster.redis.command("INFO", "stats").decode()
        fields = dict(line.split(":", 1) for line in info.split("\r\n") if ":" in line)
        found["redis_bytes_an_entry"] = {
            way: int(fields[f"total_net_{way}_bytes"]) / entries for way in ("input", "output")
        }
        return found


async def on_sqlite() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        return await _measured([server], {})
