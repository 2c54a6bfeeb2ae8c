"""The game socket: a bare ASGI endpoint; reads a frame, lets the room answer, and nothing else on the way."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from app.play import commands as say
from app.play.accepted import Accepted
from app.play.acting import act_now
from app.play.admission import PROTOCOL, enter, leave
from app.play.engines import UnknownRules
from app.play.frame import frame_of
from app.play.house import House
from app.play.ports import Anyone
from app.play.refusals import NotAdmitted, Refusal
from app.play.room import Room
from app.play.telling import state_message
from app.play.visitors import Visitor
from app.web.conversation import converse
from app.web.house import house_of
from app.web.lookups import Door
from app.web.outbox import Outbox
from app.web.wire_accept import Accepted as Socket
from app.web.wire_accept import accept

__all__ = ["GameSocket", "route"]

BAD_FRAMES = 10  # so many frames that were no messages, or came too fast, and the socket is closed


class GameSocket:
    """`/ws/game/{game}`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        socket = await accept(connection, receive, send)
        if socket is not None:
            await converse(_Talk(connection, scope["path_params"]["game"], socket), socket.wire, receive)


class _Talk:
    """One socket's conversation with a room; implements Talk."""

    __slots__ = ("anyone", "bad", "door", "game", "house", "outbox", "received", "room", "socket", "visitor")

    def __init__(self, connection: HTTPConnection, game: str, socket: Socket) -> None:
        self.door = Door(connection)
        self.house: House = house_of(connection)
        self.game = game
        self.socket = socket
        self.outbox: Outbox = socket.outbox
        self.anyone: Anyone = socket.anyone
        self.visitor = Visitor(self.anyone, self.outbox)
        self.room: Room | None = None
        self.received = 0
        self.bad = 0

    @property
    def is_open(self) -> bool:
        return self.outbox.is_open

    def silent(self) -> None:
        self.outbox.end(4007, "silent")

    async def over(self) -> None:
        self.socket.release()
        if self.room is not None:
            await leave(self.house, self.room, self.visitor)

    # -- a frame -----------------------------------------------------------------------------------

    def hear(self, text: str | None) -> say.Message | None:
        """What can be answered at once is; the message where that takes time."""
        if self.socket.is_too_fast():
            self._strike(Refusal("too_fast"), 4005)
            return None
        if text is None:
            self._strike(Refusal("bad_message", "Frames are text."), 4002)
            return None
        if len(text) > self.socket.most or (not text.isascii() and len(text.encode()) > self.socket.most):
            self.outbox.end(1009, "frame too big")
            return None
        try:
            message = say.decode(text)
        except Refusal as refusal:
            self._strike(refusal, 4002)
            return None
        received = self.received = self.house.clock.now()
        room = self.room
        if isinstance(message, say.Act):
            if room is not None and act_now(
                room, self.visitor, message, received, partial(self._acted, message)
            ):
                return None
        elif isinstance(message, say.Ping):
            self.outbox.tell(frame_of({"t": "pong", "n": message.n, "now": received}))
            return None
        elif isinstance(message, say.Here) and room is not None:
            room.stirred(self.anyone, received)
            return None
        return message

    async def answer(self, message: say.Message) -> None:
        try:
            if isinstance(message, say.Hello):
                await self._hello(message)
            elif self.room is None:
                self._refuse(Refusal("hello_first"), getattr(message, "id", None))
            elif not isinstance(message, say.Ping | say.Here):
                await self._command(self.room, message, self.received)
        except UnknownRules:
            self.outbox.end(4006, "unknown rules")

    async def _command(self, room: Room, command: say.Command, received: int) -> None:
        try:
            done: Accepted | Refusal = await self.house.submit(room, self.anyone, command, received)
        except Refusal as refusal:
            done = refusal
        self._acted(command, done)
        if isinstance(done, Refusal) and done.code == "time_up":
            await self.house.rewake(room)

    def _acted(self, command: say.Command, done: Accepted | Refusal) -> None:
        """A command has been accepted, or has not."""
        if isinstance(done, Accepted):
            if not done.is_told:
                number = "chat" if isinstance(command, say.Chat) else "seq"
                self.outbox.tell(frame_of({"t": "ack", "ack": command.id, number: done.seq}))
            return
        assert self.room is not None
        table = self.room.table
        state = state_message(table, self.visitor.seat) if isinstance(command, say.Act | say.Undo) else None
        self._refuse(done, command.id, table.seq, state)

    async def _hello(self, hello: say.Hello) -> None:
        if hello.v != PROTOCOL:
            self.outbox.end(4001, "reload")
            return
        try:
            room = await self.door.look_up(self.game, self.anyone, hello.password)
            self.room = room
            await enter(self.house, room, self.visitor, hello)
        except NotAdmitted as refusal:
            self._refuse(refusal, None)
            self.outbox.end(4003, "not admitted")
        except Refusal as refusal:
            self._refuse(refusal, None)
            if refusal.code == "too_fast":
                self.outbox.end(4005, "too fast")

    def _refuse(
        self,
        refusal: Refusal,
        command: str | None,
        seq: int | None = None,
        state: dict[str, Any] | None = None,
    ) -> None:
        self.house.watcher.refused(refusal.code)
        answer: dict[str, Any] = {
            "t": "refused",
            "id": command,
            "code": refusal.code,
            "message": refusal.message,
        }
        if seq is not None:
            answer["seq"] = seq
        if state is not None:
            answer["state"] = state
        self.outbox.tell(frame_of(answer))

    def _strike(self, refusal: Refusal, code: int) -> None:
        """A frame that was no message, or one too many. Again and again: the socket is closed."""
        self._refuse(refusal, None)
        self.bad += 1
        if self.bad >= BAD_FRAMES:
            self.outbox.end(code, "too many")


route = WebSocketRoute("/ws/game/{game}", GameSocket())
