"""Many tables under load from one process: one action in flight a table, seats spread over the workers."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import orjson

from bench.peers.client import Socket
from bench.peers.person import Guest, start

__all__ = ["Table", "TableGroup", "percentile"]

_TRIES = 6  # to find an action that brings no pirate home: so a table lasts as long as a run
_AT_ONCE = 10
_LIMIT = 120.0


def percentile(values: Sequence[float], share: float) -> float:
    """Of any values; 0 when there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Table:
    """One game: who sits where, whose turn it is, what may be done."""

    def __init__(self, number: int, players: int) -> None:
        self.chance = random.Random(number)
        self.players = players
        self.sockets: list[Socket] = []
        self.game = ""
        self.seq = 0
        self.actor: Socket | None = None
        self.choices: list[dict[str, Any]] = []
        self.missing = 0
        self.left = 0
        self.began = 0.0
        self.is_dealt = asyncio.Event()  # somebody has been asked for an action


class TableGroup:
    """Tables on servers at these ports; seat n of every table is at port n, round and round."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports = ports
        self.tables: list[Table] = []
        self.latencies: list[float] = []
        self.frames: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.refused: list[bytes] = []
        self._gap = 0.0
        self._under_way = 0
        self._done: asyncio.Future[None] | None = None

    # -- people ------------------------------------------------------------------------------------

    async def open_tables(self, count: int, players: int) -> None:
        """Games that run, their players connected."""
        new = [Table(len(self.tables) + n, players) for n in range(count)]
        for begin in range(0, count, _AT_ONCE):
            await asyncio.gather(*(self._open(table) for table in new[begin : begin + _AT_ONCE]))
        self.tables += new

    async def _open(self, table: Table) -> None:
        people = []
        for seat in range(table.players):
            guest = await Guest.new(self.ports[seat % len(self.ports)])
            if seat == 0:
                table.game = await guest.open_table(table.players)
            person = await guest.join(self, table.game, table=table, seat=seat)
            table.sockets.append(person.socket)
            await person.sit()
            people.append(person)
        await start(people)
        await table.is_dealt.wait()  # whoever begins may be at another worker

    async def watch(self, table: Table, count: int) -> list[Socket]:
        """Spectators, twenty to a person (two tabs and a hundred strangers cost the same)."""
        found = []
        for begin in range(0, count, 20):
            port = self.ports[(begin // 20) % len(self.ports)]
            guest = await Guest.new(port)
            for _ in range(min(20, count - begin)):
                person = await guest.join(self, table.game, table=table, seat=table.players)
                found.append(person.socket)
        return found

    # -- play --------------------------------------------------------------------------------------

    async def play(self, actions: int, rate: float = 0.0) -> float:
        """So many actions at every table, as fast as they are answered or so many a second; the seconds."""
        self.latencies, self.frames, self.bytes = [], Counter(), Counter()
        loop = asyncio.get_running_loop()
        self._done = loop.create_future()
        self._under_way = len(self.tables)
        self._gap = len(self.tables) / rate if rate else 0.0
        began = perf_counter()
        for number, table in enumerate(self.tables):
            table.left = actions
            table.began = began + self._gap * number / len(self.tables)
            loop.call_at(loop.time() + table.began - began, self._act, table)
        await asyncio.wait_for(self._done, _LIMIT)
        if self.refused:
            raise RuntimeError(f"refused: {self.refused[0][:300]!r}")
        return perf_counter() - began

    def _act(self, table: Table) -> None:
        choice = table.chance.choice(table.choices)
        for _ in range(_TRIES):
            if choice.get("to") != "goal":
                break
            choice = table.chance.choice(table.choices)
        table.missing = table.players
        if not self._gap:
            table.began = perf_counter()
        assert table.actor is not None
        table.actor.send(
            b'{"do":"act","id":"scale%08d","version":%d,"action":%b}'
            % (table.seq, table.seq, orjson.dumps(choice["action"]))
        )

    def heard(self, socket: Socket, payload: bytes) -> None:
        table: Table = socket.table
        is_to_act = b'"choices":' in payload
        if is_to_act and not payload.startswith(b'{"t":"refused"'):
            frame = orjson.loads(payload)
            if frame["choices"]:  # a spectator's state has none
                table.seq, table.choices, table.actor = frame["seq"], frame["choices"], socket
                table.is_dealt.set()
        if not payload.startswith(b'{"t":"events"'):
            if payload.startswith(b'{"t":"refused"'):
                self.refused.append(payload)
            socket.give(payload)
            return
        who = "spectator" if socket.seat >= table.players else "actor" if is_to_act else "player"
        self.frames[who] += 1
        self.bytes[who] += len(payload)
        if who != "spectator":
            table.missing -= 1
            if table.missing == 0:
                self._served(table)

    def _served(self, table: Table) -> None:
        now = perf_counter()
        self.latencies.append(now - table.began)
        table.left -= 1
        if table.left and table.choices:
            if self._gap:
                table.began += self._gap
                asyncio.get_running_loop().call_later(max(0.0, table.began - now), self._act, table)
            else:
                self._act(table)
            return
        self._under_way -= 1
        if not self._under_way and self._done is not None:
            self._done.set_result(None)

    def lost(self, socket: Socket) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(ConnectionError("a socket was closed"))

    def close(self) -> None:
        self._done = None
        for table in self.tables:
            for socket in table.sockets:
                socket.transport.close()
