"""The parts of `make soak` with their lengths; each reports what it tried and what was wrong."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path

from tools.services import Postgres
from tools.soak.crowd import freeze_one
from tools.soak.fork_server import ForkServer
from tools.soak.kills import kill_under_play, long_plan
from tools.soak.ledger import Tally
from tools.soak.long import play_long, plot
from tools.soak.network import disturb
from tools.soak.outages import POSTGRESQL_KINDS, SQLITE_KINDS, take_away
from tools.soak.record import Outcome
from tools.soak.restart import restart_under_load
from tools.soak.rolling import roll
from tools.soak.workers import upset

LANES = 4  # servers killed concurrently in one part
TURN = {"kind": "turn", "seconds": 15}  # shorter than most outages, so an uncredited clock loses turns


@dataclass
class SoakSetup:
    """Folder, servers, seed and scale of a run."""

    fork_server: ForkServer
    postgres: Postgres
    folder: Path
    seed: int
    scale: float
    plot: Path | None
    minutes: float = float("inf")
    """kills and network or worker faults stop after this time, however many there were"""

    def sqlite(self, name: str) -> str:
        return f"sqlite:///{self.folder / name}.db"

    def postgresql(self) -> str:
        return self.postgres.url(self.postgres.create_database())

    def times(self, whole: int) -> int:
        return max(1, round(whole * self.scale))


@dataclass(frozen=True)
class Part:
    """A part: what it does, and how many minutes it takes on two free cores."""

    says: str
    minutes: float
    run: Callable[[SoakSetup], Coroutine[None, None, Outcome]]


async def _kill_sqlite(setup: SoakSetup) -> Outcome:
    return await _kill(setup, "kill-sqlite", setup.sqlite)


async def _kill_postgresql(setup: SoakSetup) -> Outcome:
    return await _kill(setup, "kill-postgresql", lambda _: setup.postgresql())


async def _kill(setup: SoakSetup, name: str, database: Callable[[str], str]) -> Outcome:
    """Run several servers at once, each with its own database, clients and seed: most of a kill is waiting."""
    plan = long_plan(setup.times(500))
    share = -(-len(plan) // LANES)
    lanes = [f"{name}-{lane}" for lane in range(LANES)]
    runs = await asyncio.gather(
        *(
            kill_under_play(
                setup.fork_server,
                database(lane),
                setup.folder / lane,
                plan=plan[number * share : (number + 1) * share],
                seed=setup.seed + number,
                seconds=60 * setup.minutes,
                say=True,
            )
            for number, lane in enumerate(lanes)
            if plan[number * share :]
        )
    )
    bots = await kill_under_play(
        setup.fork_server,
        database(f"{name}-bots"),
        setup.folder / f"{name}-bots",
        plan=["claiming", "random"] * setup.times(10),
        seed=setup.seed,
        seconds=60 * setup.minutes,
        bots=["cabin-boy"],
    )
    kills: Counter[str] = Counter()
    tally = Tally()
    for run in (*runs, bots):
        kills += run.kills
        tally.add(run.tally)
    points = ", ".join(f"{count} {point}" for point, count in sorted(kills.items()))
    tried = f"{kills.total()} kills: {points}; {bots.kills.total()} of them at tables with bots"
    print(f"{name}: {tried}; {tally}", flush=True)
    return Outcome(tried, tally.checked, tally.wrong)


async def _database_sqlite(setup: SoakSetup) -> Outcome:
    return await _database(setup, dict.fromkeys(SQLITE_KINDS))


async def _database_postgresql(setup: SoakSetup) -> Outcome:
    with Postgres(durable=True) as own, Postgres(durable=True) as crashing:
        return await _database(
            setup, {kind: crashing if kind == "crashed" else own for kind in POSTGRESQL_KINDS}
        )


async def _database(setup: SoakSetup, kinds: dict[str, Postgres | None]) -> Outcome:
    """Run every kind at once, each with its own server, database and clients: most of an outage is waiting."""
    lengths = [length for length in (1.0, 5.0, 20.0, 60.0) if length <= 60 * max(setup.scale, 1 / 60)]
    runs = await asyncio.gather(
        *(
            take_away(
                setup.fork_server,
                setup.folder / f"outage-{'sqlite' if postgres is None else 'postgresql'}-{kind}",
                seconds=lengths,
                seed=setup.seed,
                postgres=postgres,
                kinds=[kind],
                clock=TURN,
            )
            for kind, postgres in kinds.items()
        )
    )
    tally = Tally()
    for run in runs:
        print(run, flush=True)
        tally.add(run.tally)
    return Outcome(
        f"{sum(len(run.outages) for run in runs)} outages ({', '.join(kinds)}; each of "
        f"{', '.join(f'{length:g}' for length in lengths)} s) under clocks of {TURN['seconds']} s a turn; "
        f"{sum(run.told for run in runs)} commands held back, {sum(run.promised for run in runs)} acknowledged "
        f"without a commit, {sum(run.by_clock for run in runs)} turns lost; play went on by itself within "
        f"{max(max(run.recoveries) for run in runs):.1f} s",
        tally.checked,
        tally.wrong,
    )


async def _network(setup: SoakSetup) -> Outcome:
    run = await disturb(
        setup.fork_server,
        setup.sqlite("network"),
        setup.folder / "network",
        faults=setup.times(280),
        seed=setup.seed,
        minutes=setup.minutes,
    )
    print(run)
    kinds = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(run.faults.items()))
    return Outcome(
        f"{run.faults.total()} faults: {kinds}; {run.cut} connections cut, {run.doubled} doubled; back "
        f"{1000 * run.p50():.0f} ms (p50) and {1000 * run.p95():.0f} ms (p95) after the network",
        run.tally.checked,
        run.tally.wrong,
    )


async def _crowd(setup: SoakSetup) -> Outcome:
    run = await freeze_one(
        setup.fork_server,
        setup.sqlite("crowd"),
        setup.folder / "crowd",
        spectators=setup.times(1000),
        actions=100,
        seed=setup.seed,
    )
    print(run)
    wrong = list(run.tally.wrong)
    if run.ratio > 1.5:
        wrong.append(f"moves took {run.ratio:.2f} times as long beside a frozen spectator")
    if run.memory_after > 1.2 * run.memory_before:
        wrong.append(f"memory grew by {run.memory_after / run.memory_before:.2f}")
    if not run.drops or not run.resumed or run.reached != run.spectators:
        wrong.append(
            f"shed {run.drops}, resumed {run.resumed}, {run.reached} of {run.spectators} saw the end"
        )
    return Outcome(
        f"1 frozen among {run.spectators}, {run.actions} moves: answered in x{run.ratio:.2f} of the time before, "
        f"memory x{run.memory_after / run.memory_before:.2f}; the frozen one was shed and came back",
        run.tally.checked,
        wrong,
    )


async def _workers(setup: SoakSetup) -> Outcome:
    """Run three clusters at once: most of a fault is waiting."""
    runs = await asyncio.gather(
        *(
            upset(
                setup.fork_server,
                setup.postgres,
                setup.folder / f"workers-{lane}",
                faults=setup.times(20),
                seconds=4.0,
                seed=setup.seed + lane,
                workers=3,
                tables=3,
                minutes=setup.minutes,
            )
            for lane in range(3)
        )
    )
    faults: Counter[str] = Counter()
    tally = Tally()
    for run in runs:
        print(run, flush=True)
        faults += run.faults
        tally.add(run.tally)
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(faults.items()))
    return Outcome(f"{faults.total()} faults among 3 workers: {kinds}", tally.checked, tally.wrong)


async def _rolling(setup: SoakSetup) -> Outcome:
    """Run two clusters of three workers each; new workers start and are killed beside an old one."""
    runs = await asyncio.gather(
        *(
            roll(
                setup.fork_server,
                setup.postgres,
                setup.folder / f"rolling-{lane}",
                seed=setup.seed + lane,
                workers=3,
                tables=3,
                restarts=setup.times(20),
                longest=250,
                minutes=setup.minutes,
            )
            for lane in range(2)
        )
    )
    tally, updates, began = Tally(), 0, 0
    for run in runs:
        print(run, flush=True)
        updates += run.updates.total()
        began += run.began.total()
        tally.add(run.tally)
    verified = sum(run.verified for run in runs)
    tried = f"{updates} workers of two releases replaced under {began} games, {verified} records verified"
    return Outcome(tried, tally.checked, tally.wrong)


async def _restart(setup: SoakSetup) -> Outcome:
    run = await restart_under_load(
        setup.fork_server,
        setup.sqlite("restart"),
        setup.folder / "restart",
        restarts=setup.times(50),
        seed=setup.seed,
        fresh=True,
        minutes=setup.minutes,
    )
    print(run)
    return Outcome(
        f"{run.restarts} restarts, {run.resumes} clients told to resume, {len(run.refusals)} refused; pause, "
        f"{run.times()}",
        run.tally.checked,
        run.tally.wrong + [f"refused with {code} during a restart" for code in run.refusals],
    )


async def _long(setup: SoakSetup) -> Outcome:
    run = await play_long(
        setup.fork_server,
        setup.sqlite("long"),
        setup.folder / "long",
        seconds=2700 * setup.scale,
        tables=12,
        seed=setup.seed,
        say=print,
    )
    print(run)
    if setup.plot is not None:
        plot(run, setup.plot)
    watched = ("memory", "handles", "tasks", "rooms")
    grown = [f"{name} grew by {run.growth(name):.2f}" for name in watched if run.growth(name) > 1.15]
    flat = ", ".join(f"{name} x{run.growth(name):.2f}" for name in watched)
    return Outcome(
        f"{run.games} games, {run.entries} entries in {run.samples[-1].seconds / 60:.0f} min, {run.reloaded} rooms "
        f"loaded again; last quarter beside the second: {flat}",
        run.tally.checked,
        run.tally.wrong + grown,
    )


PARTS: dict[str, Part] = {
    "kill-sqlite": Part(
        "kill -9 during play on SQLite, at random instants and at fault points", 6, _kill_sqlite
    ),
    "kill-postgresql": Part("the same on PostgreSQL", 6, _kill_postgresql),
    "database-sqlite": Part("SQLite's file locked, slow, full", 2, _database_sqlite),
    "database-postgresql": Part(
        "PostgreSQL crashed, refused, hanging, slow, read-only, full", 3, _database_postgresql
    ),
    "network": Part("connections cut, half-open, hanging, slow and duplicated", 5, _network),
    "crowd": Part("one frozen spectator among a thousand", 2, _crowd),
    "workers": Part("Redis down or hanging, one of three workers frozen or killed", 4, _workers),
    "rolling": Part("an update: workers of the previous release beside new ones on one log", 6, _rolling),
    "restart": Part("graceful restarts under load", 3, _restart),
    "long": Part("scripted games; memory, tasks and handles stay flat", 45, _long),
}
