"""Accepting a socket: its Origin, its person, bans and limits; everything before the first message."""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.types import Receive, Send

from app.play import frames
from app.play.ports import Actor, StoreUnavailable
from app.web.auth.identity import Person, credential_of, current_person
from app.web.errors import Refused, TooMany
from app.web.game_server import actor_of, game_server_of
from app.web.security.address import is_same_origin
from app.web.security.limits import SocketQuota
from app.web.site import site_of
from app.web.ws.open_sockets import OpenSockets
from app.web.ws.outbox import Outbox
from app.web.ws.transport.base import SocketTransport, transport_of

__all__ = ["AcceptedSocket", "accept"]


class AcceptedSocket:
    """An open socket and whose it is; `most` is the longest frame it may send."""

    __slots__ = ("_open", "actor", "is_too_fast", "is_too_heavy", "most", "outbox", "transport")

    def __init__(
        self,
        actor: Actor,
        transport: SocketTransport,
        outbox: Outbox,
        quota: SocketQuota,
        sockets: OpenSockets,
        most: int,
    ) -> None:
        self.actor = actor
        self.transport = transport
        self.outbox = outbox
        self.is_too_fast = quota.is_too_fast
        self.is_too_heavy = quota.is_too_heavy
        self.most = most
        self._open = sockets
        transport.charge_to(quota)

    def release(self) -> None:
        """The session is over; the socket is counted until its connection is gone."""
        self.outbox.is_open = False
        self._open.discard(self.outbox)


async def accept(connection: HTTPConnection, receive: Receive, send: Send) -> AcceptedSocket | None:
    """The socket, open; its `release` is owed when the session is over. None when it was refused.

    A foreign page is refused before the handshake is answered. Other refusals open the socket first:
    a browser is not told the status of a failed handshake, but it is told a close code.
    """
    site, transport = site_of(connection), transport_of(connection.scope)
    await receive()  # the connect event
    if is_same_origin(connection, site.settings) is False:
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
        site.limits.take_request(connection)
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
            socket = AcceptedSocket(actor, transport, outbox, quota, site.sockets, site.settings.frame_bytes)
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
