"""The states of a socket: messages in order, a full inbox, failures of the app and of the session."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from app.play.frames import Frame as ServerFrame
from app.web.ws.transport import protocol as module
from app.web.ws.transport.framing import encode_frame, encode_text
from app.web.ws.transport.protocol import MAX_BUFFERED_BYTES, MAX_WAITING_EVENTS, SocketProtocol
from tests.web.ws.transport.test_keepalive import HANDSHAKE, RecordingTransport

CLOSE = 8


def client_frame(payload: bytes, opcode: Opcode = Opcode.TEXT) -> bytes:
    return Frame(opcode, payload).serialize(mask=True)


def close_frame(code: int, reason: bytes = b"") -> bytes:
    return encode_frame(CLOSE, code.to_bytes(2, "big") + reason)


class PausableTransport(RecordingTransport):
    """A transport that records whether reading is paused, and simulates unsent bytes."""

    def __init__(self) -> None:
        super().__init__()
        self._is_read = True
        self.is_half_closed = False
        self.unsent_bytes = 0

    def pause_reading(self) -> None:
        self._is_read = False

    def resume_reading(self) -> None:
        self._is_read = True

    def is_reading(self) -> bool:
        return self._is_read

    def get_write_buffer_size(self) -> int:
        return self.unsent_bytes

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.is_half_closed = True


class SlowSession:
    """A session that handles texts starting with "slow" when released, and fails on "bad" ones."""

    is_open = True

    def __init__(self) -> None:
        self.received: list[bytes | None] = []
        self.may_go_on = asyncio.Event()
        self.closes = 0

    def receive_text(self, text: bytes | None) -> bytes | None:
        self.received.append(text)
        return text if text is not None and text.startswith((b"slow", b"bad")) else None

    async def handle(self, message: bytes) -> None:
        if message.startswith(b"bad"):
            raise ValueError("planted")
        await self.may_go_on.wait()

    def on_hello_timeout(self) -> None: ...

    async def on_closed(self) -> None:
        self.closes += 1


class Socket:
    """A protocol object whose handshake was sent to `app`."""

    def __init__(self, app: Any) -> None:
        self.server = ServerState()
        self.line = PausableTransport()
        config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none", ws_ping_interval=None)
        self.protocol = SocketProtocol(config, self.server, {})
        self.protocol.connection_made(cast("asyncio.Transport", self.line))
        self.protocol.data_received(HANDSHAKE)

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def end(self) -> None:
        self.protocol.connection_lost(None)
        await asyncio.gather(*self.server.tasks, return_exceptions=True)


async def _open(session: SlowSession) -> Socket:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        scope["extensions"]["cartagena.transport"].deliver_to(session)

    socket = Socket(app)
    await socket.settle()
    assert not socket.server.tasks, "an open socket has no task of its own"
    socket.line.written.clear()
    return socket


async def test_messages_received_during_handling_follow_in_order() -> None:
    session = SlowSession()
    socket = await _open(session)
    socket.protocol.data_received(client_frame(b"first"))
    assert session.received == [b"first"], "handled at once"
    socket.protocol.data_received(client_frame(b"slow"))
    socket.protocol.data_received(client_frame(b"second") + client_frame("dritte ü".encode()))
    socket.protocol.data_received(client_frame(b"\x00", Opcode.BINARY))
    await socket.settle()
    assert session.received == [b"first", b"slow"]
    session.may_go_on.set()
    await socket.settle()
    assert session.received == [b"first", b"slow", b"second", "dritte ü".encode(), None]
    socket.protocol.data_received(client_frame(b"last"))
    assert session.received[-1] == b"last", "handled at once again"
    assert not socket.server.tasks
    await socket.end()
    assert session.closes == 1


async def test_reading_pauses_while_too_many_messages_wait() -> None:
    session = SlowSession()
    socket = await _open(session)
    socket.protocol.data_received(client_frame(b"slow"))
    for number in range(MAX_WAITING_EVENTS):
        assert socket.line.is_reading()
        socket.protocol.data_received(client_frame(b"%d" % number))
    assert not socket.line.is_reading()
    session.may_go_on.set()
    await socket.settle()
    assert socket.line.is_reading()
    assert session.received[1:] == [b"%d" % number for number in range(MAX_WAITING_EVENTS)]
    await socket.end()


async def test_the_peers_close_is_processed_while_too_many_messages_wait() -> None:
    session = SlowSession()
    socket = await _open(session)
    socket.protocol.data_received(client_frame(b"slow"))
    for number in range(MAX_WAITING_EVENTS):
        socket.protocol.data_received(client_frame(b"%d" % number))
    assert not socket.line.is_reading()
    socket.protocol.close_with(4000, "resume")
    assert socket.line.is_reading()
    socket.protocol.data_received(client_frame((4000).to_bytes(2, "big"), Opcode.CLOSE))
    assert socket.line.is_closing()
    assert socket.line.written == [close_frame(4000, b"resume")]
    session.may_go_on.set()
    await socket.settle()
    assert session.closes == 1, "before the connection is gone"
    await socket.end()
    assert session.closes == 1


async def test_a_session_that_fails_is_cleaned_up_once_and_its_peer_receives_1011(
    caplog: pytest.LogCaptureFixture,
) -> None:
    session = SlowSession()
    socket = await _open(session)
    with caplog.at_level(logging.ERROR):
        socket.protocol.data_received(client_frame(b"bad"))
        socket.protocol.data_received(client_frame(b"never received"))
        await socket.settle()
    assert [record.getMessage() for record in caplog.records] == ["a socket's session failed"]
    assert session.received == [b"bad"]
    assert socket.line.written == [close_frame(1011, b"server fault")]
    await socket.end()
    assert session.closes == 1


@pytest.mark.parametrize("is_accepted", [True, False])
async def test_a_failing_app_is_answered_according_to_the_socket_state(
    is_accepted: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        if is_accepted:
            await send({"type": "websocket.accept"})
        raise ValueError("planted")

    with caplog.at_level(logging.ERROR):
        socket = Socket(app)
        await socket.settle()
    assert [record.getMessage() for record in caplog.records] == ["a socket's app failed"]
    if is_accepted:
        assert socket.line.written[1:] == [close_frame(1011, b"server fault")]
    else:
        assert socket.line.written[0].startswith(b"HTTP/1.1 500 ")
        assert socket.line.is_closing()
    await socket.end()


async def test_an_app_may_send_a_denial_in_pieces() -> None:
    is_refused = asyncio.Event()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        headers = [(b"retry-after", b"1")]
        await send({"type": "websocket.http.response.start", "status": 429, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b"not ", "more_body": True})
        await send({"type": "websocket.http.response.body", "body": b"now"})
        with pytest.raises(ClientDisconnected):
            await send({"type": "websocket.accept"})
        is_refused.set()

    socket = Socket(app)
    await socket.settle()
    (answer,) = socket.line.written
    assert answer.startswith(b"HTTP/1.1 429 ")
    assert b"\r\nretry-after: 1\r\n" in answer
    assert b"\r\nContent-Length: 7\r\n" in answer
    assert b"\r\nx-content-type-options: nosniff\r\n" in answer
    assert answer.endswith(b"\r\n\r\nnot now")
    assert is_refused.is_set()
    await socket.end()


@pytest.mark.parametrize("unsent_bytes", [MAX_BUFFERED_BYTES, MAX_BUFFERED_BYTES + 1])
async def test_the_last_frame_is_not_sent_to_a_slow_peer(unsent_bytes: int) -> None:
    socket = await _open(SlowSession())
    socket.line.unsent_bytes = unsent_bytes
    bye = ServerFrame(b'{"t":"bye"}')
    socket.protocol.close_with(4000, "resume", bye)
    is_slow = unsent_bytes > MAX_BUFFERED_BYTES
    assert socket.line.written == [*([] if is_slow else [encode_text(bye)]), close_frame(4000, b"resume")]
    await socket.end()


async def test_after_an_invalid_frame_the_peer_gets_the_reason_and_is_aborted_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "CLOSE_TIMEOUT_SECONDS", 0.01)
    session = SlowSession()
    socket = await _open(session)
    socket.protocol.data_received(client_frame(b"\xff\xff"))
    assert socket.line.written == [close_frame(1007, b"not UTF-8")]
    assert socket.line.is_half_closed
    assert not socket.line.is_closing()
    socket.protocol.data_received(client_frame(b"discarded"))
    await asyncio.sleep(0.05)
    assert socket.line.is_closing()
    assert session.received == []
    assert session.closes == 1
    await socket.end()
