"""A handshake in progress when uvicorn stops is answered exactly once, without an error."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from app.web.ws.transport.protocol import SocketProtocol

HANDSHAKE = (
    b"GET /ws/game/x HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
UNAVAILABLE = (
    {"type": "websocket.http.response.start", "status": 503, "headers": []},
    {"type": "websocket.http.response.body", "body": b"This server is stopping."},
)


class Line(asyncio.Transport):
    """A transport that records what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self._is_closing = False

    def write(self, data: Any) -> None:
        self.written.append(bytes(data))

    def close(self) -> None:
        self._is_closing = True

    def is_closing(self) -> bool:
        return self._is_closing

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


@pytest.mark.parametrize(
    "answer", [UNAVAILABLE, ({"type": "websocket.close"},), ({"type": "websocket.accept"},), ()]
)
async def test_an_answer_of_the_app_after_shutdown_is_ignored(
    answer: tuple[dict[str, Any], ...], caplog: pytest.LogCaptureFixture
) -> None:
    is_stopped = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await is_stopped.wait()
        for message in answer:
            await send(message)

    state, line = ServerState(), Line()
    protocol = SocketProtocol(uvicorn.Config(app, lifespan="off", log_config=None), state, {})
    protocol.connection_made(line)
    with caplog.at_level(logging.WARNING):
        protocol.data_received(HANDSHAKE)
        protocol.shutdown()
        is_stopped.set()
        await asyncio.gather(*state.tasks)
    assert b"".join(line.written).count(b"HTTP/1.1 ") == 1
    assert [record.getMessage() for record in caplog.records] == []
    assert line.is_closing()
