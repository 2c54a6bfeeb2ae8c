"""A small load balancer for HTTP and WebSockets: workers in turn, only those that are ready.

A worker that refuses, or says that it is stopping, costs nobody anything: the request goes to the next
one as long as that cannot do it twice. `python -m tools.cluster.proxy --port 8000 http://127.0.0.1:8001 …`
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from tools.cluster.head import BadHead, Head

__all__ = ["Proxy"]

LONGEST_HEAD = 65_536
HEAD_SECONDS = 15.0
CONNECT_SECONDS = 2.0
LOOK_EVERY = 0.5
PIECE = 65_536
_NOBODY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\nretry-after: 1\r\n"
    b"connection: close\r\ncontent-length: 34\r\n\r\nNo worker is ready; try again soon"
)
_BAD = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass
class Target:
    """A worker as the proxy sees it."""

    host: str
    port: int
    is_ready: bool = False


class Link:
    """One end of a connection that is passed on."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, piece: bytes) -> None:
        self.writer.write(piece)
        await self.writer.drain()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


class Proxy:
    """Passes connections on to the workers at these addresses."""

    def __init__(self, workers: Sequence[str]) -> None:
        parts = [urlsplit(each) for each in workers]
        self.targets = [Target(part.hostname or "127.0.0.1", part.port or 80) for part in parts]
        self._turn = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listens and looks after the workers; the port."""
        await asyncio.gather(*(self._look(target) for target in self.targets))
        for target in self.targets:
            self._spawn(self._watch(target))
        self._server = await asyncio.start_server(self._serve, host, port, limit=LONGEST_HEAD, backlog=1024)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- the workers -------------------------------------------------------------------------------

    async def _watch(self, target: Target) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self._look(target)

    async def _look(self, target: Target) -> None:
        """Ask it whether it wants people."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                link = Link(*await asyncio.open_connection(target.host, target.port))
                await link.send(b"GET /readyz HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\n\r\n")
                target.is_ready = b" 200 " in await link.reader.readline()
                await link.close()
        except (OSError, TimeoutError):
            target.is_ready = False

    def _in_turn(self) -> Iterator[Target]:
        """Those that are ready, beginning with the next; then the others, in case the last look is old."""
        self._turn += 1
        start = self._turn % len(self.targets)
        ordered = self.targets[start:] + self.targets[:start]
        yield from [target for target in ordered if target.is_ready]
        yield from [target for target in ordered if not target.is_ready]

    # -- a connection ------------------------------------------------------------------------------

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._spawn(self._pass_on(Link(reader, writer)))

    def _spawn(self, work: object) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)  # type: ignore[arg-type]
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, client: Link) -> None:
        try:
            try:
                async with asyncio.timeout(HEAD_SECONDS):
                    head = Head.parse(await client.reader.readuntil(b"\r\n\r\n"))
                length = head.body_length
            except (BadHead, asyncio.LimitOverrunError):
                await client.send(_BAD)
                return
            peer = client.writer.get_extra_info("peername")[0]
            worker, began = await self._ask(head, head.passed_on(peer))
            if worker is None:
                await client.send(began or _NOBODY)
                return
            try:
                await client.send(began)
                await self._join(client, worker, None if head.is_upgrade else length)
            finally:
                await worker.close()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # one of the two is gone; closing tells the other
        finally:
            await client.close()

    async def _ask(self, head: Head, request: bytes) -> tuple[Link | None, bytes]:
        """A worker that has the request, and what it has answered so far; none: what to answer instead."""
        refusal = b""
        for target in self._in_turn():
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    worker = Link(*await asyncio.open_connection(target.host, target.port, limit=PIECE))
            except (OSError, TimeoutError):
                target.is_ready = False
                continue
            try:
                await worker.send(request)
                if not head.may_repeat:
                    return worker, b""
                began = await worker.reader.read(PIECE)
            except OSError:
                began = b""
            if began and not began.startswith(b"HTTP/1.1 503"):
                return worker, began
            target.is_ready = False
            refusal = refusal or (began + await _rest(worker) if began else b"")
            await worker.close()
        return None, refusal

    async def _join(self, client: Link, worker: Link, length: int | None) -> None:
        """Bytes both ways, until one side ends; of a request no more than its body."""
        up = asyncio.create_task(_pump(client, worker, length))
        down = asyncio.create_task(_pump(worker, client, None))
        try:
            done, _ = await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            if up in done and length is not None and up.exception() is None and up.result():
                await asyncio.wait((down,))  # all of the request is there: now the answer
        finally:
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)


async def _rest(worker: Link) -> bytes:
    """What is left of a short answer."""
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await worker.reader.read()
    except (OSError, TimeoutError):
        return b""


async def _pump(source: Link, sink: Link, most: int | None) -> bool:
    """Bytes from one to the other; True when `most` have come, False when the source ended."""
    left = most
    while left is None or left > 0:
        piece = await source.reader.read(PIECE if left is None else min(left, PIECE))
        if not piece:
            return False
        await sink.send(piece)
        if left is not None:
            left -= len(piece)
    return True


async def _run(host: str, port: int, workers: Sequence[str]) -> None:
    proxy = Proxy(workers)
    bound = await proxy.start(host, port)
    print(f"proxy at http://{host}:{bound}", flush=True)
    stopping = asyncio.Event()
    for kind in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(kind, stopping.set)
    await stopping.wait()
    await proxy.close()


def main() -> None:
    choice = argparse.ArgumentParser(description=__doc__)
    choice.add_argument("workers", nargs="+", help="addresses of the workers")
    choice.add_argument("--host", default="127.0.0.1")
    choice.add_argument("--port", type=int, default=8000)
    asked = choice.parse_args()
    asyncio.run(_run(asked.host, asked.port, asked.workers))


if __name__ == "__main__":
    main()
