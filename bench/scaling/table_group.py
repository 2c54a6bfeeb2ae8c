"""Many tables under load from one process: one action in flight a table, at one worker or spread over several."""

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

_TRIES = 6  # to find an action that brings no pirate home
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
        self.guests: list[Guest] = []
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
    """Tables on servers at these ports. Either seat n of every table is at port n, round and round, or, with
    affinity, all of table n: as a balancer does that hashes the game's id. `first` numbers the tables, whose people
    choose by that number.
    """

    def __init__(self, ports: Sequence[int], *, affinity: bool = False, first: int = 0) -> None:
        self.ports = ports
        self._has_affinity = affinity
        self._first = first
        self.tables: list[Table] = []
        self.latencies: list[float] = []
        self.frames: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.choices = 0
        """That were told to those who are to act, while they played."""
        self.refused: list[bytes] = []
        self._gap = 0.0
        self._under_way = 0
        self._done: asyncio.Future[None] | None = None

    # -- people ------------------------------------------------------------------------------------

    async def open_tables(self, count: int, players: int) -> None:
        """Games that run, their players connected."""
        new = range(len(self.tables), len(self.tables) + count)
        self.tables += [Table(self._first + number, players) for number in new]
        for begin in range(new.start, new.stop, _AT_ONCE):
            end = min(begin + _AT_ONCE, new.stop)
            await asyncio.gather(*(self._open(number) for number in range(begin, end)))

    def port(self, number: int, seat: int) -> int:
        return self.ports[(number if self._has_affinity else seat) % len(self.ports)]

    async def _open(self, number: int) -> None:
        table, people = self.tables[number], []
        for seat in range(table.players):
            guest = await Guest.new(self.port(number, seat))
            if seat == 0:
                # A game without an id yet is made by whichever worker comes first, and then lives where it belongs.
                maker = guest.at(self.ports[number // 2 % len(self.ports)])
                table.game = await maker.open_table(table.players)
            person = await guest.join(self, table.game, table=table, seat=seat)
            table.guests.append(guest)
            table.sockets.append(person.socket)
            await person.sit()
            people.append(person)
        await start(people)
        await table.is_dealt.wait()  # whoever begins may be at another worker

    async def come_back(self, number: int, seat: int) -> None:
        """With the cookie of before, to the seat of before, and told everything: as a page that is loaded again."""
        table = self.tables[number]
        guest = table.guests[seat].at(self.port(number, seat))
        person = await guest.join(self, table.game, table=table, seat=seat)
        table.sockets[seat] = person.socket

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

    async def play(self, actions: int, rate: float = 0.0, limit: float = _LIMIT) -> float:
        """So many actions at every table, as fast as they are answered or so many a second; the seconds."""
        self.latencies, self.frames, self.bytes, self.choices = [], Counter(), Counter(), 0
        loop = asyncio.get_running_loop()
        self._done = loop.create_future()
        self._under_way = len(self.tables)
        self._gap = len(self.tables) / rate if rate else 0.0
        began = perf_counter()
        for number, table in enumerate(self.tables):
            table.left = actions
            table.began = began + self._gap * number / len(self.tables)
            loop.call_at(loop.time() + table.began - began, self._act, table)
        try:
            await asyncio.wait_for(self._done, limit)
        except TimeoutError:
            raise RuntimeError(self._stuck(limit)) from None
        if self.refused:
            raise RuntimeError(f"refused: {self.refused[0][:300]!r}")
        return perf_counter() - began

    def _stuck(self, limit: float) -> str:
        waiting = [table for table in self.tables if table.left]
        first = waiting[0]
        said = f"; refused: {self.refused[0][:300]!r}" if self.refused else ""
        return (
            f"{len(waiting)} of {len(self.tables)} tables did not end their actions within {limit:.0f} s: the "
            f"first is game {first.game} at {first.seq}, {first.left} actions short{said}"
        )

    def _act(self, table: Table) -> None:
        choice = self.choose(table)
        table.missing = table.players
        if not self._gap:
            table.began = perf_counter()
        assert table.actor is not None
        table.actor.send(
            b'{"do":"act","id":"scale%08d","version":%d,"action":%b}'
            % (table.seq, table.seq, orjson.dumps(choice["action"]))
        )

    def choose(self, table: Table) -> dict[str, Any]:
        """Anything that does not bring a pirate home, so that a table lasts as long as a run."""
        pick = table.chance.choice
        choice = pick(table.choices)
        for _ in range(_TRIES):
            if choice.get("to") != "goal":
                break
            choice = pick(table.choices)
        if (
            choice.get("to") == "goal" and choice["final"]
        ):  # the last pirate stays: nobody wins before the end
            choice = pick([other for other in table.choices if other.get("to") != "goal"] or table.choices)
        return choice

    def heard(self, socket: Socket, payload: bytes) -> None:
        table: Table = socket.table
        is_to_act = b'"choices":' in payload
        if is_to_act and not payload.startswith(b'{"t":"refused"'):
            frame = orjson.loads(payload)
            if frame["choices"]:  # a spectator's state has none
                table.seq, table.choices, table.actor = frame["seq"], frame["choices"], socket
                self.choices += len(table.choices)
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

    def disconnect(self) -> None:
        """Everybody at once, without a word."""
        self._done = None
        for table in self.tables:
            for socket in table.sockets:
                socket.transport.abort()

    def close(self) -> None:
        self._done = None
        for table in self.tables:
            for socket in table.sockets:
                socket.transport.close()
