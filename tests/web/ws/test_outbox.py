"""An outbox writes straight to its socket, and everything arrives once and in order whatever the socket takes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from app.play.frames import Frame
from app.web.ws.outbox import Outbox
from app.web.ws.transport.base import NOT_STRAIGHT, Straight, framed


class Transport:
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


class Wire:
    """As much of one as an outbox needs."""

    def __init__(self, transport: Transport, *, straight: bool = True) -> None:
        self.transport = transport
        self.is_straight = straight
        self.is_full = False
        self.frames: list[Frame] = []
        self.closed: list[int] = []

    def open_for(self, outbox: Outbox) -> Straight:
        if not self.is_straight:
            return NOT_STRAIGHT
        return self.transport.own.fileno(), self.transport.unsent, self.transport.write

    def send_frame(self, frame: Frame) -> bool:
        self.frames.append(frame)
        return not self.is_full

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


def outbox_of(wire: Wire) -> tuple[Outbox, MetricsPort]:
    metrics = MetricsPort()
    return Outbox(wire, metrics), metrics  # type: ignore[arg-type]


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
    transport = Transport(ours)
    outbox, _ = outbox_of(Wire(transport))
    frames = [Frame(b"%06d" % number * 5_000) for number in range(40)]
    heard = b""
    for frame in frames:
        outbox.tell(frame)
    assert transport.kept, "More than a socket takes at once."
    while transport.kept:
        heard += read_all(theirs)
        transport.go_on()
    outbox.tell(Frame(b"the last"))
    assert not transport.kept, "Nothing waits before it any more: straight again."
    heard += read_all(theirs)
    assert heard == b"".join(map(framed, [*frames, Frame(b"the last")]))


def test_nothing_overtakes_what_waits_in_the_transport(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    transport = Transport(ours)
    transport.kept = b"a ping"
    outbox, _ = outbox_of(Wire(transport))
    outbox.tell(Frame(b"news"))
    assert read_all(theirs) == b""
    assert transport.kept == b"a ping" + framed(Frame(b"news"))


def test_a_peer_that_is_gone_is_the_transports_to_find_out(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    transport = Transport(ours)
    outbox, metrics = outbox_of(Wire(transport))
    theirs.close()
    outbox.tell(Frame(b"news"))
    assert transport.kept == framed(Frame(b"news"))
    assert outbox.is_open
    assert not metrics.lost


def test_a_closed_outbox_touches_no_file(pair: tuple[socket.socket, socket.socket]) -> None:
    """The number of its file may be another socket's by then."""
    ours, theirs = pair
    wire = Wire(Transport(ours))
    outbox, _ = outbox_of(wire)
    outbox.end(4003, "not admitted")
    outbox.tell(Frame(b"news"))
    assert read_all(theirs) == b""
    assert wire.closed == [4003]


def test_where_there_is_no_straight_way_the_wire_sends_and_says_who_is_slow(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    wire = Wire(Transport(pair[0]), straight=False)
    outbox, metrics = outbox_of(wire)
    outbox.tell(Frame(b"news"))
    assert [frame.payload for frame in wire.frames] == [b"news"]
    wire.is_full = True
    outbox.tell(Frame(b"more"))
    assert metrics.lost == 1
    assert wire.closed == [4004]
    outbox.shed()
    assert metrics.lost == 1, "It is told once."
