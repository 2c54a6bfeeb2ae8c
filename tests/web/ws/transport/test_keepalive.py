"""Signs of life: every socket has its turn once an interval, and one that stays silent is closed."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import uvicorn
from uvicorn.server import ServerState

from app.web.security.http_protocol import CarefulHttp
from app.web.ws.transport.base import framed_as
from app.web.ws.transport.keepalive import TURNS, Rounds
from app.web.ws.transport.uvicorn import ThinProtocol

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
ASKED = framed_as(9, b"")
PONG = b"\x8a\x80\x00\x00\x00\x00"
TIMED_OUT = (1011).to_bytes(2, "big") + b"keepalive ping timeout"


class HandLoop:
    """Time goes on when the test says so."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, seconds: float, call: Callable[[], None]) -> Any:
        self.due.append((seconds, call))
        return SimpleNamespace(cancel=lambda: None)

    def pass_turns(self, count: int) -> None:
        for _ in range(count):
            ((_, call),) = self.due
            self.due.clear()
            call()


class Client:
    def __init__(self) -> None:
        self.beats = 0

    def beat(self) -> None:
        self.beats += 1


def _rounds() -> tuple[Any, Rounds]:
    loop: Any = HandLoop()
    return loop, Rounds(loop, 20.0)


def test_a_turn_comes_once_an_interval() -> None:
    loop, rounds = _rounds()
    client = Client()
    rounds.join(client)
    assert loop.due[0][0] == 20.0 / TURNS
    loop.pass_turns(TURNS - 1)
    assert client.beats == 0
    loop.pass_turns(1)
    assert client.beats == 1
    loop.pass_turns(2 * TURNS)
    assert client.beats == 3


def test_whoever_comes_later_has_a_later_turn_of_the_same_round() -> None:
    loop, rounds = _rounds()
    early, late = Client(), Client()
    rounds.join(early)
    loop.pass_turns(5)
    rounds.join(late)
    loop.pass_turns(TURNS - 5)
    assert (early.beats, late.beats) == (1, 0)
    loop.pass_turns(5)
    assert (early.beats, late.beats) == (1, 1)


def test_whoever_has_left_is_not_asked_and_an_empty_round_rests() -> None:
    loop, rounds = _rounds()
    gone, there = Client(), Client()
    turn = rounds.join(gone)
    rounds.join(there)
    turn.discard(gone)
    loop.pass_turns(TURNS)
    assert (gone.beats, there.beats) == (0, 1)
    turn.discard(there)
    loop.pass_turns(1)
    assert not loop.due, "no timer runs for nobody"
    rounds.join(there)
    loop.pass_turns(TURNS)
    assert there.beats == 2


class Line:
    """A transport that keeps what is written."""

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


async def _open_sockets(count: int) -> tuple[list[tuple[ThinProtocol, Line]], dict[str, Any], asyncio.Event]:
    """So many sockets of one server, each with its handshake answered; they stay until the event."""
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
        line: Any = Line()
        protocol = ThinProtocol(config, server, state)
        protocol.connection_made(line)
        protocol.data_received(HANDSHAKE)
        await opened.acquire()
        line.written.clear()
        sockets.append((protocol, line))
    return sockets, state, may_go


async def test_a_peer_that_is_silent_for_two_turns_is_closed_and_one_that_answers_is_not() -> None:
    ((silent, silent_line), (alive, alive_line)), _, may_go = await _open_sockets(2)
    for _ in range(3):
        for socket in (silent, alive):
            socket.beat()
        alive.data_received(PONG)
    assert alive_line.written == [ASKED] * 3
    assert silent_line.written[0] == ASKED
    assert silent_line.written[1].endswith(TIMED_OUT)
    assert len(silent_line.written) == 2, "and then no more"
    may_go.set()
    for socket in (silent, alive):
        socket.connection_lost(None)


async def test_all_sockets_of_a_server_share_one_timer_and_leave_nothing_behind() -> None:
    sockets, state, may_go = await _open_sockets(3)
    (rounds,) = state.values()
    assert sum(len(turn) for turn in rounds._turns) == 3
    may_go.set()
    for socket, _ in sockets:
        socket.connection_lost(None)
    assert not any(rounds._turns)


async def test_a_socket_keeps_no_dictionary_and_nothing_of_its_handshake() -> None:
    ((socket, _),), _, may_go = await _open_sockets(1)
    assert not hasattr(socket, "__dict__")
    assert socket._handshake is None
    assert socket._odd is None
    may_go.set()
    socket.connection_lost(None)


async def test_a_request_that_became_a_socket_is_gone_without_the_collector() -> None:
    async def app(_scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    config = uvicorn.Config(app, lifespan="off", log_config=None, http=CarefulHttp, ws=ThinProtocol)
    config.load()
    server, line = ServerState(), Line()
    request = CarefulHttp(config, server, {})
    gc.disable()
    try:
        request.connection_made(cast("asyncio.Transport", line))
        request.data_received(HANDSHAKE)
        known = weakref.ref(request)
        del request
        assert isinstance(line.protocol, ThinProtocol)
        assert known() is None
    finally:
        gc.enable()
    line.protocol.connection_lost(None)
    await asyncio.gather(*server.tasks)


async def test_a_peer_that_does_not_wait_for_the_answer_to_its_handshake_is_cut_off() -> None:
    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        events.extend([await receive(), await receive()])

    events: list[Any] = []
    server, line = ServerState(), Line()
    config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none")
    protocol = ThinProtocol(config, server, {})
    protocol.connection_made(cast("asyncio.Transport", line))
    protocol.data_received(HANDSHAKE)
    protocol.data_received(PONG * 1000)
    assert line.is_cut
    protocol.connection_lost(None)
    await asyncio.gather(*server.tasks)
    assert [event["type"] for event in events] == ["websocket.connect", "websocket.disconnect"]
    assert line.written == []
