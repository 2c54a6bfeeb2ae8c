"""An outbox writes to its socket's file, and everything arrives once and in order whatever the socket takes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from app.play.frames import Frame
from app.web.ws.session import Outbox
from app.web.ws.transport.base import DirectWrite, transport_of
from app.web.ws.transport.framing import encoded


class Buffer:
    """Keeps what it is given until it is asked to go on, as a transport does behind a full socket."""

    def __init__(self, own: socket.socket) -> None:
        self.own = own
        self.kept = b""

    def unsent(self) -> int:
        return len(self.kept)

    def write(self, wired: bytes) -> None:
        self.kept += wired

    def go_on(self) -> None:
        sent = self.own.send(self.kept)
        self.kept = self.kept[sent:]


class Transport:
    """As much of one as an outbox needs."""

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.frames: list[Frame] = []
        self.closed: list[int] = []

    def attach(self, outbox: Outbox) -> DirectWrite:
        return self.buffer.own.fileno(), self.buffer.unsent, self.buffer.write

    def send_frame(self, frame: Frame) -> None:
        self.frames.append(frame)

    def close_with(self, code: int, reason: str) -> None:
        self.closed.append(code)


class MetricsPort:
    """Counts whom it lost."""

    def __init__(self) -> None:
        self.lost = 0

    def dropped(self) -> None:
        self.lost += 1


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def outbox_of(transport: Transport) -> tuple[Outbox, MetricsPort]:
    metrics = MetricsPort()
    return Outbox(transport, metrics), metrics  # type: ignore[arg-type]


def read_all(theirs: socket.socket) -> bytes:
    parts = []
    try:
        while part := theirs.recv(1 << 20):
            parts.append(part)
    except BlockingIOError:
        pass
    return b"".join(parts)


def test_what_a_full_socket_does_not_take_follows_in_order(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = pair
    buffer = Buffer(ours)
    outbox, _ = outbox_of(Transport(buffer))
    frames = [Frame(b"%06d" % number * 5_000) for number in range(40)]
    heard = b""
    for frame in frames:
        outbox.tell(frame)
    assert buffer.kept, "More than a socket takes at once."
    while buffer.kept:
        heard += read_all(theirs)
        buffer.go_on()
    outbox.tell(Frame(b"the last"))
    assert not buffer.kept, "Nothing waits before it any more: written at once again."
    heard += read_all(theirs)
    assert heard == b"".join(map(encoded, [*frames, Frame(b"the last")]))


def test_nothing_overtakes_what_waits_in_the_transport(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    buffer = Buffer(ours)
    buffer.kept = b"a ping"
    outbox, _ = outbox_of(Transport(buffer))
    outbox.tell(Frame(b"news"))
    assert read_all(theirs) == b""
    assert buffer.kept == b"a ping" + encoded(Frame(b"news"))


def test_a_peer_that_is_gone_is_the_transports_to_find_out(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    buffer = Buffer(ours)
    outbox, metrics = outbox_of(Transport(buffer))
    theirs.close()
    outbox.tell(Frame(b"news"))
    assert buffer.kept == encoded(Frame(b"news"))
    assert outbox.is_open
    assert not metrics.lost


def test_a_closed_outbox_touches_no_file(pair: tuple[socket.socket, socket.socket]) -> None:
    """The number of its file may be another socket's by then."""
    ours, theirs = pair
    transport = Transport(Buffer(ours))
    outbox, _ = outbox_of(transport)
    outbox.end(4003, "not admitted")
    outbox.tell(Frame(b"news"))
    assert read_all(theirs) == b""
    assert transport.closed == [4003]


def test_a_slow_peer_is_shed_once_and_told_nothing_more(pair: tuple[socket.socket, socket.socket]) -> None:
    transport = Transport(Buffer(pair[0]))
    outbox, metrics = outbox_of(transport)
    outbox.shed()
    outbox.shed()
    assert metrics.lost == 1
    assert transport.closed == [4004]
    outbox.tell(Frame(b"more"))
    assert read_all(pair[1]) == b""


def test_whoever_is_to_resume_is_told_so_before_the_close(pair: tuple[socket.socket, socket.socket]) -> None:
    transport = Transport(Buffer(pair[0]))
    outbox, _ = outbox_of(transport)
    outbox.end(4000, "resume")
    assert b'"bye"' in transport.frames[0].payload
    assert transport.closed == [4000]


def test_a_server_that_does_not_offer_our_transport_is_named_in_the_fault() -> None:
    with pytest.raises(RuntimeError, match="cartagena serve"):
        transport_of({"type": "websocket", "extensions": {"websocket.http.response": {}}})
