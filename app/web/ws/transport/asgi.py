"""The ASGI half of a socket: it answers the handshake, then delivers messages to the session as they come.

No task lives with a socket once its first message is there: one is made only for a message whose answer takes time.
"""

from __future__ import annotations

import asyncio
import enum
import logging
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.utils import ClientDisconnected, get_local_addr, get_remote_addr, is_ssl

from app.web.ws.transport.base import EXTENSION, Session
from app.web.ws.transport.handshake import Handshake

if TYPE_CHECKING:
    import uvicorn
    from uvicorn.server import ServerState

Event = dict[str, Any]


class Inbox:
    """What waits for the app, in order: as much of asyncio.Queue as is needed, at a tenth of its memory."""

    __slots__ = ("_events", "_waiter")

    def __init__(self) -> None:
        self._events: list[Event] | None = None  # never more than a few, as a rule none
        self._waiter: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return 0 if self._events is None else len(self._events)

    def put_nowait(self, event: Event) -> None:
        if self._events is None:
            self._events = [event]
        else:
            self._events.append(event)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> Event:
        while self._events is None:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event = self._events.pop(0)
        if not self._events:
            self._events = None
        return event


MOST_WAITING = 16  # messages the app has not taken; then the peer is not read from

_log = logging.getLogger("cartagena.sockets")


class Stage(enum.IntEnum):
    """How far a socket has come; it only goes forward."""

    HANDSHAKE = 0  # the request is not answered yet
    OPEN = 1
    CLOSING = 2  # this side has sent its close frame; only the peer's is waited for
    ENDED = 3  # nothing is read or sent any more; what was sent may still wait in the buffer
    GONE = 4


class AsgiSocket(asyncio.Protocol, ABC):
    """A socket as the ASGI app knows it. The other half, `uvicorn.SocketProtocol`, has the connection."""

    __slots__ = (
        "_config",
        "_handling",
        "_handshake",
        "_inbox",
        "_is_full",
        "_is_handed_over",
        "_loop",
        "_server",
        "_session",
        "_stage",
        "_state",
        "_transport",
    )

    def __init__(self, config: uvicorn.Config, server_state: ServerState, app_state: dict[str, Any]) -> None:
        if not config.loaded:
            config.load()
        self._config = config
        self._server = server_state
        self._state = app_state  # of the lifespan, shared by all connections of this server
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._stage = Stage.HANDSHAKE
        self._handshake: Handshake | None = Handshake()  # until it is answered
        self._inbox = Inbox()
        self._is_full = False  # too many messages wait for the app
        self._session: Session | None = None  # from the first message on
        self._is_handed_over = False
        self._handling: asyncio.Task[None] | None = None

    # -- what the other half does ------------------------------------------------------------------

    @abstractmethod
    def close_with(self, code: int, reason: str) -> None: ...

    @abstractmethod
    def _opened(self) -> None: ...

    @abstractmethod
    def _write(self, wired: bytes) -> None: ...

    @abstractmethod
    def _close(self) -> None: ...

    @abstractmethod
    def _resume(self) -> None: ...

    # -- the handshake -----------------------------------------------------------------------------

    def _begin(self, head: bytes) -> None:
        """uvicorn gives the request's head again, whole. Whatever comes before its answer breaks the protocol."""
        handshake = self._handshake
        if handshake is None or handshake.is_read:
            self._transport.abort()
            return
        transport, config = self._transport, self._config
        scope = handshake.read(
            head,
            {
                "type": "websocket",
                "asgi": {"version": config.asgi_version, "spec_version": "2.4"},
                "http_version": "1.1",
                "scheme": "wss" if is_ssl(transport) else "ws",
                "server": get_local_addr(transport),
                "client": get_remote_addr(transport),
                "root_path": config.root_path,
                "state": self._state.copy(),
                "extensions": {"websocket.http.response": {}, EXTENSION: self},
            },
        )
        if scope is None:
            self._write(handshake.refused())
            self._close()
            return
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._start(self._run(scope)).add_done_callback(self._ran)

    async def _run(self, scope: dict[str, Any]) -> None:
        """The app returns when the socket is done, or when it has handed over to a session: then it stays open."""
        with suppress(ClientDisconnected):  # a send that came too late
            await self._config.loaded_app(scope, self.receive, self.send)

    def _ran(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            _log.error("a socket's app failed", exc_info=task.exception())
            self.close_with(1011, "server fault")
        if self._stage is Stage.HANDSHAKE:
            self._deny(500)
        elif self._stage is Stage.OPEN and not self._is_handed_over:
            self.close_with(1000, "")

    async def receive(self) -> Any:
        event = await self._inbox.get()
        if self._is_full and not self._inbox:
            self._is_full = False
            self._resume()
        return event

    async def send(self, message: Any) -> None:
        kind = message["type"]
        if self._stage is Stage.HANDSHAKE:
            self._answer_handshake(kind, message)
        elif self._stage is not Stage.OPEN:
            raise ClientDisconnected
        else:
            self.close_with(message.get("code", 1000), message.get("reason") or "")

    def _answer_handshake(self, kind: str, message: Any) -> None:
        handshake = self._handshake
        assert handshake is not None
        if kind == "websocket.accept":
            added = [*self._server.default_headers, *message.get("headers", ())]
            self._write(handshake.accepted(added, message.get("subprotocol")))
            self._handshake = None
            self._stage = Stage.OPEN
            self._opened()
        elif kind == "websocket.close":
            self._deny(403)
        elif kind == "websocket.http.response.start":
            handshake.denial = message["status"], message.get("headers", ()), b""
        else:
            status, headers, begun = handshake.denial
            handshake.denial = status, headers, begun + message.get("body", b"")
            if not message.get("more_body"):
                self._deny(*handshake.denial)

    def _deny(self, status: int, headers: Any = (), body: bytes = b"") -> None:
        assert self._handshake is not None
        self._write(self._handshake.denied(status, headers, body))
        self._close()

    # -- messages ----------------------------------------------------------------------------------

    def deliver_to(self, session: Session) -> None:
        self._session = session
        self._is_handed_over = True
        if self._inbox:
            self._handle_waiting()

    def _deliver(self, text: bytes) -> None:
        """A text, known to be UTF-8; it stays bytes, as whoever reads JSON wants it."""
        session = self._session
        if session is None or self._handling is not None:
            self._queue({"type": "websocket.receive", "text": text})
            return
        message = session.receive_text(text)
        if message is not None:
            self._handle_in_task(message)

    def _queue(self, event: Event) -> None:
        self._inbox.put_nowait(event)
        if len(self._inbox) >= MOST_WAITING and not self._is_full:
            self._is_full = True
            self._resume()
        if self._session is not None:
            self._handle_waiting()

    # -- what takes time ---------------------------------------------------------------------------

    def _start(self, coroutine: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = self._loop.create_task(coroutine)
        self._server.tasks.add(task)
        task.add_done_callback(self._server.tasks.discard)
        return task

    def _handle_waiting(self) -> None:
        if self._handling is None:
            self._handle_in_task(None)

    def _handle_in_task(self, message: Any) -> None:
        self._handling = self._start(self._handle(message))
        self._handling.add_done_callback(self._handled)

    async def _handle(self, message: Any) -> None:
        """This message and whatever comes in meanwhile, in order; then the task is over."""
        session = self._session
        assert session is not None
        is_over = True  # whatever goes wrong
        try:
            if message is not None:
                await session.handle(message)
            while self._inbox:
                event = await self.receive()
                if event["type"] != "websocket.receive":
                    return
                message = session.receive_text(event.get("text"))
                if message is not None:
                    await session.handle(message)
            is_over = False
        finally:
            if is_over:
                self._session = None
                self._inbox = Inbox()
                await session.closed()

    def _handled(self, task: asyncio.Task[None]) -> None:
        self._handling = None
        if not task.cancelled() and task.exception() is not None:
            _log.error("a socket's session failed", exc_info=task.exception())
            self.close_with(1011, "server fault")
        elif self._inbox and self._session is not None:  # came after the task had looked for the last time
            self._handle_waiting()
