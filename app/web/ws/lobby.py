"""The lobby socket: sends the lists once, then every change."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute

from app.play import frames
from app.play.commands.messages import has_nul
from app.play.join import PROTOCOL_VERSION
from app.play.lobby_clients import LobbyFilter, LobbySubscriber
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.web.game_server import game_server_of
from app.web.ws.session import AcceptedSocket, BaseSession, SocketEndpoint

_LISTS_COST_MS = 2  # the price of sending the lists
_LOBBY_VERSIONS = (1, PROTOCOL_VERSION)  # pages of release 0.1.0 say 1 in the lobby


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    pass


class Hello(_Message, frozen=True, tag="hello"):
    v: int
    only: Literal["mine"] | None = None  # pages other than the lobby need no public lists


class SetFilter(_Message, frozen=True, tag="filter"):
    preset: Annotated[str, Meta(max_length=40)] | None = None
    seats: int | None = None
    clock: Annotated[str, Meta(max_length=10)] | None = None
    bots: bool | None = None


class Ping(_Message, frozen=True, tag="ping"):
    n: Annotated[int, Meta(ge=0, le=2**53)]


_decoder: msgspec.json.Decoder[Hello | SetFilter | Ping] = msgspec.json.Decoder(Hello | SetFilter | Ping)


def lobby_message_names() -> tuple[str, ...]:
    """Return every `do` of the lobby socket."""
    return ("hello", "filter", "ping")


class LobbySession(BaseSession):
    """One person's lobby socket. Implements Session."""

    __slots__ = ("subscriber",)

    def __init__(self, connection: HTTPConnection, socket: AcceptedSocket) -> None:
        super().__init__(game_server_of(connection), socket)
        self.subscriber = LobbySubscriber(socket.actor, socket.outbox)

    async def on_closed(self) -> None:
        self.socket.release()
        self.game_server.lobby.leave(self.subscriber)

    def receive_text(self, text: bytes | None) -> Hello | SetFilter | None:
        text = self.check_frame(text)
        if text is None:
            return None
        try:
            if has_nul(text):
                raise msgspec.DecodeError("NUL")
            message = _decoder.decode(text)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            self.refuse_frame(Refusal("bad_message"), text)
            return None
        if isinstance(message, Ping):
            self.send(frames.Pong(n=message.n, now=self.game_server.clock.now()))
            return None
        return message

    async def handle(self, message: Hello | SetFilter) -> None:
        if isinstance(message, Hello):
            await self._hello(message)
        elif self.subscriber not in self.game_server.lobby.subscribers:
            self.refuse(Refusal("hello_first"))
        elif self.socket.is_too_heavy(_LISTS_COST_MS):
            self.refuse(Refusal("too_fast"))
        else:
            self.subscriber.filter = LobbyFilter(message.preset, message.seats, message.clock, message.bots)
            await self._send_lists()

    async def _hello(self, hello: Hello) -> None:
        if hello.v not in _LOBBY_VERSIONS:
            self.outbox.close(4001, "reload")
            return
        if self.subscriber in self.game_server.lobby.subscribers and self.socket.is_too_heavy(_LISTS_COST_MS):
            self.refuse(Refusal("too_fast"))
            return
        actor = self.subscriber.actor
        you = frames.YouInLobby(person=actor.id or None, name=actor.name)
        self.send(frames.LobbyWelcome(v=PROTOCOL_VERSION, now=self.game_server.clock.now(), you=you))
        self.subscriber.is_own_only = hello.only == "mine"
        self.game_server.lobby.enter(self.subscriber)
        await self._send_lists(reads_blocks=not self.subscriber.is_own_only)

    async def _send_lists(self, *, reads_blocks: bool = False) -> None:
        try:
            if reads_blocks:
                self.subscriber.blocked = await self.game_server.blocked_people.read(self.subscriber.actor)
            await self.game_server.lobby.send_lists(self.subscriber)
        except StoreUnavailable:
            self.refuse(Refusal("try_again"))


route = WebSocketRoute("/ws/lobby", SocketEndpoint(LobbySession))
