"""A socket and its session: accepted by Origin, person, bans and limits; its bounded outbox; what is done with a frame.

The transport hands each frame to `receive_text`; only a message that this cannot deal with on the spot gets a task,
and only for as long as that takes. An idle socket is then an entry in the poller and a few small objects. A peer that
does not read is closed with its own code and can resume.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from os import write
from typing import Any

from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from app.play import frames
from app.play.commands import messages as cmd
from app.play.ports import Actor, MetricsPort, StoreUnavailable
from app.play.refusals import Refusal
from app.play.server import GameServer
from app.play.turns import turns_of
from app.web.auth.identity import Person, credential_of, current_person
from app.web.auth.sessions import OWN_COOKIES
from app.web.errors import Refused, TooMany
from app.web.game_server import actor_of, game_server_of
from app.web.security.address import is_same_origin
from app.web.security.limits import SocketQuota
from app.web.security.request_bounds import is_head_in_bounds, request_cost, without_foreign_cookies
from app.web.site import site_of
from app.web.ws.open_sockets import OpenSockets
from app.web.ws.transport.base import Session, SocketTransport, transport_of
from app.web.ws.transport.framing import encoded

_BYE = {
    4000: ("resume", "The server restarts; your seat is kept."),
    4008: ("signed_out", "You are signed out."),
    4010: ("closed", "This table was closed."),
}


class Outbox:
    """Frames out to one socket; implements Listener."""

    __slots__ = ("_file", "_metrics", "_transport", "_unsent", "_write", "is_open")

    def __init__(self, transport: SocketTransport, metrics: MetricsPort) -> None:
        self._transport = transport
        self._metrics = metrics
        self.is_open = True
        self._file, self._unsent, self._write = transport.attach(self)

    def tell(self, frame: frames.Frame) -> None:
        if not self.is_open:
            return
        # To the socket's file where nothing waits before it: of all that an action costs this is done most often,
        # and the way through the transport takes half as long again.
        wired = frame.wired or encoded(frame)
        try:
            sent = 0 if self._unsent() else write(self._file, wired)
        except OSError:
            sent = 0  # full, or gone: the transport waits, or finds out
        if sent != len(wired):
            self._write(wired[sent:])

    def tell_several(self, several: Sequence[frames.Frame]) -> None:
        """In one write."""
        self.tell(frames.Frame(b"", wired=b"".join([frame.wired or encoded(frame) for frame in several])))

    def shed(self) -> None:
        """Closes: the peer does not read."""
        if self.is_open:
            self._metrics.dropped()
            self.end(4004, "slow")

    def end(self, code: int, reason: str) -> None:
        """Sends the reason and closes; nothing is sent after it."""
        if not self.is_open:
            return
        self.is_open = False
        if code in _BYE:
            kind, message = _BYE[code]
            self._transport.send_frame(frames.frame_of(frames.Bye(code=kind, message=message)))
        self._transport.close_with(code, reason)


class AcceptedSocket:
    """An open socket and whose it is."""

    __slots__ = ("_open", "actor", "is_too_fast", "is_too_heavy", "outbox", "transport")

    def __init__(
        self,
        actor: Actor,
        transport: SocketTransport,
        outbox: Outbox,
        quota: SocketQuota,
        sockets: OpenSockets,
    ) -> None:
        self.actor = actor
        self.transport = transport
        self.outbox = outbox
        self.is_too_fast = quota.is_too_fast
        self.is_too_heavy = quota.is_too_heavy
        self._open = sockets
        transport.charge_to(quota)

    def release(self) -> None:
        """The session is over; the socket is counted until its connection is gone."""
        self.outbox.is_open = False
        self._open.discard(self.outbox)


async def accept(connection: HTTPConnection, receive: Receive, send: Send) -> AcceptedSocket | None:
    """The socket, open; its `release` is owed when the session is over. None when it was refused.

    A foreign page, or a head that is out of bounds, is refused before the handshake is answered. Other refusals open
    the socket first: a browser is not told the status of a failed handshake, but it is told a close code.
    """
    scope = connection.scope
    site, transport = site_of(connection), transport_of(scope)
    cost = request_cost(scope, 0)
    scope["headers"] = without_foreign_cookies(scope["headers"], OWN_COOKIES)
    await receive()  # the connect event
    if not is_head_in_bounds(scope) or is_same_origin(connection, site.settings) is False:
        await send({"type": "websocket.close", "code": 1008})  # before accepting: answered 403
        return None
    if not site.is_ready:  # stopping: nobody would tell this socket to resume; a proxy asks the next worker
        await _answer_unavailable(send)
        return None
    refusal: Refused | None = None
    person: Person | None = None
    quota: SocketQuota | None = None
    try:
        site.bans.check(connection)
        site.limits.take_request(connection, cost)
        person = await current_person(connection)
        quota = site.limits.socket(connection, person.id if person is not None else None)
    except Refused as refused:
        refusal = refused
    except StoreUnavailable:
        refusal = Refused("try_again", "The server cannot look you up just now. Try again in a moment.")
    try:
        await send({"type": "websocket.accept"})
        outbox = Outbox(transport, game_server_of(connection).metrics)
        if quota is not None:
            actor = actor_of(person)
            socket = AcceptedSocket(actor, transport, outbox, quota, site.sockets)
            site.sockets.add(outbox, credential_of(connection), actor.ids, site.limits.address_of(connection))
            quota = None  # its release is the transport's from here on
            return socket
        assert refusal is not None
        site.metrics.refused(refusal.code)
        answer = frames.Refused(id=None, code=refusal.code, message=refusal.message)
        outbox.tell(frames.frame_of(answer))
        outbox.end(_close_code(refusal), refusal.code)
        await receive()  # until the peer has taken note
        return None
    finally:
        if quota is not None:
            quota.release()


async def _answer_unavailable(send: Send) -> None:
    """Instead of a handshake: 503, which any server that offers denial responses can send."""
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"1")]
    await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b"This server is stopping."})


def _close_code(refusal: Refused) -> int:
    if refusal.code == "try_again":
        return 1011
    return 4009 if isinstance(refusal, TooMany) else 4003


HELLO_SECONDS = 10
BAD_FRAMES = 10  # so many frames that were no messages, or came too fast, and the socket is closed


class SocketEndpoint:
    """An ASGI endpoint for sockets of one kind of session."""

    def __init__(self, make: Callable[[HTTPConnection, AcceptedSocket], Session]) -> None:
        self._make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        socket = await accept(connection, receive, send)
        if socket is not None:
            await run_session(self._make(connection, socket), socket, receive)


async def run_session(session: Session, socket: AcceptedSocket, receive: Receive) -> None:
    """Waits for the first message, with a limit; from then on the transport delivers to the session itself."""
    is_handed_over = False
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            event = await receive()
            if event["type"] != "websocket.receive":
                return
            await turns_of(asyncio.get_running_loop()).next()
            message = session.receive_text(event.get("text"))
            if message is not None:
                await session.handle(message)
        if session.is_open:
            is_handed_over = True
            socket.transport.deliver_to(session)
    except TimeoutError:
        session.timed_out()
    finally:
        if not is_handed_over:
            await session.closed()


class BaseSession:
    """What both kinds of session do with a frame before they look for its meaning."""

    __slots__ = ("bad", "game_server", "outbox", "socket")

    def __init__(self, game_server: GameServer, socket: AcceptedSocket) -> None:
        self.game_server = game_server
        self.socket = socket
        self.outbox = socket.outbox
        self.bad = 0

    @property
    def is_open(self) -> bool:
        return self.outbox.is_open

    def timed_out(self) -> None:
        self.outbox.end(4007, "silent")

    def checked(self, text: bytes | None) -> bytes | None:
        """The text, unless the frame came too fast or is none; then that has been answered."""
        if self.socket.is_too_fast():
            self.refuse_frame(Refusal("too_fast"), text, 4005)
            return None
        if text is None:
            self.refuse_frame(Refusal("bad_message", "Frames are text."), None)
        return text

    def refuse_frame(self, refusal: Refusal, text: bytes | None, close: int = 4002) -> None:
        """Refuses a frame that was no message, or one too many. Again and again: the socket is closed.

        The answer names the frame by its id, or its sender would wait for another one for ever.
        """
        do, command = cmd.named(text) if text is not None else (None, None)
        self.refuse(refusal, command, **self.refusal_context(do))
        self.bad += 1
        if self.bad >= BAD_FRAMES:
            self.outbox.end(close, "too many")

    def refusal_context(self, do: str | None) -> dict[str, Any]:
        """What is sent with the refusal of a whole frame; `do` is what it wanted, if that could be read."""
        return {}

    def refuse(self, refusal: Refusal, command: str | None = None, **more: Any) -> None:
        self.game_server.metrics.refused(refusal.code)
        self.tell(frames.Refused(id=command, **refusal.as_json(), **more))

    def tell(self, message: frames.ServerFrame) -> None:
        self.outbox.tell(frames.frame_of(message))
