"""A worker is killed, all its sockets come to the other: how long until each has its state, and who waits meanwhile.

Two workers on PostgreSQL and Redis. The one that stays has a core to itself, everything else has the others: the
people who come back, those who go on playing at it, PostgreSQL and Redis. People come back as the page does
(`pauseAfter` in static/js/core/socket.js): the first time within 90 ms, then a few times a second.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from bench.peers.client import Socket
from bench.scaling.bystanders import Bystanders
from bench.scaling.meters import cpu, pin, tree
from bench.scaling.servers import ROOMY
from bench.scaling.table_group import TableGroup, percentile
from tools.cluster import Cluster, Worker

__all__ = ["BESIDE", "QUIET", "RATE", "killed"]

PLAYERS = 2
ENTRIES = 30
BESIDE, RATE = 40, 200.0  # tables that play on, and their actions a second
QUIET = 6.0  # seconds before the kill that show how they play undisturbed
LIMIT = 90.0
_STEP_BACK = 10  # niceness
_FAST_RETRY, _FAST_RETRY_FOR, _FIRST_WAIT, _LONGEST_WAIT = 0.35, 3.0, 0.4, 15.0  # as in socket.js


class Returning(TableGroup):
    """People who come back to the first of the ports whenever their socket is lost."""

    def __init__(self, port: int) -> None:
        super().__init__([port])
        self.is_watching = False
        self.waits: list[float] = []
        self.attempts = self.failures = 0
        self._back: set[asyncio.Task[None]] = set()
        self._all: asyncio.Future[None] | None = None

    async def all_back(self) -> float:
        """Seconds from now until everybody has been told the state."""
        self.waits, self.attempts, self.failures = [], 0, 0
        self._all = asyncio.get_running_loop().create_future()
        began = perf_counter()
        try:
            await asyncio.wait_for(self._all, LIMIT)
        except TimeoutError:
            raise RuntimeError(
                f"{len(self.waits)} of {sum(table.players for table in self.tables)} people were back "
                f"{LIMIT:.0f} s after a worker was killed"
            ) from None
        finally:
            self._all = None
        return perf_counter() - began

    def lost(self, socket: Socket) -> None:
        if socket not in socket.table.sockets:
            return  # of an attempt that failed: whoever made it tries again
        if self.is_watching:
            task = asyncio.get_running_loop().create_task(self.comes(socket.table, socket.seat))
            self._back.add(task)
            task.add_done_callback(self._back.discard)
        else:
            super().lost(socket)

    async def comes(self, table: Any, seat: int) -> None:
        """Tries until it has been told the state."""
        number = self.tables.index(table)
        lost, wait = perf_counter(), _FIRST_WAIT
        pause = _FAST_RETRY / 4 * random.random()
        while True:
            await asyncio.sleep(pause)
            self.attempts += 1
            try:
                await self.come_back(number, seat)
                break
            except (OSError, RuntimeError):  # refused, cut off, or closed before the hello
                self.failures += 1
                if perf_counter() - lost < _FAST_RETRY_FOR:
                    pause = _FAST_RETRY * random.uniform(0.25, 1.0)
                else:
                    pause = wait * random.uniform(0.75, 1.25)
                    wait = min(1.8 * wait, _LONGEST_WAIT)
        self.waits.append(perf_counter() - lost)
        if len(self.waits) == sum(each.players for each in self.tables) and self._all is not None:
            self._all.set_result(None)


async def killed(
    sockets: int = 2000, rounds: int = 3, told: Callable[[str], None] = print
) -> list[dict[str, Any]]:
    """Of each round: seconds until the last is back, CPU for each, and the waits of those who played on."""
    found, cores = [], sorted(os.sched_getaffinity(0))
    with Cluster(2, **ROOMY) as cluster:
        staying, dying = cluster.workers
        group = Returning(staying.port)
        began = perf_counter()
        await group.open_tables(sockets // PLAYERS, PLAYERS)
        await group.play(ENTRIES)
        told(f"  {sockets} people were seated in {perf_counter() - began:.1f} s")
        for _ in range(rounds):
            group.is_watching = False
            group.disconnect()
            for worker in (dying, staying):  # afresh: no room is loaded where they will come to
                worker.stop()
            for worker in (dying, staying):
                worker.launch()
            for worker in (dying, staying):
                worker.until_ready()
            try:
                found.append(await _round(cluster, group, staying, dying, cores))
            finally:
                pin([os.getpid()], set(cores))
            one = found[-1]
            told(
                f"  all back in {one['seconds']:.2f} s, {one['cpu_ms']:.2f} ms of CPU each; the others' p99 "
                f"{one['quiet']['p99_ms']:.1f} ms before, {one['meanwhile']['p99_ms']:.1f} ms meanwhile"
            )
        group.is_watching = False
        group.close()
    return found


async def _round(
    cluster: Cluster, group: Returning, staying: Worker, dying: Worker, cores: list[int]
) -> dict[str, Any]:
    everybody = [(n, seat) for n, table in enumerate(group.tables) for seat in range(table.players)]
    group.ports = [dying.port]
    for begin in range(0, len(everybody), 100):
        some = everybody[begin : begin + 100]
        await asyncio.gather(*(group.comes(group.tables[number], seat) for number, seat in some))
    _pin_apart(cores, staying, cluster)
    with Bystanders(staying.port, BESIDE, RATE) as others:
        group.ports = [staying.port]
        await asyncio.sleep(2)
        others.window()
        before = cpu([staying.pid])
        await asyncio.sleep(QUIET)
        quiet = others.window()
        an_action = (cpu([staying.pid]) - before) / max(1, quiet["actions"])
        group.is_watching = True
        before = cpu([staying.pid])
        with _stepping_back() as is_last:
            dying.kill()
            seconds = await group.all_back()
        spent = cpu([staying.pid]) - before
        meanwhile = others.window()
        spent -= an_action * meanwhile["actions"]  # what the others' play cost
    await _goes_on(group)
    return {
        "sockets": len(everybody),
        "seconds": seconds,
        "median_s": percentile(group.waits, 0.5),
        "attempts": group.attempts,
        "failures": group.failures,
        "cpu_ms": 1000 * spent / len(everybody),
        "quiet": quiet,
        "meanwhile": meanwhile,
        "crowd_is_last": is_last,
    }


@contextmanager
def _stepping_back() -> Iterator[bool]:
    """This process plays the whole crowd, and shares its core with PostgreSQL, Redis and those who play on: whatever
    they want to do goes first, or they would wait for the crowd here and not at the server. False: not permitted.
    """
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, before + _STEP_BACK)
        os.setpriority(os.PRIO_PROCESS, 0, before)  # only who may come back steps back
        os.setpriority(os.PRIO_PROCESS, 0, before + _STEP_BACK)
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)


async def _goes_on(group: Returning) -> None:
    """They hold the right state: an action at each of their tables."""
    group.is_watching = False
    await group.play(1)


def _pin_apart(cores: list[int], staying: Worker, cluster: Cluster) -> None:
    if len(cores) > 1:
        pin([staying.pid], {cores[0]})
        rest = [os.getpid(), *tree(cluster.postgres.pid), *tree(cluster.redis.pid)]
        pin(rest, set(cores[1:]))
