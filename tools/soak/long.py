"""The long soak: thousands of scripted games, rooms loaded and evicted; memory, tasks and handles must stay flat."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random

import httpx
import orjson
import psutil

from tools.soak.client import SoakClient, new_client, plain_http
from tools.soak.fork_server import ForkServer, Server
from tools.soak.ledger import Book, Tally, check_all, reading
from tools.soak.plot import Line, draw
from tools.soak.table_group import SoakTable, play_one

SAMPLE_SECONDS = 5.0
_EVERY = 20  # one game in this many is compared with its log frame by frame


@dataclass
class Sample:
    """Gauges of the server at one moment."""

    seconds: float
    games: int
    entries: int
    memory: float
    """private memory of the server in MiB (RSS)"""
    handles: int
    threads: int
    tasks: int
    rooms: int
    sockets: int


@dataclass
class LongRun:
    """What was played, and the samples taken meanwhile."""

    seed: int
    samples: list[Sample] = field(default_factory=list)
    games: int = 0
    entries: int = 0
    reloaded: int = 0
    tables: int = 0
    tally: Tally = field(default_factory=Tally)

    def growth(self, name: str) -> float:
        """Return the mean of the last quarter divided by that of the second: 1 is flat. The first quarter is warm-up.

        A room stays loaded for a moment after its game, so rooms beyond the tables are divided by the games of that
        time: more rooms because more games were played are not a leak.
        """
        quarter = max(1, len(self.samples) // 4)
        early, late = self.samples[quarter : 2 * quarter], self.samples[-quarter:]
        return _mean(late, name, self.tables) / max(1e-9, _mean(early, name, self.tables))

    def __str__(self) -> str:
        last = self.samples[-1]
        flat = ", ".join(
            f"{name} x{self.growth(name):.3f}" for name in ("memory", "handles", "tasks", "rooms")
        )
        return (
            f"{self.games} games and {self.entries} entries in {last.seconds:.0f} s, {self.reloaded} rooms "
            f"loaded again; last quarter beside the second: {flat}; {self.tally} (seed {self.seed})"
        )


def _mean(samples: list[Sample], name: str, tables: int) -> float:
    values = [float(getattr(sample, name)) for sample in samples]
    mean = sum(values) / max(1, len(values))
    if name != "rooms" or len(samples) < 2:
        return mean
    first, last = samples[0], samples[-1]
    games_a_second = (last.games - first.games) / max(1e-9, last.seconds - first.seconds)
    return (mean - tables) / max(1e-9, games_a_second)


async def play_long(
    fork_server: ForkServer,
    database_url: str,
    folder: Path,
    *,
    seconds: float,
    tables: int,
    seed: int,
    sample_seconds: float = SAMPLE_SECONDS,
    say: Callable[[str], None] | None = None,
) -> LongRun:
    """Play games one after the other at this many tables, for this long."""
    run = LongRun(seed, tables=tables)
    rng = Random(seed)
    server = Server(fork_server, database_url, folder, idle_seconds=2.0, sweep_seconds=20.0)
    await server.start()
    try:
        async with (
            reading(database_url) as store,
            plain_http() as http,
        ):
            until = time.monotonic() + seconds
            old: list[str] = []

            async def keep_playing() -> None:
                people = [await new_client(server.base, rng, http) for _ in range(2)]
                while time.monotonic() < until:
                    seated = SoakTable(Book(store, ""), people, [], "jamaica", {"absence": 0})
                    await play_one(seated, http, longest=rng.randint(20, 90))
                    run.games += 1
                    run.entries += seated.head
                    if run.games % _EVERY == 0:
                        run.tally.add(await check_all([(seated.book, people)], views=True))
                    for client in people:
                        await client.leave()
                        _forget(client)
                    old.append(seated.book.game)
                    if len(old) > 100:
                        run.reloaded += 1
                        game = old.pop(rng.randrange(len(old) - 50))
                        await _reload(http, f"{server.base}/api/v1/games/{game}")

            watching = asyncio.create_task(_watch(server, run, http, sample_seconds, say))
            try:
                await asyncio.gather(*(keep_playing() for _ in range(tables)))
            finally:
                watching.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watching
            run.samples.append(await _look(server, run, http, time.monotonic() - (until - seconds)))
    finally:
        await server.stop()
        server.close()
    run.tally.wrong += server.tracebacks()
    return run


async def _reload(http: httpx.AsyncClient, url: str) -> None:
    """Request a room that was evicted, so that it is loaded from its log again; retry if asked to."""
    answer = await http.get(url)
    while answer.status_code == 503:
        await asyncio.sleep(0.25)
        answer = await http.get(url)
    answer.raise_for_status()


def _forget(client: SoakClient) -> None:
    """Clear what a client remembers for other runs, which would count as a leak here."""
    for kept in (client.answered_in, client.resumed_in, client.closed_with, client.byes):
        kept.clear()


async def _watch(
    server: Server,
    run: LongRun,
    http: httpx.AsyncClient,
    every: float,
    say: Callable[[str], None] | None,
) -> None:
    began = time.monotonic()
    while True:
        await asyncio.sleep(every)
        run.samples.append(await _look(server, run, http, time.monotonic() - began))
        if say is not None and len(run.samples) % 12 == 0:
            say(str(run.samples[-1]))


async def _look(server: Server, run: LongRun, http: httpx.AsyncClient, seconds: float) -> Sample:
    text = (await http.get(f"{server.base}/metrics")).text
    process = psutil.Process(server.pid)

    def gauge(name: str) -> int:
        found = re.search(rf"^cartagena_{name} ([0-9.e+]+)$", text, re.MULTILINE)
        return int(float(found[1])) if found else -1

    return Sample(
        seconds=round(seconds, 1),
        games=run.games,
        entries=run.entries,
        memory=round(process.memory_info().rss / 2**20, 2),
        handles=process.num_fds(),
        threads=process.num_threads(),
        tasks=gauge("tasks"),
        rooms=gauge("rooms"),
        sockets=gauge("sockets"),
    )


def plot(run: LongRun, file: Path) -> None:
    """Write the samples as a picture, with the numbers beside it."""
    at = [sample.seconds / 60 for sample in run.samples]
    lines = [
        Line(title, unit, [float(getattr(sample, name)) for sample in run.samples])
        for name, title, unit in (
            ("memory", "memory of the server", "MiB"),
            ("handles", "open files and sockets", ""),
            ("tasks", "tasks of the event loop", ""),
            ("rooms", "rooms loaded", ""),
            ("games", "games played", ""),
        )
    ]
    file.write_text(draw(at, lines, f"{run.games} games, {run.entries} entries"))
    file.with_suffix(".json").write_bytes(orjson.dumps([asdict(sample) for sample in run.samples]))
