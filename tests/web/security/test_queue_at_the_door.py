"""Handshakes of a crowd wait for their turn before they are read; requests do not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from app.play.turns import BUDGET, Turns, _of_loops
from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.security.request_bounds import MAX_HEAD_BYTES
from app.web.ws.transport.uvicorn import SocketProtocol
from tests.web.ws.transport.test_keepalive import HANDSHAKE, Line

SOCKET = HANDSHAKE.replace(b"GET /ws ", b"GET /ws/game/abc ")


class Door:
    """A server whose turns are taken up until they are let go on; what reaches its app."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.config = uvicorn.Config(
            self._app, interface="asgi3", lifespan="off", log_config=None, ws=SocketProtocol
        )
        self.config.load()
        self.now = 0.0
        self.turns = Turns(lambda: self.now)
        for _ in range(100):
            self.turns.do(self._long_step)

    def _long_step(self) -> None:
        self.now += BUDGET

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})

    def connect(self, first: bytes) -> tuple[BoundedHttpProtocol, Line]:
        line: Any = Line()
        protocol = BoundedHttpProtocol(self.config, ServerState(), {})
        protocol.connection_made(line)
        line.protocol = protocol
        protocol.data_received(first)
        return protocol, line

    async def let_in(self) -> None:
        for _ in range(120):
            await asyncio.sleep(0)


@pytest.fixture
async def door(monkeypatch: pytest.MonkeyPatch) -> Door:
    door = Door()
    monkeypatch.setitem(_of_loops, asyncio.get_running_loop(), door.turns)
    return door


async def test_a_handshake_waits_and_a_request_does_not(door: Door) -> None:
    _, line = door.connect(SOCKET)
    door.connect(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
    for _ in range(3):
        await asyncio.sleep(0)
    assert door.asked == ["/healthz"]
    assert not isinstance(line.protocol, SocketProtocol)
    await door.let_in()
    assert door.asked == ["/healthz", "/ws/game/abc"]
    assert isinstance(line.protocol, SocketProtocol)


async def test_a_head_in_two_pieces_is_read_in_order(door: Door) -> None:
    protocol, line = door.connect(SOCKET[:40])
    protocol.data_received(SOCKET[40:])
    await door.let_in()
    assert door.asked == ["/ws/game/abc"]
    assert isinstance(line.protocol, SocketProtocol)


async def test_nothing_is_done_for_whoever_gave_up(door: Door) -> None:
    protocol, line = door.connect(SOCKET)
    line.is_cut = True
    protocol.connection_lost(None)
    await door.let_in()
    assert door.asked == []


async def test_who_sends_on_while_waiting_is_cut_off(door: Door) -> None:
    protocol, line = door.connect(SOCKET)
    protocol.data_received(b"x" * MAX_HEAD_BYTES)
    assert line.is_cut
    await door.let_in()
    assert door.asked == []
