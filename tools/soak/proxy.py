"""A TCP proxy that misbehaves on demand: refuses, hangs, slows, cuts in mid-frame, half-opens, duplicates."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

_CHUNK = 65536
Pipe = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Proxy:
    """Proxy between clients and one port. `mode` applies to new and open connections."""

    def __init__(self, target: int, seed: int = 0) -> None:
        self.target = target
        self.port = 0
        self.delay = 0.0  # maximum delay of a chunk in slow mode, in seconds
        self.is_doubling = False  # every new connection is opened twice, and everything is sent on both
        self.doubled = 0
        self.taken = 0
        self._mode = "pass"
        self._rng = Random(seed)
        self._moved_on = asyncio.Event()
        self._moved_on.set()
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._kept: socket.socket | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def open(self) -> None:
        self._kept = socket.socket()  # bound but not listening: reserves the port while we refuse connections
        self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._kept.bind(("127.0.0.1", 0))
        self.port = int(self._kept.getsockname()[1])
        await self._listen()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(
            self._take, "127.0.0.1", self.port, reuse_address=True, limit=_CHUNK
        )

    async def _deafen(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def close(self) -> None:
        await self._deafen()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._kept is not None:
            self._kept.close()

    # -- faults --------------------------------------------------------------------------------------

    async def passes(self) -> None:
        """Forward normally."""
        self._mode = "pass"
        self._moved_on.set()
        if self._server is None:
            await self._listen()

    async def refuses(self) -> None:
        """Stop listening and cut all connections."""
        self._mode = "refuse"
        self._moved_on.set()
        await self._deafen()
        self.cut()

    async def hangs(self) -> None:
        """Accept and keep connections, but forward nothing."""
        self._mode = "hang"
        self._moved_on.clear()

    async def slows(self, delay: float) -> None:
        self._mode = "slow"
        self.delay = delay
        self._moved_on.set()

    def cut(self, share: float = 1.0) -> int:
        """Cut connections at once; return how many."""
        chosen = [link for link in self._links if self._rng.random() < share]
        for link in chosen:
            link.abort()
        return len(chosen)

    def cut_in_frame(self, share: float = 1.0) -> int:
        """Cut each connection inside the server's next write: part of a frame arrives, then nothing."""
        chosen = [link for link in self._links if self._rng.random() < share]
        for link in chosen:
            link.is_doomed = True
        return len(chosen)

    def half_open(self, share: float = 1.0) -> int:
        """Cut the client off without the server noticing: its socket stays open and silent."""
        chosen = [link for link in self._links if self._rng.random() < share]
        for link in chosen:
            link.half_open()
        return len(chosen)

    # -- forwarding --------------------------------------------------------------------------------

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.taken += 1
        try:
            await self._moved_on.wait()
            try:
                server = await asyncio.open_connection("127.0.0.1", self.target)
            except OSError:
                writer.transport.abort()
                return
            shadow: Pipe | None = None
            if self.is_doubling:
                with contextlib.suppress(OSError):
                    shadow = await asyncio.open_connection("127.0.0.1", self.target)
                    self.doubled += 1
            link = _Link(self, (reader, writer), server, shadow)
            self._links.add(link)
            try:
                await link.run()
            finally:
                self._links.discard(link)
                link.abort()
        except asyncio.CancelledError:
            writer.transport.abort()  # the proxy is closing

    async def gate(self) -> None:
        """Wait until a chunk may pass."""
        await self._moved_on.wait()
        if self._mode == "slow":
            await asyncio.sleep(self.delay * self._rng.random())

    def part_of(self, chunk: bytes) -> bytes:
        return chunk[: self._rng.randrange(len(chunk))]


class _Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, client: Pipe, server: Pipe, shadow: Pipe | None) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._shadow = shadow
        self.is_doomed = False
        self._is_half = False

    async def run(self) -> None:
        pumps = [asyncio.create_task(self._up()), asyncio.create_task(self._down())]
        if self._shadow is not None:
            pumps.append(asyncio.create_task(_drain(self._shadow[0])))
        try:
            await asyncio.wait(pumps[:2], return_when=asyncio.FIRST_COMPLETED)
            if self._is_half:
                await asyncio.wait(pumps[1:2])  # until the server drops the silent peer
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _up(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := await self._client[0].read(_CHUNK):
                await self._proxy.gate()
                self._server[1].write(chunk)
                if self._shadow is not None:
                    self._shadow[1].write(chunk)
                await self._server[1].drain()

    async def _down(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := await self._server[0].read(_CHUNK):
                await self._proxy.gate()
                if self._is_half:
                    continue
                if self.is_doomed:
                    self._client[1].write(self._proxy.part_of(chunk))
                    await self._client[1].drain()
                    return
                self._client[1].write(chunk)
                await self._client[1].drain()

    def half_open(self) -> None:
        self._is_half = True
        self._client[1].transport.abort()

    def abort(self) -> None:
        for pipe in (self._client, self._server, self._shadow):
            if pipe is not None:
                pipe[1].transport.abort()


async def _drain(reader: asyncio.StreamReader) -> None:
    """Discard the answers on the duplicate connection."""
    with contextlib.suppress(OSError):
        while await reader.read(_CHUNK):
            pass


@asynccontextmanager
async def proxied(target: int, seed: int = 0) -> AsyncIterator[Proxy]:
    proxy = Proxy(target, seed)
    await proxy.open()
    try:
        yield proxy
    finally:
        await proxy.close()
