"""The load: tables with one action in flight each, and what is measured meanwhile.

An action's latency runs from its sending (paced: from when it was due) to the moment the last player of the
table has the update. Spectators are served as well, but nobody waits for them. Whatever goes wrong ends the
run at once and is named; a game that is won before its time only ends its table.
"""

from __future__ import annotations

import asyncio
import gc
from time import perf_counter
from typing import Any, ClassVar

import psutil

from bench.peers.client import Socket
from bench.peers.scenarios import Scenario

__all__ = ["Adapter", "Load", "RunFailed", "Table"]

_MAX_SETUPS = 25  # tables set up concurrently
_PHASE_SECONDS = 30.0  # time limit of a phase
_LOST_SECONDS = 10.0  # after which an update counts as lost


class Table:
    """One table of the server under test."""

    __slots__ = (
        "due",
        "is_over",
        "is_under_way",
        "left",
        "load",
        "missing",
        "number",
        "players",
        "sent",
        "sockets",
    )

    def __init__(self, load: Load, number: int, players: int) -> None:
        self.load = load
        self.number = number
        self.players = players
        self.sockets: list[Socket] = []
        self.left = 0  # remaining actions of this phase
        self.missing = 0  # players without the update
        self.is_under_way = False
        self.is_over = False  # its game was won, so nothing more can be played here
        self.sent = self.due = 0.0

    def act(self) -> None:
        self.missing = self.players
        self.is_under_way = True
        self.sent = perf_counter()
        self.load.adapter.act(self)

    def served(self) -> None:
        """Record that a player of this table has the update."""
        self.missing -= 1
        if self.missing == 0 and self.is_under_way:
            self.is_under_way = False
            self.left -= 1
            self.load.done(self)


class Adapter:
    """Implements one server's protocol: seats players, sends the next action, reports updates."""

    table: ClassVar[type[Table]]

    def __init__(self, load: Load, port: int) -> None:
        self.load = load
        self.port = port

    async def join(self, table: Table, seat: int) -> Socket:
        """Seat a player, or a spectator if `seat` is not below the number of players."""
        raise NotImplementedError

    def act(self, table: Table) -> None:
        """Send the table's next action."""
        raise NotImplementedError

    def heard(self, socket: Socket, payload: bytes) -> None:
        raise NotImplementedError

    def update(self, socket: Socket, size: int, *, is_to_act: bool) -> None:
        """Record that a socket has received the update of the current action."""
        load = self.load
        load.frames += 1
        load.bytes += size
        if is_to_act:
            load.frames_to_act += 1
            load.bytes_to_act += size
        table = socket.table
        if socket.seat < table.players:
            table.served()

    def lost(self, socket: Socket) -> None:
        if not self.load.is_closing:
            self.load.failed(b"a socket was lost")


class RunFailed(Exception):
    """A run failed; the message says why."""


class Machine:
    """Load of the whole machine meanwhile, in cores; `stolen` is what other guests of the host took."""

    def __init__(self) -> None:
        self._before = psutil.cpu_times()

    def took(self, seconds: float, ours: float) -> dict[str, float]:
        """Return the load by others; `ours` is the CPU seconds of the server and the generator."""
        now, was = psutil.cpu_times(), self._before
        busy = (now.user + now.nice + now.system + now.irq + now.softirq) - (
            was.user + was.nice + was.system + was.irq + was.softirq
        )
        return {
            "machine_others": round(max(0.0, busy - ours) / seconds, 2),
            "machine_stolen": round((now.steal - was.steal) / seconds, 2),
            "load_average": round(psutil.getloadavg()[0], 2),
        }


def _own_cpu() -> float:
    """Return the CPU seconds of this process so far."""
    times = psutil.Process().cpu_times()
    return float(times.user + times.system)


class Load:
    """One run against one server process."""

    def __init__(self, adapter: type[Adapter], port: int, pid: int, scenario: Scenario) -> None:
        self.adapter = adapter(self, port)
        self.server = psutil.Process(pid)
        self.scenario = scenario
        self.latencies: list[float] = []
        self.frames = self.bytes = self.frames_to_act = self.bytes_to_act = 0
        self.errors = 0
        self.last_error = ""
        self.is_closing = False
        self.is_timed_out = False
        self._playing = 0
        self._gap = 0.0
        self._over: asyncio.Future[None] | None = None

    def failed(self, what: bytes) -> None:
        """End the phase: measurements after the first error are meaningless."""
        self.errors += 1
        self.last_error = self.last_error or what[:300].decode("utf-8", "replace")
        self._end()

    def _end(self) -> None:
        if self._over is not None and not self._over.done():
            self._over.set_result(None)

    # -- a phase -----------------------------------------------------------------------------------

    def done(self, table: Table) -> None:
        """Continue with the next action once the current one has reached the table's players."""
        now = perf_counter()
        self.latencies.append(now - (table.due or table.sent))
        if table.left <= 0 or table.is_over:
            self._playing -= 1
            if not self._playing:
                self._end()
        elif self._gap:
            table.due += self._gap
            self._act_when_due(table, now)
        else:
            table.act()

    def _act_when_due(self, table: Table, now: float) -> None:
        asyncio.get_running_loop().call_later(max(0.0, table.due - now), table.act)

    async def play(self, tables: list[Table], actions: int, rate: float = 0.0) -> float:
        """Play this many actions at every table, at full speed or `rate` a second in all; return the seconds."""
        self.latencies = []
        self.frames = self.bytes = self.frames_to_act = self.bytes_to_act = 0
        self._over = asyncio.get_running_loop().create_future()
        tables = [table for table in tables if not table.is_over]
        self._playing = len(tables)
        self._gap = len(tables) / rate if rate else 0.0
        began = perf_counter()
        for place, table in enumerate(tables):
            table.left, table.due = actions, 0.0
            if rate:
                table.due = began + (place + 1) / rate
                self._act_when_due(table, began)
            else:
                asyncio.get_running_loop().call_soon(table.act)
        while not self._over.done():
            await asyncio.wait((self._over,), timeout=1.0)
            self._look_for_silence(tables, began)
        return perf_counter() - began

    def _look_for_silence(self, tables: list[Table], began: float) -> None:
        """Report which table stalled and how far it had come, as soon as that is certain."""
        now = perf_counter()
        for table in tables:
            if table.is_under_way and now - table.sent > _LOST_SECONDS:
                self.is_timed_out = True
                self.failed(
                    b"table %d: no update for %.0f s, %d of %d players wait for it, %d actions before its end"
                    % (table.number, now - table.sent, table.missing, table.players, table.left)
                )
                return
        if now - began > _PHASE_SECONDS and self._over is not None and not self._over.done():
            self.is_timed_out = True
            self.failed(b"%d tables were not done after %.0f s" % (self._playing, now - began))

    # -- a run -------------------------------------------------------------------------------------

    def _cost(self) -> tuple[float, int]:
        """Return the CPU seconds so far and the resident bytes of the server and its children."""
        cpu, memory = 0.0, 0
        for process in [self.server, *self.server.children(recursive=True)]:
            times = process.cpu_times()
            cpu += times.user + times.system
            memory += process.memory_info().rss
        return cpu, memory

    async def _seat(self, table: Table) -> None:
        for seat in range(table.players + self.scenario.spectators):
            table.sockets.append(await self.adapter.join(table, seat))

    async def seat_all(self, tables: list[Table]) -> None:
        """Seat all players, a few tables at a time; players of one table one after the other."""
        waiting = iter(tables)

        async def bring() -> None:
            for table in waiting:
                await self._seat(table)

        await asyncio.gather(*(bring() for _ in range(_MAX_SETUPS)))

    async def run(self) -> dict[str, Any]:
        """Seat all players, warm up, and measure."""
        scenario = self.scenario
        await asyncio.sleep(0.5)
        before, empty = self._cost()
        tables = [self.adapter.table(self, number, scenario.players) for number in range(scenario.rooms)]
        machine, own = Machine(), _own_cpu()
        began = perf_counter()
        await self.seat_all(tables)
        seated = perf_counter() - began
        after, _ = self._cost()
        result: dict[str, Any] = machine.took(seated, after - before + _own_cpu() - own)
        await asyncio.sleep(1.0)
        _, full = self._cost()
        result |= {
            "connections": scenario.connections,
            "seat_seconds": round(seated, 2),
            "seat_cpu": round(after - before, 2),
            "empty_mb": round(empty / 2**20, 1),
            "full_mb": round(full / 2**20, 1),
            "mb_per_1000": round((full - empty) / 2**20 * 1000 / scenario.connections, 2),
        }
        if scenario.actions:
            if scenario.warm:
                await self.play(tables, scenario.warm)
            if not self.errors:
                result |= await self._measure(tables)
        self.is_closing = True
        if self.errors:
            raise RunFailed(self.last_error)
        result["won_early"] = sum(table.is_over for table in tables)
        return result

    async def _measure(self, tables: list[Table]) -> dict[str, Any]:
        gc.collect()
        gc.freeze()
        own, (cpu, _) = _own_cpu(), self._cost()
        machine = Machine()
        seconds = await self.play(tables, self.scenario.actions, self.scenario.rate)
        driven, (cpu_after, memory) = _own_cpu() - own, self._cost()
        spent = cpu_after - cpu
        load = machine.took(seconds, spent + driven)
        waited = sorted(self.latencies)
        count = len(waited)
        others = self.frames - self.frames_to_act

        if not count:
            return {}

        def share(part: float) -> float:
            return round(waited[min(count - 1, int(count * part))] * 1000, 2)

        return load | {
            "actions": count,
            "seconds": round(seconds, 3),
            "per_second": round(count / seconds, 1),
            "p50": share(0.5),
            "p99": share(0.99),
            "cpu_per_1000": round(spent * 1000 / count, 4),
            "server_cpu": round(spent / seconds, 3),
            "driver_cpu": round(driven / seconds, 3),
            "memory_mb": round(memory / 2**20, 1),
            "bytes_per_frame": round(self.bytes / max(1, self.frames), 1),
            "bytes_to_others": round((self.bytes - self.bytes_to_act) / max(1, others), 1),
            "bytes_to_actor": round(self.bytes_to_act / max(1, self.frames_to_act), 1),
        }
