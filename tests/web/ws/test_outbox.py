"""The outbox: frames arrive once and in order, a slow peer is closed, nothing is written after the close."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import pytest

from app.play.frames import Frame
from app.web.ws.session import Outbox
from app.web.ws.transport.framing import encode_text
from app.web.ws.transport.protocol import transport_of


class FakeTransport:
    """The part of a socket's transport that an outbox uses."""

    def __init__(self, write: Callable[[bytes], None] | None = None) -> None:
        self.written: list[bytes] = []
        self.closed: list[tuple[int, Frame | None]] = []
        self._write = write or self.written.append

    def attach(self, outbox: Outbox) -> Callable[[bytes], None]:
        return self._write

    def close_with(self, code: int, reason: str, last_frame: Frame | None) -> None:
        self.closed.append((code, last_frame))


class DropCounter:
    """Counts dropped peers."""

    def __init__(self) -> None:
        self.lost = 0

    def count_dropped_socket(self) -> None:
        self.lost += 1


def outbox_of(transport: FakeTransport) -> tuple[Outbox, DropCounter]:
    metrics = DropCounter()
    return Outbox(transport, metrics), metrics  # type: ignore[arg-type]


async def test_frames_that_a_full_socket_buffers_follow_in_order() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    loop = asyncio.get_running_loop()
    connection, _ = await loop.create_connection(asyncio.Protocol, sock=ours)
    assert isinstance(connection, asyncio.Transport)
    outbox, _ = outbox_of(FakeTransport(connection.write))
    frames = [Frame(b"%06d" % number * 5_000) for number in range(40)]
    for frame in frames:
        outbox.send(frame)
    assert connection.get_write_buffer_size(), "the socket is full"
    outbox.send_batch([Frame(b"one"), Frame(b"two")])
    expected = b"".join(map(encode_text, [*frames, Frame(b"one"), Frame(b"two")]))
    received = bytearray()
    with theirs:
        async with asyncio.timeout(10):
            while len(received) < len(expected):
                received += await loop.sock_recv(theirs, 1 << 16)
        assert received == expected
        connection.abort()


def test_a_batch_of_frames_is_one_write() -> None:
    transport = FakeTransport()
    outbox, _ = outbox_of(transport)
    outbox.send_batch([Frame(b"one"), Frame(b"two")])
    assert transport.written == [encode_text(Frame(b"one")) + encode_text(Frame(b"two"))]


def test_a_closed_outbox_writes_nothing() -> None:
    transport = FakeTransport()
    outbox, _ = outbox_of(transport)
    outbox.close(4003, "not admitted")
    outbox.send(Frame(b"news"))
    outbox.send_batch([Frame(b"news")])
    outbox.close(4000, "resume")
    assert transport.written == []
    assert transport.closed == [(4003, None)]


def test_a_slow_peer_is_closed_once_and_sent_nothing_more() -> None:
    transport = FakeTransport()
    outbox, metrics = outbox_of(transport)
    outbox.close_slow_peer()
    outbox.close_slow_peer()
    assert metrics.lost == 1
    assert transport.closed == [(4004, None)]
    outbox.send(Frame(b"more"))
    assert transport.written == []


def test_a_client_that_can_resume_receives_a_bye_before_the_close() -> None:
    transport = FakeTransport()
    outbox, _ = outbox_of(transport)
    outbox.close(4000, "resume")
    ((code, last_frame),) = transport.closed
    assert code == 4000
    assert last_frame is not None
    assert b'"bye"' in last_frame.payload


def test_another_transport_raises_a_helpful_error() -> None:
    with pytest.raises(RuntimeError, match="cartagena serve"):
        transport_of({"type": "websocket", "extensions": {"websocket.http.response": {}}})
