"""A frozen spectator in a crowd: players keep their latency, memory stays flat, the server drops it, it can resume."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import orjson
import psutil
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from app.client.protocol import GameProtocol, encode
from app.client.socket import open_socket
from tools.soak.client import SoakClient, plain_http
from tools.soak.fork_server import ForkServer, Server, serving
from tools.soak.ledger import Tally, reading
from tools.soak.table_group import TableGroup

HELLO = encode(GameProtocol().hello())


@dataclass
class CrowdRun:
    """Latency of the players' moves without and with the frozen spectator, and what happened to it."""

    spectators: int
    before: float
    beside: float
    memory_before: float
    memory_after: float
    drops: int
    resumed: bool
    actions: int
    reached: int
    """spectators that received the last move"""
    tally: Tally

    @property
    def ratio(self) -> float:
        return self.beside / self.before

    def __str__(self) -> str:
        return (
            f"{self.spectators} spectators, {self.actions} actions; median answer {1000 * self.before:.1f} ms "
            f"before, {1000 * self.beside:.1f} ms beside a frozen one (x{self.ratio:.2f}); memory "
            f"x{self.memory_after / self.memory_before:.3f}; {self.drops} shed, resumed: {self.resumed}; "
            f"{self.reached} saw the last move; {self.tally}"
        )


class Spectator:
    """A minimal client: it reads and keeps the last number."""

    def __init__(self) -> None:
        self.seq = 0
        self.link: ClientConnection | None = None
        self._reading: asyncio.Task[None] | None = None

    async def come(self, base: str, game: str) -> None:
        self.link = await open_socket(
            base,
            game,
            {"Origin": base},
            compression=None,
            max_size=None,
            ping_interval=None,
            open_timeout=60,
            proxy=None,
        )
        await self.link.send(HELLO)
        self._reading = asyncio.create_task(self._read(self.link))

    async def _read(self, link: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in link:
                if frame.startswith(('{"t":"events"', '{"t":"state"', '{"t":"table"')):  # type: ignore[arg-type]
                    self.seq = orjson.loads(frame)["seq"]

    async def go(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        if self.link is not None:
            self.link.transport.abort()


async def freeze_one(
    fork_server: ForkServer, database_url: str, folder: Path, *, spectators: int, actions: int, seed: int
) -> CrowdRun:
    """Play in front of a crowd, then with one spectator frozen in mid-read."""
    async with serving(fork_server, database_url, folder) as server, reading(database_url) as store:
        group = TableGroup([server.base], store, seed)
        crowd = [Spectator() for _ in range(spectators)]
        frozen: socket.socket | None = None
        try:
            await group.launch(1, watchers=0, clock={"kind": "none"})
            players, game = group.tables[0].players, group.tables[0].book.game
            await group.rest()
            for start in range(0, spectators, 50):
                await asyncio.gather(*(each.come(server.base, game) for each in crowd[start : start + 50]))
            before = await _play(group, players, actions)
            memory_before = _memory(server)
            frozen = await asyncio.to_thread(_frozen, server.port, game)
            beside = await _play(group, players, actions)
            drops = await _until_shed(server, frozen)
            beside += await _play(group, players, actions // 2)
            memory_after = _memory(server)
            await group.rest()
            await group.check(views=True, fresh=True)
            head = len(group.tables[0].book.entries)
            await _all_reach(crowd, head)
            again = Spectator()
            await again.come(server.base, game)
            crowd.append(again)
            await _all_reach([again], head)
            return CrowdRun(
                spectators,
                median(before),
                median(beside),
                memory_before,
                memory_after,
                drops,
                again.seq == head,
                len(before) + len(beside),
                sum(each.seq == head for each in crowd[:spectators]),
                group.tally,
            )
        finally:
            if frozen is not None:
                frozen.close()
            await asyncio.gather(*(each.go() for each in crowd))
            await group.close()


async def _play(group: TableGroup, players: list[SoakClient], actions: int) -> list[float]:
    """Return the time from sending to acknowledgement of each move; a game that ends is followed by another."""
    for client in players:
        client.answered_in.clear()
    await group.go_on()
    while sum(len(client.answered_in) for client in players) < actions:
        if players[0].is_over:
            break
        await asyncio.sleep(0.01)
    times = [seconds for client in players for seconds in client.answered_in]
    await group.rest()
    return times


def _frozen(port: int, game: str) -> socket.socket:
    """Return a raw socket that says hello, asks for much and never reads."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.connect(("127.0.0.1", port))
    link.sendall(
        (
            f"GET /ws/game/{game} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode()
    )
    while b"\r\n\r\n" not in link.recv(4096):
        pass
    link.sendall(_masked(HELLO.encode()))
    return link


def _masked(text: bytes) -> bytes:
    """Return a client's text frame, masked with zeros."""
    return bytes((0x81, 0x80 | len(text))) + b"\0\0\0\0" + text


async def _until_shed(server: Server, frozen: socket.socket) -> int:
    """Request the whole state repeatedly without reading it, until the server drops the connection."""
    until = time.monotonic() + 300
    async with plain_http() as http:
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                for _ in range(100):
                    await asyncio.to_thread(frozen.sendall, _masked(HELLO.encode()))
            text = (await http.get(f"{server.base}/metrics")).text
            found = re.search(r"^cartagena_outbox_drops_total ([0-9.]+)$", text, re.MULTILINE)
            if found is not None and float(found[1]) >= 1:
                return int(float(found[1]))
    return 0


async def _all_reach(crowd: list[Spectator], head: int, seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if all(each.seq >= head for each in crowd):
            return
        await asyncio.sleep(0.02)


def _memory(server: Server) -> float:
    return float(psutil.Process(server.pid).memory_info().rss)
