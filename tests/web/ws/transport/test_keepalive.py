"""Keep-alive: every socket is visited once per interval, and a silent one is pinged and closed."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import uvicorn
from uvicorn.server import ServerState

from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.ws.transport.framing import encode_frame
from app.web.ws.transport.keepalive import SLOTS_PER_INTERVAL, KeepaliveTimer
from app.web.ws.transport.protocol import SocketProtocol

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PING = encode_frame(9, b"")
PONG = b"\x8a\x80\x00\x00\x00\x00"
TIMED_OUT = (1011).to_bytes(2, "big") + b"keepalive ping timeout"


class ManualLoop:
    """An event loop whose timers fire when the test advances time."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        self.due.append((seconds, call))
        return SimpleNamespace(cancel=lambda: None)

    def pass_slots(self, count: int) -> None:
        for _ in range(count):
            ((_, call),) = self.due
            self.due.clear()
            call()


class Socket:
    def __init__(self) -> None:
        self.visits = 0

    def visit(self) -> None:
        self.visits += 1


def _timer() -> tuple[Any, KeepaliveTimer]:
    loop: Any = ManualLoop()
    return loop, KeepaliveTimer(loop, 20.0)


def test_a_socket_is_pinged_once_an_interval() -> None:
    loop, timer = _timer()
    socket = Socket()
    timer.join(socket)
    assert loop.due[0][0] == 20.0 / SLOTS_PER_INTERVAL
    loop.pass_slots(SLOTS_PER_INTERVAL - 1)
    assert socket.visits == 0
    loop.pass_slots(1)
    assert socket.visits == 1
    loop.pass_slots(2 * SLOTS_PER_INTERVAL)
    assert socket.visits == 3


def test_a_socket_that_joins_later_has_a_later_slot() -> None:
    loop, timer = _timer()
    early, late = Socket(), Socket()
    timer.join(early)
    loop.pass_slots(5)
    timer.join(late)
    loop.pass_slots(SLOTS_PER_INTERVAL - 5)
    assert (early.visits, late.visits) == (1, 0)
    loop.pass_slots(5)
    assert (early.visits, late.visits) == (1, 1)


def test_a_closed_socket_is_not_visited_and_without_sockets_no_timer_runs() -> None:
    loop, timer = _timer()
    gone, there = Socket(), Socket()
    slot = timer.join(gone)
    timer.join(there)
    slot.discard(gone)
    loop.pass_slots(SLOTS_PER_INTERVAL)
    assert (gone.visits, there.visits) == (0, 1)
    slot.discard(there)
    loop.pass_slots(1)
    assert not loop.due, "without sockets no timer runs"
    timer.join(there)
    loop.pass_slots(SLOTS_PER_INTERVAL)
    assert there.visits == 2


class RecordingTransport:
    """A transport that records what is written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.is_cut = False
        self.protocol: Any = None

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...

    def write(self, some: bytes) -> None:
        self.written.append(some)

    def abort(self) -> None:
        self.is_cut = True

    close = abort

    def is_closing(self) -> bool:
        return self.is_cut

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default


async def _open_sockets(
    count: int,
) -> tuple[list[tuple[SocketProtocol, RecordingTransport]], dict[str, Any], asyncio.Event]:
    """Open sockets of one server, with handshakes answered, until the event is set."""
    may_go = asyncio.Event()

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        opened.release()
        await may_go.wait()

    opened = asyncio.Semaphore(0)
    state: dict[str, Any] = {}
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none", ws_ping_interval=3600.0)
    server = ServerState()
    sockets = []
    for _ in range(count):
        line: Any = RecordingTransport()
        protocol = SocketProtocol(config, server, state)
        protocol.connection_made(line)
        protocol.data_received(HANDSHAKE)
        await opened.acquire()
        line.written.clear()
        sockets.append((protocol, line))
    return sockets, state, may_go


async def test_a_silent_peer_is_pinged_and_then_closed_unless_it_answers() -> None:
    sockets, _, may_go = await _open_sockets(3)
    (_, silent_line), (alive, alive_line), (talking, talking_line) = sockets
    for number in range(6):
        for socket, _line in sockets:
            socket.visit()
        if number % 2:
            alive.data_received(PONG)
        talking.data_received(PONG)
    assert alive_line.written == [PING] * 3
    assert talking_line.written == []
    assert silent_line.written[0] == PING
    assert silent_line.written[1].endswith(TIMED_OUT)
    assert len(silent_line.written) == 2, "and then no more"
    may_go.set()
    for socket, _line in sockets:
        socket.connection_lost(None)


class FixedQuota:
    """A quota that pays for a number of frames."""

    def __init__(self, frames: int) -> None:
        self.left = frames

    def charge_frames(self, frames: int) -> float:
        self.left -= frames
        return 0.0 if self.left >= 0 else 3600.0

    def release(self) -> None: ...


async def test_a_pong_is_charged_and_needs_no_parser() -> None:
    ((socket, line),), _, may_go = await _open_sockets(1)
    purse = FixedQuota(3)
    socket.charge_to(purse)
    for _ in range(3):
        socket.data_received(PONG)
    assert purse.left == 0
    assert socket._parser is None
    socket.data_received(PONG)  # beyond its quota: nothing is read until the debt is paid
    assert socket._is_paused
    assert line.written == []
    may_go.set()
    socket.connection_lost(None)


async def test_all_sockets_of_a_server_share_one_timer_and_leave_nothing_behind() -> None:
    sockets, state, may_go = await _open_sockets(3)
    (timer,) = state.values()
    assert sum(len(slot) for slot in timer._slots) == 3
    may_go.set()
    for socket, _ in sockets:
        socket.connection_lost(None)
    assert not any(timer._slots)


async def test_a_socket_has_no_dict_and_drops_its_handshake() -> None:
    ((socket, _),), _, may_go = await _open_sockets(1)
    assert not hasattr(socket, "__dict__")
    assert socket._handshake is None
    assert socket._parser is None
    may_go.set()
    socket.connection_lost(None)


async def test_an_upgraded_request_is_freed_without_the_garbage_collector() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    config = uvicorn.Config(app, lifespan="off", log_config=None, http=BoundedHttpProtocol, ws=SocketProtocol)
    config.load()
    server, line = ServerState(), RecordingTransport()
    request = BoundedHttpProtocol(config, server, {})
    gc.disable()
    try:
        request.connection_made(cast("asyncio.Transport", line))
        request.data_received(HANDSHAKE)
        known = weakref.ref(request)
        del request
        assert isinstance(line.protocol, SocketProtocol)
        assert known() is None
    finally:
        gc.enable()
    line.protocol.connection_lost(None)
    await asyncio.gather(*server.tasks)


async def test_a_peer_that_sends_data_before_the_handshake_answer_is_aborted() -> None:
    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        events.extend([await receive(), await receive()])

    events: list[Any] = []
    server, line = ServerState(), RecordingTransport()
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none")
    protocol = SocketProtocol(config, server, {})
    protocol.connection_made(cast("asyncio.Transport", line))
    protocol.data_received(HANDSHAKE)
    protocol.data_received(PONG * 1000)
    assert line.is_cut
    protocol.connection_lost(None)
    await asyncio.gather(*server.tasks)
    assert [event["type"] for event in events] == ["websocket.connect", "websocket.disconnect"]
    assert line.written == []
