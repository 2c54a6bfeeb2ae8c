"""The lobby socket: the lists once, then every change as it happens."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from app.play.admission import PROTOCOL
from app.play.frame import frame_of
from app.play.house import House
from app.play.lobby import Filter, LobbyVisitor
from app.play.ports import StoreUnavailable
from app.play.refusals import SENTENCES
from app.web.house import house_of
from app.web.wire_accept import Accepted, accepted

__all__ = ["LobbySocket", "lobby_message_names", "route"]

HELLO_SECONDS = 10
BAD_FRAMES = 10


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    pass


class Hello(_Message, frozen=True, tag="hello"):
    v: int


class SetFilter(_Message, frozen=True, tag="filter"):
    preset: Annotated[str, Meta(max_length=40)] | None = None
    seats: int | None = None
    clock: Annotated[str, Meta(max_length=10)] | None = None
    bots: bool | None = None


class Ping(_Message, frozen=True, tag="ping"):
    n: Annotated[int, Meta(ge=0, le=2**53)]


_decoder: msgspec.json.Decoder[Hello | SetFilter | Ping] = msgspec.json.Decoder(Hello | SetFilter | Ping)


def lobby_message_names() -> tuple[str, ...]:
    """Every `do` of the lobby socket."""
    return ("hello", "filter", "ping")


class LobbySocket:
    """`/ws/lobby`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        async with accepted(connection, receive, send) as socket:
            if socket is None:
                return
            talk = _Talk(house_of(connection), socket)
            try:
                await talk.run(receive)
            finally:
                socket.outbox.is_open = False
                talk.house.lobby.visitors.discard(talk.visitor)


class _Talk:
    def __init__(self, house: House, socket: Accepted) -> None:
        self.house = house
        self.socket = socket
        self.outbox = socket.outbox
        self.visitor = LobbyVisitor(socket.anyone, socket.outbox)
        self.bad = 0

    async def run(self, receive: Receive) -> None:
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                if not await self._step(await receive()):
                    return
        except TimeoutError:
            self.outbox.end(4007, "silent")
            return
        while await self._step(await receive()):
            pass

    async def _step(self, event: Any) -> bool:
        if event["type"] != "websocket.receive":
            return False
        if self.socket.is_too_fast():
            return self._strike("too_fast", 4005)
        text = event.get("text")
        if text is None:
            return self._strike("bad_message", 4002)
        if len(text) > self.socket.most or len(text.encode()) > self.socket.most:
            self.outbox.end(1009, "frame too big")
            return False
        try:
            message = _decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return self._strike("bad_message", 4002)
        match message:
            case Hello():
                await self._hello(message)
            case Ping():
                self._tell({"t": "pong", "n": message.n, "now": self.house.clock.now()})
            case SetFilter() if self.visitor not in self.house.lobby.visitors:
                self._refuse("hello_first")
            case SetFilter():
                self.visitor.filter = Filter(message.preset, message.seats, message.clock, message.bots)
                await self._lists()
        return self.outbox.is_open

    async def _hello(self, hello: Hello) -> None:
        if hello.v != PROTOCOL:
            self.outbox.end(4001, "reload")
            return
        anyone = self.visitor.anyone
        you = {"person": anyone.id or None, "name": anyone.name}
        self._tell({"t": "welcome", "v": PROTOCOL, "now": self.house.clock.now(), "you": you})
        self.house.lobby.visitors.add(self.visitor)
        await self._lists()

    async def _lists(self) -> None:
        try:
            await self.house.lobby.tell_lists(self.visitor)
        except StoreUnavailable:
            self._refuse("try_again")

    def _tell(self, message: dict[str, Any]) -> None:
        self.outbox.tell(frame_of(message))

    def _refuse(self, code: str) -> None:
        self.house.watcher.refused(code)
        self._tell({"t": "refused", "id": None, "code": code, "message": SENTENCES[code]})

    def _strike(self, code: str, close: int) -> bool:
        self._refuse(code)
        self.bad += 1
        if self.bad >= BAD_FRAMES:
            self.outbox.end(close, "too many")
        return self.outbox.is_open


route = WebSocketRoute("/ws/lobby", LobbySocket())
