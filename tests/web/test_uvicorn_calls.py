"""All that this server builds on inside uvicorn. A new version that changes any of it fails here first."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import Server, ServerState

from app.web.wire_uvicorn import ThinProtocol
from tests.web.test_wire_rounds import HANDSHAKE, Line

# What uvicorn calls on the class that is given as `ws`, in this order, and what else the event loop calls.
OF_UVICORN = ["connection_made", "data_received", "shutdown"]
OF_THE_LOOP = ["connection_lost", "eof_received", "pause_writing", "resume_writing"]


class Asked:
    """Answers everything and notes what it was asked."""

    def __init__(self, **named: Any) -> None:
        self.named = named
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        made.append(self)

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.calls.append((name, given))


made: list[Asked] = []


async def _nothing(scope: Any, receive: Any, send: Any) -> None: ...


async def test_what_uvicorn_asks_of_a_socket_protocol() -> None:
    made.clear()
    config = uvicorn.Config(_nothing, lifespan="off", log_config=None, ws=Asked)  # type: ignore[arg-type]
    config.load()
    server = Server(config)
    state, line = server.server_state, Line()
    request = HttpToolsProtocol(config, state, {})
    request.connection_made(line)  # type: ignore[arg-type]
    request.data_received(HANDSHAKE)
    (socket,) = made
    assert socket.named == {"config": config, "server_state": state, "app_state": {}}
    assert line.protocol is socket
    assert request not in state.connections, "the socket enters itself"
    state.connections.add(socket)
    server.servers = []
    server.lifespan = config.lifespan_class(config)
    server.force_exit = True
    await server.shutdown()
    assert [name for name, _ in socket.calls] == OF_UVICORN
    assert socket.calls[0][1] == (line,)
    (head,) = socket.calls[1][1]
    assert head.split(b"\r\n")[0] == b"GET /ws HTTP/1.1"
    assert head.endswith(b"\r\n\r\n"), "the whole head, and nothing after it"


def test_the_socket_protocol_answers_those_calls_and_no_others() -> None:
    assert list(inspect.signature(ThinProtocol).parameters) == ["config", "server_state", "app_state"]
    for name in OF_UVICORN + OF_THE_LOOP:
        assert callable(getattr(ThinProtocol, name))
    assert [name for name, _ in inspect.getmembers(asyncio.Protocol, inspect.isfunction)] == sorted(
        {*OF_UVICORN, *OF_THE_LOOP} - {"shutdown"}
    )


def test_what_is_read_of_uvicorns_own_objects() -> None:
    config = uvicorn.Config(
        _nothing, lifespan="off", log_config=None, ws="none", ws_max_size=7, ws_ping_interval=3.0
    )
    assert config.loaded is False
    config.load()
    assert (config.ws_max_size, config.ws_ping_interval, config.root_path) == (7, 3.0, "")
    assert callable(config.loaded_app)
    assert isinstance(config.asgi_version, str)
    state = ServerState()
    assert (state.connections, state.tasks, state.default_headers) == (set(), set(), [])
