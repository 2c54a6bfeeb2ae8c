"""Accepting a socket (Origin, person, bans, limits), its bounded outbox, and the base class of its session.

The transport passes each frame to `receive_text`. A task exists only while a message needs more than that, so an idle
socket is an entry in the poller and a few small objects. A peer that does not read is closed with a code of its own
and can resume.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from app.admission import get_admission_queue
from app.play import frames
from app.play.commands import messages as cmd
from app.play.ports import Actor, EndReason, MetricsPort, StoreUnavailable
from app.play.refusals import Refusal
from app.play.server import GameServer
from app.store.people.players import Player
from app.web.auth.identity import credential_of, current_person, visible_account
from app.web.auth.sessions import OWN_COOKIES
from app.web.errors import Refused, TooMany
from app.web.game_server import actor_of, game_server_of
from app.web.security.address import is_same_origin
from app.web.security.limits import SocketQuota
from app.web.security.request_bounds import is_head_in_bounds, request_cost, strip_foreign_cookies
from app.web.site import site_of
from app.web.ws.open_sockets import OpenSockets
from app.web.ws.transport.framing import encode_text
from app.web.ws.transport.protocol import Session, SocketProtocol, transport_of

# Close code and reason for each reason why a room disconnects a listener.
_PARTING_CLOSES: dict[EndReason, tuple[int, str]] = {
    "resume": (4000, "resume"),
    "closed": (4010, "closed"),
    "no_spectators": (4003, "no spectators"),
}
_BYE_FRAMES = {
    4000: ("resume", "The server is restarting; your seat is kept."),
    4008: ("signed_out", "You have been logged out."),
    4010: ("closed", "This table was closed."),
}


class Outbox:
    """Sends frames to one socket. Implements Listener. Bounded: the transport closes a peer that does not read."""

    __slots__ = ("_metrics", "_transport", "_write", "is_open")

    def __init__(self, transport: SocketProtocol, metrics: MetricsPort) -> None:
        self._transport = transport
        self._metrics = metrics
        self.is_open = True
        self._write = transport.attach(self)

    def send(self, frame: frames.Frame) -> None:
        if self.is_open:
            self._write(encode_text(frame))

    def send_batch(self, several: Sequence[frames.Frame]) -> None:
        """Send several frames in one write."""
        if self.is_open:
            self._write(b"".join([encode_text(frame) for frame in several]))

    def close_slow_peer(self) -> None:
        """Close because the peer does not read."""
        if self.is_open:
            self._metrics.count_dropped_socket()
            self.close(4004, "slow")

    def end(self, why: EndReason) -> None:
        self.close(*_PARTING_CLOSES[why])

    def close(self, code: int, reason: str) -> None:
        """Send the reason and close. Later frames are dropped."""
        if not self.is_open:
            return
        self.is_open = False
        last_frame = None
        if code in _BYE_FRAMES:
            kind, message = _BYE_FRAMES[code]
            last_frame = frames.encode_frame(frames.Bye(code=kind, message=message))
        self._transport.close_with(code, reason, last_frame)


class AcceptedSocket:
    """An open socket and its owner."""

    __slots__ = ("_open", "actor", "is_too_fast", "is_too_heavy", "outbox", "transport")

    def __init__(
        self,
        actor: Actor,
        transport: SocketProtocol,
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
        """End the session. The socket counts towards the limits until its connection is gone."""
        self.outbox.is_open = False
        self._open.discard(self.outbox)


async def accept_socket(connection: HTTPConnection, receive: Receive, send: Send) -> AcceptedSocket | None:
    """Accept a socket and return it, or None if it was refused. The caller must `release` it after the session.

    Another site's page and an oversized request head are refused before the handshake. All other refusals open the
    socket first, because scripts cannot see the status of a failed handshake but can see a close code.
    """
    scope = connection.scope
    site, transport = site_of(connection), transport_of(scope)
    cost = request_cost(scope, 0)
    scope["headers"] = strip_foreign_cookies(scope["headers"], OWN_COOKIES)
    await receive()  # the connect event
    if not is_head_in_bounds(scope) or is_same_origin(connection, site.settings) is False:
        await send({"type": "websocket.close", "code": 1008})  # not accepted yet, so uvicorn answers 403
        return None
    if not site.is_ready:  # stopping: this socket would not be told to resume; a proxy tries another worker
        await _answer_unavailable(send)
        return None
    refusal: Refused | None = None
    person: Player | None = None
    quota: SocketQuota | None = None
    try:
        site.bans.check(connection)
        site.limits.take_request(connection, cost)
        person = await current_person(connection)
        quota = site.limits.open_socket(connection, person.id if person is not None else None)
    except Refused as refused:
        refusal = refused
    except StoreUnavailable:
        refusal = Refused("try_again", "The server cannot identify you just now. Try again in a moment.")
    try:
        await send({"type": "websocket.accept"})
        outbox = Outbox(transport, game_server_of(connection).metrics)
        if quota is not None:
            actor = actor_of(person)
            socket = AcceptedSocket(actor, transport, outbox, quota, site.sockets)
            site.sockets.add(
                outbox,
                credential_of(connection),
                actor.ids,
                site.limits.address_of(connection),
                visible_account(connection, person),
            )
            quota = None  # from here on the transport releases it
            return socket
        assert refusal is not None
        site.metrics.count_refusal(refusal.code)
        answer = frames.Refused(id=None, code=refusal.code, message=refusal.message)
        outbox.send(frames.encode_frame(answer))
        outbox.close(_close_code(refusal), refusal.code)
        await receive()  # until the peer has closed
        return None
    finally:
        if quota is not None:
            quota.release()


async def _answer_unavailable(send: Send) -> None:
    """Answer the handshake with 503, through the ASGI extension for denial responses."""
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"1")]
    await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b"This server is stopping."})


def _close_code(refusal: Refused) -> int:
    if refusal.code == "try_again":
        return 1011
    return 4009 if isinstance(refusal, TooMany) else 4003


HELLO_TIMEOUT_SECONDS = 10
MAX_BAD_FRAMES = 10  # frames that are invalid or too fast, before the socket is closed


class SocketEndpoint:
    """ASGI endpoint for one kind of session."""

    def __init__(self, make: Callable[[HTTPConnection, AcceptedSocket], Session]) -> None:
        self._make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        socket = await accept_socket(connection, receive, send)
        if socket is not None:
            await run_session(self._make(connection, socket), socket, receive)


async def run_session(session: Session, socket: AcceptedSocket, receive: Receive) -> None:
    """Process the first message, within a time limit. From then on the transport delivers messages to the session."""
    is_handed_over = False
    try:
        async with asyncio.timeout(HELLO_TIMEOUT_SECONDS):
            event = await receive()
            if event["type"] != "websocket.receive":
                return
            await get_admission_queue(asyncio.get_running_loop()).wait()
            message = session.receive_text(event.get("text"))
            if message is not None:
                await session.handle(message)
        if session.is_open:
            is_handed_over = True
            socket.transport.deliver_to(session)
    except TimeoutError:
        session.on_hello_timeout()
    finally:
        if not is_handed_over:
            await session.on_closed()


class BaseSession:
    """Checks that game and lobby sessions share: rate, type and refusals of frames."""

    __slots__ = ("bad_frames", "game_server", "outbox", "socket")

    def __init__(self, game_server: GameServer, socket: AcceptedSocket) -> None:
        self.game_server = game_server
        self.socket = socket
        self.outbox = socket.outbox
        self.bad_frames = 0

    @property
    def is_open(self) -> bool:
        return self.outbox.is_open

    def on_hello_timeout(self) -> None:
        self.outbox.close(4007, "silent")

    def check_frame(self, text: bytes | None) -> bytes | None:
        """Return the text; None after refusing a frame that came too fast or is not text."""
        if self.socket.is_too_fast():
            self.refuse_frame(Refusal("too_fast"), text, 4005)
            return None
        if text is None:
            self.refuse_frame(Refusal("bad_message", "Frames must be text."), None)
        return text

    def refuse_frame(self, refusal: Refusal, text: bytes | None, close: int = 4002) -> None:
        """Refuse a frame that is invalid or too fast. Close the socket after MAX_BAD_FRAMES of them.

        The refusal contains the frame's id if it has one, so that the client does not wait for an answer forever.
        """
        do, command = cmd.read_name_and_id(text) if text is not None else (None, None)
        self.refuse(refusal, command, **self.refusal_context(do))
        self.bad_frames += 1
        if self.bad_frames >= MAX_BAD_FRAMES:
            self.outbox.close(close, "too many")

    def refusal_context(self, do: str | None) -> dict[str, Any]:
        """Return extra fields for the refusal of a frame; `do` is its command, if it could be read."""
        return {}

    def refuse(self, refusal: Refusal, command: str | None = None, **more: Any) -> None:
        self.game_server.metrics.count_refusal(refusal.code)
        self.send(frames.Refused(id=command, **refusal.as_json(), **more))

    def send(self, message: frames.ServerFrame) -> None:
        self.outbox.send(frames.encode_frame(message))
