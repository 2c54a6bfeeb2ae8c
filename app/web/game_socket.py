"""The game socket: a bare ASGI endpoint; reads a frame, lets the room answer, and nothing else on the way."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from app.play import commands as say
from app.play.admission import PROTOCOL, enter, leave
from app.play.engines import UnknownRules
from app.play.frame import frame_of
from app.play.house import House
from app.play.ports import Anyone
from app.play.refusals import NotAdmitted, Refusal
from app.play.room import Room
from app.play.telling import state_message
from app.play.visitors import Visitor
from app.web.house import house_of
from app.web.lookups import look_up
from app.web.outbox import Outbox
from app.web.wire_accept import Accepted, accepted

__all__ = ["GameSocket", "route"]

HELLO_SECONDS = 10
BAD_FRAMES = 10  # so many frames that were no messages, or came too fast, and the socket is closed


class GameSocket:
    """`/ws/game/{game}`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        async with accepted(connection, receive, send) as socket:
            if socket is not None:
                talk = _Talk(connection, scope["path_params"]["game"], socket)
                try:
                    await talk.run(receive)
                finally:
                    await talk.over()


class _Talk:
    """One socket's conversation with a room."""

    def __init__(self, connection: HTTPConnection, game: str, socket: Accepted) -> None:
        self.connection = connection
        self.house: House = house_of(connection)
        self.game = game
        self.socket = socket
        self.outbox: Outbox = socket.outbox
        self.anyone: Anyone = socket.anyone
        self.visitor = Visitor(self.anyone, self.outbox)
        self.room: Room | None = None
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

    async def over(self) -> None:
        self.outbox.is_open = False
        if self.room is not None:
            await leave(self.house, self.room, self.visitor)

    async def _step(self, event: Any) -> bool:
        """One frame; False when the socket is done."""
        if event["type"] != "websocket.receive":
            return False
        received = self.house.clock.now()
        if self.socket.is_too_fast():
            return self._strike(Refusal("too_fast"), 4005)
        text = event.get("text")
        if text is None:
            return self._strike(Refusal("bad_message", "Frames are text."), 4002)
        if len(text) > self.socket.most or len(text.encode()) > self.socket.most:
            self.outbox.end(1009, "frame too big")
            return False
        try:
            message = say.decode(text)
        except Refusal as refusal:
            return self._strike(refusal, 4002)
        try:
            await self._answer(message, received)
        except UnknownRules:
            self.outbox.end(4006, "unknown rules")
        return self.outbox.is_open

    async def _answer(self, message: say.Message, received: int) -> None:
        room = self.room
        if isinstance(message, say.Hello):
            await self._hello(message)
        elif isinstance(message, say.Ping):
            self.outbox.tell(frame_of({"t": "pong", "n": message.n, "now": received}))
        elif room is None:
            self._refuse(Refusal("hello_first"), getattr(message, "id", None))
        elif isinstance(message, say.Here):
            room.stirred(self.anyone, received)
        else:
            await self._command(room, message, received)

    async def _command(self, room: Room, command: say.Command, received: int) -> None:
        try:
            done = await self.house.submit(room, self.anyone, command, received)
        except Refusal as refusal:
            state = (
                state_message(room.table, self.visitor.seat)
                if isinstance(command, say.Act | say.Undo)
                else None
            )
            self._refuse(refusal, command.id, room.table.seq, state)
            if refusal.code == "time_up":
                await self.house.rewake(room)
            return
        if not done.is_told:
            number = "chat" if isinstance(command, say.Chat) else "seq"
            self.outbox.tell(frame_of({"t": "ack", "ack": command.id, number: done.seq}))

    async def _hello(self, hello: say.Hello) -> None:
        if hello.v != PROTOCOL:
            self.outbox.end(4001, "reload")
            return
        try:
            room = await look_up(self.connection, self.game, self.anyone, hello.password)
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

    def _strike(self, refusal: Refusal, code: int) -> bool:
        """A frame that was no message, or one too many. Again and again: the socket is closed."""
        self._refuse(refusal, None)
        self.bad += 1
        if self.bad >= BAD_FRAMES:
            self.outbox.end(code, "too many")
        return self.outbox.is_open


route = WebSocketRoute("/ws/game/{game}", GameSocket())
