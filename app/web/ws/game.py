"""The game socket: a bare ASGI endpoint; reads a frame, lets the room answer, and nothing else on the way."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any

from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from app.play import frames
from app.play.commands import messages as cmd
from app.play.commands.proposal import Ack
from app.play.engines import UnknownRules
from app.play.join import OLD_PROTOCOL, PROTOCOL, enter, leave
from app.play.ports import Actor
from app.play.refusals import NotAdmitted, Refusal
from app.play.room.broadcast import state_frame
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from app.web.game_server import actor_of, game_server_of
from app.web.security.guard import without_identity
from app.web.security.room_lookup import PublicRoomLookup, RoomLookup
from app.web.ws.session import AcceptedSocket, BaseSession, SocketEndpoint

_log = logging.getLogger("cartagena.socket")


_MOVES: dict[type, str] = {cmd.Act: "act", cmd.Undo: "undo"}
_SPECTATOR = actor_of(None)


class GameSession(BaseSession):
    """One person's socket to a room; implements Session."""

    __slots__ = ("actor", "game", "lookup", "received", "room", "subscriber")

    receives_chat = True

    def __init__(self, connection: HTTPConnection, socket: AcceptedSocket) -> None:
        super().__init__(game_server_of(connection), socket)
        self.lookup = RoomLookup(connection)
        self.game: str = connection.path_params["game"]
        self.actor: Actor = socket.actor
        if self.actor.ids:
            self.game_server.names.take({self.actor.id: self.actor.name})  # which has just been looked up
        self.subscriber = Subscriber(self.actor, self.outbox, receives_chat=self.receives_chat)
        self.room: Room | None = None
        self.received = 0

    async def closed(self) -> None:
        self.socket.release()
        if self.room is not None:
            await leave(self.game_server, self.room, self.subscriber)

    # -- a frame -----------------------------------------------------------------------------------

    def receive_text(self, text: bytes | None) -> cmd.Message | None:
        """Answers what can be answered at once; returns the message where that takes time."""
        text = self.checked(text)
        if text is None:
            return None
        try:
            message = cmd.decode(text)
        except Refusal as refusal:
            self.refuse_frame(refusal, text)
            return None
        received = self.received = self.game_server.clock.now()
        room = self.room
        if type(message) is cmd.Act:
            self.game_server.turns.is_played = True  # whoever comes gives way
            # In a busy room it has to wait for its turn, and the next frame of this socket with it.
            if room is not None and self.actor.ids and not room.lock.is_locked:
                room.answer(_Answer(self, room, message), self.actor, message, received)
                return None
        elif isinstance(message, cmd.Ping):
            self.tell(frames.Pong(n=message.n, now=received))
            return None
        elif isinstance(message, cmd.Here) and room is not None:
            room.mark_active(self.actor, received)
            return None
        return message

    async def handle(self, message: cmd.Message) -> None:
        try:
            if isinstance(message, cmd.Hello):
                await self._hello(message)
            elif self.room is None:
                self.refuse(Refusal("hello_first"), getattr(message, "id", None))
            elif not isinstance(message, cmd.Ping | cmd.Here):
                await asyncio.wait([self._submit(self.room, message)])
        except UnknownRules:
            self.outbox.end(4006, "unknown rules")

    def _submit(self, room: Room, command: cmd.Command) -> asyncio.Future[Ack]:
        done = self.game_server.submit(room, self.actor, command, self.received)
        done.add_done_callback(partial(self._answer_to, room, command))
        return done

    def _answer_to(self, room: Room, command: cmd.Command, done: asyncio.Future[Ack]) -> None:
        """A command has been accepted, or has not."""
        if done.cancelled():  # the server is closing, and so is the socket
            return
        problem = done.exception()
        if problem is None:
            self.acknowledge(command, done.result())
        else:
            self.fail(room, command, problem)

    def acknowledge(self, command: cmd.Command, ack: Ack) -> None:
        if not ack.in_frame:
            number = "chat" if isinstance(command, cmd.Chat) else "seq"
            self.tell(frames.Ack(ack=command.id, **{number: ack.seq}))

    def fail(self, room: Room, command: cmd.Command, problem: BaseException) -> None:
        """A command was refused, or could not be carried out."""
        if isinstance(problem, Refusal):
            self.refuse(problem, command.id, **self.refusal_context(_MOVES.get(type(command))))
            if problem.code == "time_up":
                self.game_server.tasks.spawn(room.reschedule())
        else:
            _log.error("a command failed", exc_info=problem)
            self.outbox.end(1011, "server fault")

    def refusal_context(self, do: str | None) -> dict[str, Any]:
        """Where the room stands; for whoever wanted to move, the whole of it."""
        if self.room is None:
            return {}
        table = self.room.table
        more: dict[str, Any] = {"seq": table.seq}
        if do in _MOVES.values():
            more["state"] = state_frame(table, self.subscriber.seat)
        return more

    async def _hello(self, hello: cmd.Hello) -> None:
        if hello.v not in (PROTOCOL, OLD_PROTOCOL):
            self.outbox.end(4001, "reload")
            return
        try:
            room = self.room
            if room is None or self.subscriber not in list(room.subscribers):  # else this socket is admitted
                room = await self.lookup.find(self.game, self.socket.actor, hello.password)
            if hello.v == OLD_PROTOCOL and room.table.scheme != 1:
                self.outbox.end(4001, "reload")
                return
            if self.room is None and hello.watch:
                # Admitted as who is signed in, present as nobody: a screen in a room that others look at too.
                self.actor = _SPECTATOR
                self.subscriber = Subscriber(
                    self.actor, self.outbox, admitted=self.socket.actor.ids, receives_chat=self.receives_chat
                )
            elif hello.watch and self.actor.ids:
                raise Refusal("bad_message", "Only the first hello of a socket can ask to watch.")
            self.room = room
            await enter(self.game_server, room, self.subscriber, hello)
        except NotAdmitted as refusal:
            self.refuse(refusal)
            self.outbox.end(4003, "not admitted")
        except Refusal as refusal:
            self.refuse(refusal)
            if refusal.code == "too_fast":
                self.outbox.end(4005, "too fast")
            elif refusal.code == "try_again" and self.room and self.subscriber in list(self.room.subscribers):
                # Welcomed, but the chat or who is here could not be told: whoever comes back is told all of it.
                self.outbox.end(1011, "try again")


class _Answer:
    """To an action that was sent by this socket: no future, as its frame nearly always carries the ack."""

    __slots__ = ("_command", "_room", "_session")

    def __init__(self, session: GameSession, room: Room, command: cmd.Act) -> None:
        self._session = session
        self._room = room
        self._command = command

    def done(self) -> bool:
        return False

    def set_result(self, ack: Ack, /) -> None:
        if not ack.in_frame:
            self._session.acknowledge(self._command, ack)

    def set_exception(self, problem: Exception, /) -> None:
        self._session.fail(self._room, self._command, problem)


route = WebSocketRoute("/ws/game/{game}", SocketEndpoint(GameSession))


class EmbedSession(GameSession):
    """A socket of a frame in another site's page: receives no chat, and only tables that any stranger may watch."""

    __slots__ = ()

    receives_chat = False

    def __init__(self, connection: HTTPConnection, socket: AcceptedSocket) -> None:
        super().__init__(connection, socket)
        self.lookup = PublicRoomLookup(connection)


class _AsNobody(SocketEndpoint):
    """Sockets of frames in other sites' pages: the cookie of whoever is signed in here is not read."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__({**scope, "headers": without_identity(scope)}, receive, send)


embed_route = WebSocketRoute("/ws/embed/{game}", _AsNobody(EmbedSession))
