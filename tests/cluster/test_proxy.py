"""The proxy of `make cluster`: in turn, only who is ready, the next one when one refuses, nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tools.cluster.head import BadHead, Head
from tools.cluster.proxy import Proxy

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
STOPPING = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 8\r\nconnection: close\r\n\r\nstopping"


class FakeWorker:
    """Answers /readyz as told, and everything else with `answer`, after noting what it was asked."""

    def __init__(self, answer: bytes = OK, *, is_ready: bool = True) -> None:
        self.answer = answer
        self.is_ready = is_ready
        self.asked: list[bytes] = []
        self.port = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET /readyz "):
            writer.write(OK if self.is_ready else STOPPING)
        else:
            length = Head.parse(head).body_length or 0
            self.asked.append(head + await reader.readexactly(length))
            writer.write(self.answer)
            if b"101" in self.answer:
                writer.write(await reader.readexactly(4))  # a frame comes back as it came
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def behind(*workers: FakeWorker) -> AsyncIterator[int]:
    """The port of a proxy before these."""
    for worker in workers:
        await worker.start()
    proxy = Proxy([f"http://127.0.0.1:{worker.port}" for worker in workers])
    port = await proxy.start("127.0.0.1", 0)
    try:
        yield port
    finally:
        await proxy.close()
        for worker in workers:
            await worker.stop()


async def ask(port: int, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    await writer.wait_closed()
    return answer


GET = b"GET /page HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
POST = b"POST /act HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"


async def test_requests_go_to_the_workers_in_turn_and_say_who_asked() -> None:
    workers = [FakeWorker(), FakeWorker(), FakeWorker()]
    async with behind(*workers) as port:
        assert [await ask(port, GET) for _ in range(6)] == [OK] * 6
    assert [len(worker.asked) for worker in workers] == [2, 2, 2]
    head = Head.parse(workers[0].asked[0])
    assert head.values(b"x-forwarded-for") == [b"127.0.0.1"]
    assert head.values(b"connection") == [b"close"]


async def test_a_worker_that_is_not_ready_is_passed_over() -> None:
    stopping, well = FakeWorker(is_ready=False), FakeWorker()
    async with behind(stopping, well) as port:
        for _ in range(4):
            assert await ask(port, POST) == OK
    assert (len(stopping.asked), len(well.asked)) == (0, 4)


async def test_one_that_refuses_or_has_just_begun_to_stop_costs_nobody_anything() -> None:
    gone, stopping, well = FakeWorker(), FakeWorker(STOPPING), FakeWorker()
    async with behind(gone, stopping, well) as port:
        await gone.stop()
        assert [await ask(port, GET) for _ in range(4)] == [OK] * 4
        await gone.start()
    assert not gone.asked
    assert len(well.asked) == 4


async def test_a_write_that_was_sent_is_not_sent_to_another() -> None:
    dying, well = FakeWorker(b""), FakeWorker()
    async with behind(dying, well) as port:
        answers = sorted([await ask(port, POST), await ask(port, POST)])
    assert answers == [b"", OK]
    assert (len(dying.asked), len(well.asked)) == (1, 1)
    assert well.asked[0].endswith(b"\r\n\r\nhello")


async def test_a_socket_lives_on_after_its_handshake() -> None:
    switched = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n"
    worker = FakeWorker(switched)
    async with behind(worker) as port:
        request = (
            b"GET /ws/lobby HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nping"
        )
        assert await ask(port, request) == switched + b"ping"
    assert Head.parse(worker.asked[0]).values(b"connection") == [b"Upgrade"]


async def test_when_nobody_is_there_the_answer_says_so() -> None:
    worker, stopping = FakeWorker(), FakeWorker(STOPPING)
    async with behind(worker) as port:
        await worker.stop()
        assert (await ask(port, GET)).startswith(b"HTTP/1.1 503 ")
        await worker.start()
    async with behind(stopping) as port:
        assert await ask(port, GET) == STOPPING
        assert (await ask(port, b"nonsense\r\n\r\n")).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /\r\n\r\n",
        b"GET / HTTP/2\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nX : y\r\n\r\n",
    ],
)
def test_a_head_that_could_be_read_in_two_ways_is_refused(raw: bytes) -> None:
    with pytest.raises(BadHead):
        Head.parse(raw)


def test_two_lengths_are_refused() -> None:
    head = Head.parse(b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n")
    with pytest.raises(BadHead):
        _ = head.body_length
