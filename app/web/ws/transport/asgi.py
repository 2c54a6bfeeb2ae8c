"""The app's side of a socket: it answers the handshake, then messages are handed to its talk as they come.

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

from app.web.ws.session import Talk
from app.web.ws.transport.base import EXTENSION, framed_as
from app.web.ws.transport.handshake import Handshake
from app.web.ws.transport.inbox import Event, Inbox

if TYPE_CHECKING:
    import uvicorn
    from uvicorn.server import ServerState

__all__ = ["AppSide", "Stage"]

MOST_WAITING = 16  # messages the app has not taken; then the peer is not read from

_TEXT, _BINARY = 1, 2
_log = logging.getLogger("cartagena.wire")


class Stage(enum.IntEnum):
    """How far a socket has come; it only goes forward."""

    HANDSHAKE = 0  # the request is being looked at
    OPEN = 1
    CLOSING = 2  # this side has said good-bye; of what comes only the peer's own is looked for
    ENDED = 3  # nothing is read and nothing more is said; what was said may still have to be taken
    GONE = 4


class AppSide(asyncio.Protocol, ABC):
    """One socket as the app knows it. The other half, `uvicorn.ThinProtocol`, has the connection."""

    __slots__ = (
        "_answering",
        "_config",
        "_handshake",
        "_inbox",
        "_is_carried",
        "_is_full",
        "_loop",
        "_server",
        "_stage",
        "_state",
        "_talk",
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
        self._talk: Talk | None = None  # from the first message on
        self._is_carried = False
        self._answering: asyncio.Task[None] | None = None

    # -- what the other half does ------------------------------------------------------------------

    @abstractmethod
    def close_with(self, code: int, reason: str) -> None: ...

    @abstractmethod
    def _opened(self) -> None: ...

    @abstractmethod
    def _write(self, wired: bytes) -> None: ...

    @abstractmethod
    def _end(self) -> None: ...

    @abstractmethod
    def _go_on(self) -> None: ...

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
            self._end()
            return
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._start(self._run(scope)).add_done_callback(self._ran)

    async def _run(self, scope: dict[str, Any]) -> None:
        """The app returns when the socket is done, or when it has handed its talk over: then it stays open."""
        with suppress(ClientDisconnected):  # a send that came too late
            await self._config.loaded_app(scope, self.receive, self.send)

    def _ran(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            _log.error("a socket's app failed", exc_info=task.exception())
            self.close_with(1011, "server fault")
        if self._stage is Stage.HANDSHAKE:
            self._deny(500)
        elif self._stage is Stage.OPEN and not self._is_carried:
            self.close_with(1000, "")

    async def receive(self) -> Any:
        event = await self._inbox.get()
        if self._is_full and not self._inbox:
            self._is_full = False
            self._go_on()
        return event

    async def send(self, message: Any) -> None:
        kind = message["type"]
        if self._stage is Stage.HANDSHAKE:
            self._answer_handshake(kind, message)
        elif self._stage is not Stage.OPEN:
            raise ClientDisconnected
        elif kind == "websocket.send":
            text = message.get("text")
            self._write(
                framed_as(_TEXT, text.encode()) if text is not None else framed_as(_BINARY, message["bytes"])
            )
        else:
            self.close_with(message.get("code", 1000), message.get("reason") or "")

    def _answer_handshake(self, kind: str, message: Any) -> None:
        handshake = self._handshake
        assert handshake is not None
        if kind == "websocket.accept":
            told = [*self._server.default_headers, *message.get("headers", ())]
            self._write(handshake.accepted(told, message.get("subprotocol")))
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
        self._end()

    # -- messages ----------------------------------------------------------------------------------

    def carry(self, talk: Talk) -> bool:
        self._talk = talk
        self._is_carried = True
        if self._inbox:
            self._answer_waiting()
        return True

    def _hear(self, text: str) -> None:
        if self._talk is None or self._answering is not None:
            self._queue({"type": "websocket.receive", "text": text})
            return
        message = self._talk.hear(text)
        if message is not None:
            self._answer_in_task(message)

    def _queue(self, event: Event) -> None:
        self._inbox.put_nowait(event)
        if len(self._inbox) >= MOST_WAITING and not self._is_full:
            self._is_full = True
            self._go_on()
        if self._talk is not None:
            self._answer_waiting()

    # -- what takes time ---------------------------------------------------------------------------

    def _start(self, coroutine: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = self._loop.create_task(coroutine)
        self._server.tasks.add(task)
        task.add_done_callback(self._server.tasks.discard)
        return task

    def _answer_waiting(self) -> None:
        if self._answering is None:
            self._answer_in_task(None)

    def _answer_in_task(self, message: Any) -> None:
        self._answering = self._start(self._answer(message))
        self._answering.add_done_callback(self._answered)

    async def _answer(self, message: Any) -> None:
        """This message and whatever comes in meanwhile, in order; then the task is over."""
        talk = self._talk
        assert talk is not None
        is_over = True  # whatever goes wrong
        try:
            if message is not None:
                await talk.answer(message)
            while self._inbox:
                event = await self.receive()
                if event["type"] != "websocket.receive":
                    return
                message = talk.hear(event.get("text"))
                if message is not None:
                    await talk.answer(message)
            is_over = False
        finally:
            if is_over:
                self._talk = None
                self._inbox = Inbox()
                await talk.over()

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answering = None
        if not task.cancelled() and task.exception() is not None:
            _log.error("a socket's talk failed", exc_info=task.exception())
            self.close_with(1011, "server fault")
        elif self._inbox and self._talk is not None:  # came after the task had looked for the last time
            self._answer_waiting()
