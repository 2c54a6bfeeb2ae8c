"""Idle work and moves on a database with years of history against an empty one, on SQLite and PostgreSQL.

A server runs alone on one of the two databases at a time, in turn. While nobody plays, the CPU of the worker and of its
PostgreSQL sessions is background work. Then a few tables play, and the longest wait of a move is taken. Retention
comes round more often than by default, so that each window has a round of all background work.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from sqlalchemy import event

from app.store.database import Database, SqliteDatabase, open_database
from app.store.migrate import upgrade
from bench.scaling.bystanders import Bystanders
from bench.scaling.meters import cpu, tree
from bench.scaling.servers import ROOMY
from tools.cluster import Worker
from tools.history import Size, fill
from tools.services import Postgres

__all__ = ["history"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much history, how many rounds, and in seconds: a window, and between two rounds of each work."""

    size: Size
    rounds: int
    seconds: float
    sweep_seconds: float  # retention
    notify_seconds: float


# By default retention comes every 300 s and notices every 15 s: a window has all of it at least once.
FULL = Plan(Size(games=200_000, players=300_000, others=5_000), 5, 60.0, 60.0, 15.0)
SHORT = Plan(Size(games=4_000, players=8_000, others=1_000, entries=10, lines=5), 1, 6.0, 3.0, 3.0)
KINDS = ("sqlite", "postgresql")
_SETTLING_SECONDS = 4.0  # after a start, with the first round of everything
_TABLES, _ACTIONS_A_SECOND = 4, 20.0


async def history(*, short: bool = False, told: Callable[[str], None] = print) -> dict[str, Any]:
    """For each kind of database its rounds: CPU a minute and the longest wait, empty and full."""
    plan = SHORT if short else FULL
    found: dict[str, Any] = {"size": asdict(plan.size), "rounds": {}, "fill_seconds": {}}
    for kind in KINDS:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cartagena-history-")))
            postgres = stack.enter_context(Postgres(durable=True)) if kind == "postgresql" else None
            urls = {
                name: f"sqlite:///{folder / name}.db"
                if postgres is None
                else postgres.url(postgres.create_database())
                for name in ("empty", "full")
            }
            began = time.perf_counter()
            await _prepare(urls["empty"], None)
            await _prepare(urls["full"], plan.size)
            found["fill_seconds"][kind] = time.perf_counter() - began
            told(f"  {kind}: filled in {found['fill_seconds'][kind]:.0f} s")
            found["rounds"][kind] = []
            for number in range(plan.rounds):
                # The one that goes first meets a colder machine: each does in turn.
                order = ("empty", "full") if number % 2 == 0 else ("full", "empty")
                one = {name: await _measure(folder, urls[name], postgres, plan) for name in order}
                found["rounds"][kind].append(one)
                told(f"  {kind} round {number + 1}: {_line(one)}")
            told(_summary(kind, found["rounds"][kind]))
    return found


def _line(one: dict[str, Any]) -> str:
    return "; ".join(
        f"{name} {one[name]['cpu_s_a_minute']:.2f} s CPU a minute, longest wait {one[name]['most_ms']:.1f} ms"
        for name in ("empty", "full")
    )


def _summary(kind: str, rounds: list[dict[str, Any]]) -> str:
    """Full ÷ empty: least, median, most."""
    parts = []
    for name, key in (("CPU", "cpu_s_a_minute"), ("longest wait", "most_ms")):
        ratios = [each["full"][key] / each["empty"][key] for each in rounds]
        parts.append(f"{name} {min(ratios):.2f} / {median(ratios):.2f} / {max(ratios):.2f}")
    return f"  {kind}, full ÷ empty (least / median / most): {', '.join(parts)}"


async def _prepare(url: str, size: Size | None) -> None:
    database = open_database(url)
    await upgrade(database)
    await database.close()
    if size is None:
        return
    async with _filling(url) as quick:
        await fill(quick, size)


@asynccontextmanager
async def _filling(url: str) -> AsyncIterator[Database]:
    """A database whose writes need not survive a crash."""
    database = open_database(url)
    if isinstance(database, SqliteDatabase):

        @event.listens_for(database.engine, "connect")
        def set_up(connection: Any, _: object) -> None:
            for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-400000"):
                connection.execute(f"PRAGMA {pragma}")

    try:
        yield database
    finally:
        await database.close()


async def _measure(folder: Path, url: str, postgres: Postgres | None, plan: Plan) -> dict[str, float]:
    often = {"sweep_seconds": plan.sweep_seconds, "notify_seconds": plan.notify_seconds}
    with _server(folder, url, **often) as server:
        database = url.rsplit("/", 1)[1]
        await asyncio.sleep(_SETTLING_SECONDS)
        before, began = _used(server, postgres, database), time.perf_counter()
        await asyncio.sleep(plan.seconds)
        used = _used(server, postgres, database)
        spent = sum(used[pid] - before.get(pid, 0.0) for pid in used) / (time.perf_counter() - began)
        with Bystanders(server.port, _TABLES, _ACTIONS_A_SECOND) as people:
            people.window()  # sitting down is none of it
            await asyncio.sleep(plan.seconds)
            waits = people.window()
    return {
        "cpu_s_a_minute": 60 * spent,
        "most_ms": waits["most_ms"],
        "p99_ms": waits["p99_ms"],
        "actions": waits["actions"],
    }


def _used(server: Worker, postgres: Postgres | None, database: str) -> dict[int, float]:
    """Seconds of CPU by process: the worker, and its sessions of PostgreSQL."""
    pids = tree(server.pid)
    if postgres is not None:
        pids += [pid for pid in tree(postgres.pid)[1:] if database in _title(pid)]
    return {pid: cpu([pid]) for pid in pids}


def _title(pid: int) -> str:
    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.NoSuchProcess:  # a session that has just ended
        return ""


@contextmanager
def _server(folder: Path, url: str, **settings: object) -> Iterator[Worker]:
    server = Worker(1, folder, {**ROOMY, "database": url, **settings})
    server.log.unlink(missing_ok=True)
    server.start()
    try:
        yield server
    finally:
        server.stop()
