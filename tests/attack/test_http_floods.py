"""HTTP floods against the server without a proxy: slow, endless, unread, too many."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.web.security import http_protocol
from tests.attack.raw_connection import RawConnection, until
from tests.attack.work import counted_work
from tests.sockets.running_server import ROOT, RunningServer, free_port, in_process
from tools.fuzz.server import Server
from tools.fuzz.socket_client import Raw

GET = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.fixture
async def server(sqlite_url: str) -> Any:
    async with in_process(sqlite_url) as running:
        yield running


async def _answer(peer: RawConnection) -> bytes:
    """Read one response with its body."""
    said = b""
    while b"\r\n\r\n" not in said:
        said += await peer.read_some()
    head, _, body = said.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    while len(body) < int(length[1]):
        body += await peer.read_some()
    return head + body


@pytest.mark.parametrize("stray", [b"G", b"\r\n", b"\n", b"GET / HTTP/1.1\r\n"])
@pytest.mark.parametrize("together", [True, False], ids=["with the request", "after the answer"])
async def test_a_stray_byte_does_not_keep_a_connection_open(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, stray: bytes, together: bool
) -> None:
    monkeypatch.setattr(http_protocol, "HEAD_TIMEOUT_SECONDS", 0.3)
    async with RawConnection(server) as peer:
        await peer.send(GET + stray if together else GET)
        assert b" 200 " in await _answer(peer)
        if not together:
            await peer.send(stray)
        assert await peer.read_to_end() == b""
    await until(lambda: server.connections == 0)


async def test_one_byte_of_a_body_after_the_response_does_not_keep_a_connection_open(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body of a GET is not read: the response comes first, and a byte once ended the idle timeout."""
    monkeypatch.setattr(http_protocol, "BODY_TIMEOUT_SECONDS", 1.0, raising=False)
    async with RawConnection(server) as peer:
        await peer.send(GET[:-2] + b"Content-Length: 5\r\n\r\n")
        assert b" 200 " in await _answer(peer)
        await peer.send(b"x")
        assert await peer.read_to_end() == b""
    await until(lambda: server.connections == 0)


async def test_a_body_that_trickles_forever_is_aborted(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_protocol, "BODY_TIMEOUT_SECONDS", 1.0, raising=False)
    async with RawConnection(server) as peer:
        await peer.send(
            b"POST /replay/steps HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
            b"Content-Length: 5000\r\n\r\n"
        )

        async def trickle() -> None:
            with contextlib.suppress(ConnectionError):
                for _ in range(2000):
                    await peer.send(b" ")
                    await asyncio.sleep(0.02)

        trickling = asyncio.create_task(trickle())
        said = await peer.read_to_end()
        await trickling
    assert b" 408 " in said
    assert said.count(b"HTTP/1.1") == 1
    await until(lambda: server.connections == 0)


async def test_a_refused_body_is_not_read_to_its_end(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gigabyte after a 413 would block the event loop with parsing for seconds."""
    monkeypatch.setattr(http_protocol, "LINGER_SECONDS", 0.2)
    async with RawConnection(server) as peer:
        await peer.send(
            b"POST /api/v1/me HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
            b"Content-Length: 1000000000\r\n\r\n"
        )
        assert b" 413 " in await _answer(peer)
        with counted_work() as work:
            pushing = asyncio.create_task(peer.push(b"x" * 50_000_000))
            await until(lambda: server.connections == 0)
            await asyncio.wait([pushing])
            pushing.exception()
        print("calls:", work.calls)
        assert work.calls < 5_000, "every parsed kilobyte takes several calls"


@pytest.mark.parametrize("closing", [b"", b"Connection: close\r\n"], ids=["kept", "closed"])
async def test_a_response_that_the_peer_does_not_read_is_given_up(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, closing: bytes
) -> None:
    monkeypatch.setattr(http_protocol, "ANSWER_TIMEOUT_SECONDS", 1.0, raising=False)
    asked = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: here\r\n"
    async with RawConnection(server, receive_buffer=4096) as peer:
        for _ in range(200):  # until the kernel buffers are full and the server has unsent data
            await peer.push(asked + b"\r\n")
            if server.connections == 0:
                break
        else:
            await peer.push(asked + closing + b"\r\n")
        await until(lambda: server.connections == 0)


async def test_pipelined_requests_are_limited(
    server: RunningServer,
) -> None:
    flood = GET * (250_000 // len(GET))
    async with RawConnection(server) as peer:
        with counted_work() as work:
            pushing = asyncio.create_task(peer.push(flood))
            said = await peer.read_to_end()
            await asyncio.wait([pushing])
            pushing.exception()
        answers = said.count(b"HTTP/1.1 200")
        assert 2 <= answers <= http_protocol.MAX_PIPELINED_REQUESTS + 1
        assert said.lower().count(b"connection: close") == 1, "the response announces it"
        assert work.calls < 40_000
    await until(lambda: server.connections == 0)


async def test_a_few_pipelined_requests_and_bodies_are_answered_in_order(server: RunningServer) -> None:
    post = b"POST /replay/steps HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    body = b'{"record": "' + b"x" * 20_000 + b'"}'
    async with RawConnection(server) as peer:
        for _ in range(3):
            await peer.send(GET + post % len(body) + body + GET)
            for expected in (b" 200 ", b" 422 ", b" 200 "):
                answer = await _one_answer(peer)
                assert expected in answer.split(b"\r\n")[0], answer


async def _one_answer(peer: RawConnection) -> bytes:
    """Read byte by byte, so that nothing of the next response is consumed."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += await peer._received(1)
    length = re.search(rb"content-length: (\d+)", head)
    assert length is not None
    body = b""
    while len(body) < int(length[1]):
        body += await peer._received(int(length[1]) - len(body))
    return head + body


async def test_connections_of_one_address_are_limited(sqlite_url: str) -> None:
    async with in_process(sqlite_url, sockets_per_address=4) as server, contextlib.AsyncExitStack() as stack:
        held = [await stack.enter_async_context(RawConnection(server)) for _ in range(10)]
        await until(lambda: server.connections == 10)
        sockets = [await each.open_socket() for each in held[:3]]
        async with RawConnection(server) as refused:
            said = await refused.read_to_end()
        assert b" 429 " in said
        assert b"from your address" in said
        for each in held[3:]:
            await each.send(GET)
            assert b" 200 " in await _answer(each), "open connections are served"
        for each in (sockets[0], held[9]):
            await each.__aexit__()
        await until(lambda: server.connections == 8)
        async with RawConnection(server) as next_one:
            await next_one.send(GET)
            assert b" 200 " in await _answer(next_one)


async def test_behind_a_proxy_connections_are_not_limited_per_address(sqlite_url: str) -> None:
    roomy = in_process(sqlite_url, sockets_per_address=1, trusted_hops=1)
    async with roomy as server, contextlib.AsyncExitStack() as stack:
        for _ in range(20):
            peer = await stack.enter_async_context(RawConnection(server))
            await peer.send(GET)
            assert b" 200 " in await _answer(peer)


def test_disconnecting_with_queued_responses_leaves_no_traceback() -> None:
    asked = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
    with Server() as server:
        for number in range(60):
            with socket.create_connection(("127.0.0.1", server.port)) as peer:
                peer.sendall(asked * (1 + number % 6))
                if number % 3 == 0:
                    peer.recv(100)
                if number % 2:  # reset, not closed
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        assert server.lives
        assert server.faults() == []


FILES = 150


async def test_a_server_without_free_files_still_serves_open_connections(tmp_path: Path) -> None:
    """150 files for 400 connections."""
    port = free_port()
    command = f"ulimit -n {FILES}; exec {sys.executable} -m app.cli serve --port {port}"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", f"{command} --database sqlite:///{tmp_path / 'game.db'}"],
            cwd=ROOT,
            stdout=log,
            stderr=log,
        )
    server = RunningServer(port)
    try:
        await until(lambda: _is_open(port))
        playing = await Raw(port, "/ws/lobby", "").open()
        async with contextlib.AsyncExitStack() as stack:
            readers = [await stack.enter_async_context(RawConnection(server)) for _ in range(8)]
            for reader in readers:
                await reader.send(GET)
                assert b" 200 " in await _answer(reader)
            for _ in range(400):
                with contextlib.suppress(ConnectionError):
                    await stack.enter_async_context(RawConnection(server))
            for _ in range(5):
                assert await playing.answers()
                for reader in readers:  # first requests of these pages: templates and the database need files
                    await reader.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
                for reader in readers:
                    assert b" 200 " in await _answer(reader)
            assert len(playing.pongs) == 5
        await playing.close()
        assert "Traceback" not in (tmp_path / "log").read_text()
        await until(lambda: _is_open(port))
    finally:
        process.terminate()
        process.wait(30)


def _is_open(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as peer:
        peer.sendall(b"GET /readyz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        return b" 200 " in peer.recv(200)
    return False
