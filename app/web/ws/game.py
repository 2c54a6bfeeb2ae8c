"""The game socket: decodes frames, passes commands to the room and sends its answers."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.requests import HTTPConnection
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send

from app.play import frames
from app.play.click_reason import find_click_reason
from app.play.commands import messages as cmd
from app.play.commands.request import Ack
from app.play.engines import UnknownRules
from app.play.join import PROTOCOL_VERSION, end_absence, enter, is_absent, leave
from app.play.outcome import Outcome
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import NotAdmitted, Refusal
from app.play.room.audience_frames import state_frame
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from app.web.game_server import actor_of, game_server_of
from app.web.security.guard import headers_without_identity
from app.web.security.room_lookup import PublicRoomLookup, RoomLookup
from app.web.ws.session import AcceptedSocket, BaseSession, SocketEndpoint

_log = logging.getLogger("cartagena.socket")


_MOVE_NAMES: dict[type, str] = {cmd.Act: "act", cmd.Undo: "undo"}
_SPECTATOR = actor_of(None)
WHY_COST_MS = 0.5

Work = Callable[[], Awaitable[None]]


class GameSession(BaseSession):
    """One person's socket to a room. Implements Session."""

    __slots__ = ("actor", "game", "lookup", "room", "subscriber")

    receives_chat = True

    def __init__(self, connection: HTTPConnection, socket: AcceptedSocket) -> None:
        super().__init__(game_server_of(connection), socket)
        self.lookup = RoomLookup(connection)
        self.game: str = connection.path_params["game"]
        self.actor: Actor = socket.actor
        if self.actor.ids:
            self.game_server.names.add({self.actor.id: self.actor.name})  # just read from the store
        self.subscriber = Subscriber(self.actor, self.outbox, receives_chat=self.receives_chat)
        self.room: Room | None = None

    async def on_closed(self) -> None:
        self.socket.release()
        if self.room is not None:
            await leave(self.game_server, self.room, self.subscriber)

    # -- a frame -----------------------------------------------------------------------------------

    def receive_text(self, text: bytes | None) -> Work | None:
        """Process a frame at once if possible; otherwise return the remaining work."""
        text = self.check_frame(text)
        if text is None:
            return None
        try:
            message = cmd.decode(text)
        except Refusal as refusal:
            self.refuse_frame(refusal, text)
            return None
        game_server, room = self.game_server, self.room
        received = game_server.clock.now()
        match message:
            case cmd.Act() if room is not None:
                game_server.admission.has_action = True  # new clients wait for it
                if room.lock.is_locked:  # the socket's next frame waits as well
                    return partial(self._submit, room, message, received)
                outcome = game_server.dispatcher.submit(room, self.actor, message, received)
                outcome.add_done_callback(partial(self._answer, room, message))
            case cmd.Ping():
                self.send(frames.Pong(n=message.n, now=received))
            case cmd.Hello():
                return partial(self._hello, message)
            case cmd.StillHere() if room is not None:
                room.mark_active(self.actor, received)
                if is_absent(room, self.subscriber.seat):
                    return partial(self._end_absence, room, received)
            case cmd.StillHere():
                self.refuse(Refusal("hello_first"))
            case cmd.Why():
                self._explain(room, message)
            case _ if room is None:
                self.refuse(Refusal("hello_first"), message.id)
            case _:
                return partial(self._submit, room, message, received)
        return None

    async def handle(self, work: Work) -> None:
        try:
            await work()
        except UnknownRules:
            self.outbox.close(4006, "unknown rules")

    async def _end_absence(self, room: Room, received: int) -> None:
        with suppress(Refusal, StoreUnavailable):  # the next sign of the player tries again
            await end_absence(room, self.subscriber.seat, received)

    def _explain(self, room: Room | None, question: cmd.Why) -> None:
        """Answer why a click does nothing. The work is charged to the address, as the frame has been."""
        if room is None:
            self.refuse(Refusal("hello_first"), question.id)
            return
        if self.socket.is_too_heavy(WHY_COST_MS):
            self.refuse(Refusal("too_fast"), question.id)
            return
        reason = find_click_reason(room.table, self.actor, question)
        self.send(frames.Why(ack=question.id, **reason.as_json()))

    async def _submit(self, room: Room, command: cmd.Command, received: int) -> None:
        outcome = self.game_server.dispatcher.submit(room, self.actor, command, received)
        with suppress(Exception):  # `_answer` reports it
            await outcome
        self._answer(room, command, outcome)

    def _answer(self, room: Room, command: cmd.Command, outcome: Outcome[Ack]) -> None:
        """Acknowledge a command, or report its failure."""
        problem = outcome.exception()
        if problem is not None:
            self._fail(room, command, problem)
            return
        ack = outcome.result()
        if not ack.in_frame:  # otherwise the seat's frame contained the acknowledgement
            number = "chat" if isinstance(command, cmd.Chat) else "seq"
            self.send(frames.Ack(ack=command.id, **{number: ack.seq}))

    def _fail(self, room: Room, command: cmd.Command, problem: BaseException) -> None:
        """Report a refused command. After any other exception, log it and close the socket."""
        if isinstance(problem, Refusal):
            self.refuse(problem, command.id, **self.refusal_context(_MOVE_NAMES.get(type(command))))
            if problem.code == "time_up":
                self.game_server.tasks.spawn(room.reschedule())
        else:
            _log.error("a command failed", exc_info=problem)
            self.outbox.close(1011, "server fault")

    def refusal_context(self, do: str | None) -> dict[str, Any]:
        """Return the room's seq, and for a refused move the whole state."""
        if self.room is None:
            return {}
        table = self.room.table
        more: dict[str, Any] = {"seq": table.seq}
        if do in _MOVE_NAMES.values():
            more["state"] = state_frame(table, self.subscriber.seat)
        return more

    async def _hello(self, hello: cmd.Hello) -> None:
        if hello.v != PROTOCOL_VERSION:
            self.outbox.close(4001, "reload")
            return
        try:
            room = self.room
            if room is None or self.subscriber not in list(room.subscribers):  # not admitted yet
                room = await self.lookup.find(self.game, self.socket.actor, hello.password)
            if self.room is None and hello.watch:
                # Admitted as the signed-in person, but present as a spectator: other people can see this screen.
                self.actor = _SPECTATOR
                self.subscriber = Subscriber(
                    self.actor,
                    self.outbox,
                    admitted=self.socket.actor.ids,
                    receives_chat=self.receives_chat,
                    is_screen=True,
                )
            elif hello.watch and self.actor.ids:
                raise Refusal("bad_message", "Only the first hello on a socket can ask to watch.")
            self.room = room
            await enter(self.game_server, room, self.subscriber, hello)
        except NotAdmitted as refusal:
            self.refuse(refusal)
            self.outbox.close(4003, "not admitted")
        except Refusal as refusal:
            self.refuse(refusal)
            if refusal.code == "too_fast":
                self.outbox.close(4005, "too fast")
            elif refusal.code == "try_again" and self.room and self.subscriber in list(self.room.subscribers):
                # The client was welcomed but did not receive chat or presence. Reconnecting sends both.
                self.outbox.close(1011, "try again")


route = WebSocketRoute("/ws/game/{game}", SocketEndpoint(GameSession))


class EmbedSession(GameSession):
    """A socket of an embedded table: no chat, and only tables that anyone with the link may watch."""

    __slots__ = ()

    receives_chat = False

    def __init__(self, connection: HTTPConnection, socket: AcceptedSocket) -> None:
        super().__init__(connection, socket)
        self.lookup = PublicRoomLookup(connection)


class _AnonymousEndpoint(SocketEndpoint):
    """Endpoint for embedded tables. It drops cookies and tokens, so that every visitor is a stranger."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__({**scope, "headers": headers_without_identity(scope)}, receive, send)


embed_route = WebSocketRoute("/ws/embed/{game}", _AnonymousEndpoint(EmbedSession))
