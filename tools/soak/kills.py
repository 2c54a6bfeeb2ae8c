"""kill -9 during play, at random instants and at fault points: all clients resume, the ledger finds nothing lost."""

from __future__ import annotations

import asyncio
import functools
import signal
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil

from tools.soak.client import SoakClient
from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Tally, reading
from tools.soak.table_group import SoakTable, TableGroup

POINTS = (
    "before_append",
    "before_commit",
    "after_commit",
    "after_ack",
    "loading",
    "evicting",
    "chatting",
)
PATIENCE = 60.0  # seconds; a fault point that is not reached by then becomes a kill at a random instant


def long_plan(kills: int) -> list[str]:
    """Return a plan with every second kill at a random instant, the others at the fault points in rotation."""
    return [POINTS[number // 2 % len(POINTS)] if number % 2 else "random" for number in range(kills)]


@dataclass
class KillRun:
    """Number of kills by fault point, and the ledger's result."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)
    restarts: list[float] = field(default_factory=list)
    resumed: int = 0
    died: int = 0
    games: int = 0

    def __str__(self) -> str:
        points = ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))
        return (
            f"{sum(self.kills.values())} kills ({points}), {self.resumed} resumes, {self.games} games; "
            f"{self.tally} (seed {self.seed})"
        )


async def kill_under_play(
    fork_server: ForkServer,
    database_url: str,
    folder: Path,
    *,
    plan: Sequence[str],
    seed: int,
    tables: int = 2,
    in_a_row: bool = False,
    seconds: float = float("inf"),
    say: bool = False,
    **terms: Any,
) -> KillRun:
    """Kill the server once for each item of the plan (a fault point, or `random`) and check everything after each.

    `in_a_row`: no pause between kills, and views are compared after the last one only. Stops at the first error
    and when the time is over.
    """
    run = KillRun(seed)
    rng = Random(seed)
    server = Server(fork_server, database_url, folder, idle_seconds=0.5)
    await server.start()
    try:
        async with reading(database_url) as store:
            group = TableGroup([server.base], store, seed)
            run.tally = group.tally
            try:
                await group.launch(tables, **terms)
                until = time.monotonic() + seconds
                for number, point in enumerate(plan):
                    if number == 0:
                        await server.kill()
                        await server.start(fault=_fault(point, rng))
                    await _die(server, group, run, rng, point)
                    following = plan[number + 1] if number + 1 < len(plan) else ""
                    await _revive(server, group, run, rng, following, in_a_row=in_a_row and bool(following))
                    if run.tally.wrong or time.monotonic() > until:
                        break
                    if not in_a_row:
                        await group.renew()
                    if say and (number + 1) % 10 == 0:
                        print(f"  {run}", flush=True)
                run.games = group.finished + len(group.tables)
                run.resumed = sum(client.resumed for client in group.everybody)
            finally:
                await group.close()
    finally:
        await server.stop()
        server.close()
    run.tally.wrong += server.tracebacks()
    return run


def _fault(point: str, rng: Random) -> str:
    """Return the fault of one life of the server; it is inactive until SIGUSR1."""
    if point in ("", "random", "loading"):
        return ""
    return f"{point}:{1 if point == 'evicting' else rng.randint(1, 6)}:later"


async def _die(server: Server, group: TableGroup, run: KillRun, rng: Random, point: str) -> None:
    """Play until the server dies at its fault point or at a random instant."""
    for client in group.everybody:
        client.chatty = 0.3 if point == "chatting" else 0.03
    thinkers = _children(server) if any(seated.bots for seated in group.tables) else []
    idle = group.tables[rng.randrange(len(group.tables))] if point == "evicting" else None
    if idle is not None:
        for client in idle.clients:  # only a loaded room can be evicted
            await client.until(lambda client: client.greeted)
        await _go_away(idle)
    if point == "loading":  # all rooms are loaded, so a restart is needed to load them again
        await server.kill()
        await server.start(fault="loading")
    elif point != "random":
        server.send(signal.SIGUSR1)
    await group.go_on()
    if point == "random":
        await asyncio.sleep(rng.uniform(0.0, 0.4))
        await server.kill()
    elif not await server.gone(PATIENCE):
        point = "random"
        await server.kill()
    server.pid = 0
    run.kills[point] += 1
    run.died = int(time.time() * 1000)
    _, alive = await asyncio.to_thread(psutil.wait_procs, thinkers, PATIENCE)
    if alive:
        group.tally.wrong.append(f"{len(alive)} processes outlived the server that started them")
    if idle is not None:
        _come_back(idle)


def _children(server: Server) -> list[psutil.Process]:
    """Return the server's bot processes; they exit when their parent is gone."""
    try:
        return psutil.Process(server.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


async def _revive(
    server: Server, group: TableGroup, run: KillRun, rng: Random, following: str, *, in_a_row: bool
) -> None:
    # Checked before the server is back: clients must not have been shown anything that is not in the log.
    await group.check(views=False)
    timed = [seated for seated in group.tables if _has_running_clock(seated)]
    began = time.monotonic()
    born = int(time.time() * 1000)
    await server.start(fault=_fault(following, rng))
    run.restarts.append(time.monotonic() - began)
    if in_a_row:
        return
    await _somebody_moves(group)
    await group.rest()
    await group.check(views=True, fresh=rng.random() < 0.1)
    for seated in timed:
        _check_credit(seated, run.died, born, group.tally)


def _has_running_clock(seated: SoakTable) -> bool:
    table = seated.book.table
    return table is not None and table.clocks is not None and bool(table.clocks.running)


async def _somebody_moves(group: TableGroup) -> None:
    """Let a player move at every running table: clocks are credited only when a room is used."""
    await group.go_on()
    for seated in group.tables:
        client = seated.players[0]
        before = len(seated.book.entries)
        await client.until(functools.partial(_has_moved, before))


def _has_moved(before: int, client: SoakClient) -> bool:
    return client.is_over or client.seq > before + 1


def _check_credit(seated: SoakTable, died: int, born: int, tally: Tally) -> None:
    """Check that the whole time without a server was credited to the clocks."""
    table = seated.book.table
    assert table is not None
    if table.is_over:
        return
    spans = [(e.body["began"], e.body["ended"]) for e in seated.book.entries if e.kind == "credited"]
    if not any(began <= died and ended >= born for began, ended in spans):
        tally.wrong.append(f"{seated.book.game}: dead from {died} to {born}, credited {spans[-3:]}")


async def _go_away(seated: SoakTable) -> None:
    for client in seated.clients:
        await client.leave()


def _come_back(seated: SoakTable) -> None:
    for client in seated.clients:
        client.come_back()
