"""Admission control of HTTP connections: handshakes wait before they are parsed; requests do not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from app.admission import BUDGET_SECONDS, AdmissionQueue, _queues
from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.security.request_bounds import MAX_HEAD_BYTES
from app.web.ws.transport.protocol import SocketProtocol
from tests.web.ws.transport.test_keepalive import HANDSHAKE, RecordingTransport

SOCKET = HANDSHAKE.replace(b"GET /ws ", b"GET /ws/game/abc ")


class BlockedServer:
    """A server whose admission queue is blocked until released; records what reaches its app."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.config = uvicorn.Config(
            self._app, interface="asgi3", lifespan="off", log_config=None, ws=SocketProtocol
        )
        self.config.load()
        self.now = 0.0
        self.queue = AdmissionQueue(lambda: self.now)
        for _ in range(100):
            self.queue.run(self._long_step)

    def _long_step(self) -> None:
        self.now += BUDGET_SECONDS

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    def connect(self, first: bytes) -> tuple[BoundedHttpProtocol, RecordingTransport]:
        line: Any = RecordingTransport()
        protocol = BoundedHttpProtocol(self.config, ServerState(), {})
        protocol.connection_made(line)
        line.protocol = protocol
        protocol.data_received(first)
        return protocol, line

    async def release(self) -> None:
        for _ in range(120):
            await asyncio.sleep(0)


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> BlockedServer:
    server = BlockedServer()
    monkeypatch.setitem(_queues, asyncio.get_running_loop(), server.queue)
    return server


async def test_a_handshake_waits_and_a_request_does_not(server: BlockedServer) -> None:
    _, line = server.connect(SOCKET)
    server.connect(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
    for _ in range(3):
        await asyncio.sleep(0)
    assert server.asked == ["/healthz"]
    assert not isinstance(line.protocol, SocketProtocol)
    await server.release()
    assert server.asked == ["/healthz", "/ws/game/abc"]
    assert isinstance(line.protocol, SocketProtocol)


async def test_a_head_in_two_pieces_is_processed_in_order(server: BlockedServer) -> None:
    protocol, line = server.connect(SOCKET[:40])
    protocol.data_received(SOCKET[40:])
    await server.release()
    assert server.asked == ["/ws/game/abc"]
    assert isinstance(line.protocol, SocketProtocol)


async def test_a_client_that_disconnected_while_waiting_is_not_processed(server: BlockedServer) -> None:
    protocol, line = server.connect(SOCKET)
    line.is_cut = True
    protocol.connection_lost(None)
    await server.release()
    assert server.asked == []


async def test_a_client_that_keeps_sending_while_waiting_is_aborted(server: BlockedServer) -> None:
    protocol, line = server.connect(SOCKET)
    protocol.data_received(b"x" * MAX_HEAD_BYTES)
    assert line.is_cut
    await server.release()
    assert server.asked == []
