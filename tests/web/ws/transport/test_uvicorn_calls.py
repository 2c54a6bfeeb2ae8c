"""The internals of uvicorn that this server relies on. A new version that changes them fails here first."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import Server, ServerState

from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.ws.transport.protocol import SocketProtocol
from tests.attack.raw_connection import until
from tests.web.ws.transport.test_keepalive import HANDSHAKE, RecordingTransport

# What uvicorn calls on the `ws` class, in this order, and what else the event loop calls.
UVICORN_CALLS = ["connection_made", "data_received", "shutdown"]
EVENT_LOOP_CALLS = ["connection_lost", "eof_received", "pause_writing", "resume_writing"]


class RecordingObject:
    """An object that has every attribute and records which were used."""

    def __init__(self, **named: Any) -> None:
        self.named = named
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        made.append(self)

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.calls.append((name, given))


made: list[RecordingObject] = []


async def _do_nothing(scope: Any, receive: Any, send: Any) -> None: ...


async def test_uvicorn_calls_only_these_methods_of_a_socket_protocol() -> None:
    made.clear()
    config = uvicorn.Config(_do_nothing, lifespan="off", log_config=None, ws=RecordingObject)  # type: ignore[arg-type]
    config.load()
    server = Server(config)
    state, line = server.server_state, RecordingTransport()
    request = HttpToolsProtocol(config, state, {})
    request.connection_made(line)  # type: ignore[arg-type]
    request.data_received(HANDSHAKE)
    (socket,) = made
    assert socket.named == {"config": config, "server_state": state, "app_state": {}}
    assert line.protocol is socket
    assert request not in state.connections, "the socket registers itself"
    state.connections.add(socket)
    server.servers = []
    server.lifespan = config.lifespan_class(config)
    server.force_exit = True
    await server.shutdown()
    assert [name for name, _ in socket.calls] == UVICORN_CALLS
    assert socket.calls[0][1] == (line,)
    (head,) = socket.calls[1][1]
    assert head.split(b"\r\n")[0] == b"GET /ws HTTP/1.1"
    assert head.endswith(b"\r\n\r\n"), "the whole head, and nothing after it"


def test_the_socket_protocol_implements_exactly_those_methods() -> None:
    assert list(inspect.signature(SocketProtocol).parameters) == ["config", "server_state", "app_state"]
    for name in UVICORN_CALLS + EVENT_LOOP_CALLS:
        assert callable(getattr(SocketProtocol, name))
    assert [name for name, _ in inspect.getmembers(asyncio.Protocol, inspect.isfunction)] == sorted(
        {*UVICORN_CALLS, *EVENT_LOOP_CALLS} - {"shutdown"}
    )


def test_uvicorn_objects_have_the_attributes_we_use() -> None:
    config = uvicorn.Config(
        _do_nothing, lifespan="off", log_config=None, ws="none", ws_max_size=7, ws_ping_interval=3.0
    )
    assert config.loaded is False
    config.load()
    assert (config.ws_max_size, config.ws_ping_interval, config.root_path) == (7, 3.0, "")
    assert callable(config.loaded_app)
    assert isinstance(config.asgi_version, str)
    state = ServerState()
    assert (state.connections, state.tasks, state.default_headers) == (set(), set(), [])


def test_the_http_protocol_overrides_these_uvicorn_methods() -> None:
    """uvicorn's own class, the parser or the event loop calls each of these with these arguments."""
    expected = {
        "connection_made": ["transport"],
        "connection_lost": ["exc"],
        "data_received": ["data"],
        "pause_writing": [],
        "resume_writing": [],
        "on_message_begin": [],
        "on_headers_complete": [],
        "on_body": ["body"],
        "on_message_complete": [],
        "on_response_complete": [],
        "send_400_response": ["msg"],
        "handle_websocket_upgrade": [],
    }
    changed = {name for name in vars(BoundedHttpProtocol) if not name.startswith("_")}
    assert changed == set(expected)
    for name, arguments in expected.items():
        own = inspect.signature(getattr(HttpToolsProtocol, name))
        assert list(own.parameters) == ["self", *arguments], name


async def test_the_http_protocol_uses_these_uvicorn_attributes() -> None:
    config = uvicorn.Config(_answers, lifespan="off", log_config=None, ws="none")
    config.load()
    line: Any = RecordingTransport()
    request: Any = HttpToolsProtocol(config, ServerState(), {})
    request.connection_made(line)
    assert request.cycle is None
    assert not request.pipeline
    assert not request.flow.read_paused
    request.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
    first: Any = request.cycle
    assert len(request.pipeline) == 2
    assert request.pipeline[0][0] is request.cycle, (
        "the last that came in; the next to be answered is at the end"
    )
    assert request.flow.read_paused
    assert (first.keep_alive, first.disconnected, first.response_started, first.response_complete) == (
        True,
        False,
        False,
        False,
    )
    request.cycle.keep_alive = False
    await until(line.is_closing)
    assert b"".join(line.written).count(b"HTTP/1.1 204") == 3
    assert request.cycle.response_complete
    request.connection_lost(None)


async def _answers(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})
