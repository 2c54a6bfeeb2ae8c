"""The port between a socket's session and its transport; transport/uvicorn.py implements it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from starlette.types import Scope

from app.play.frames import Frame

EXTENSION = "cartagena.transport"
MOST_BUFFERED = 256 * 1024  # bytes a peer may leave unread; about thirty whole states, or an hour of moves

# The socket's file, how many bytes wait in the transport, and the transport's write for whatever cannot go at once.
DirectWrite = tuple[int, Callable[[], int], Callable[[bytes], None]]


class Quota(Protocol):
    """A connection as the limits count it."""

    def owe(self, frames: int) -> float:
        """Charges frames that have been read; the seconds until all of them are paid for."""

    def release(self) -> None:
        """The connection is gone; calling it again does no harm."""


class Session(Protocol):
    """What a kind of socket does with what it receives."""

    @property
    def is_open(self) -> bool: ...

    def receive_text(self, text: bytes | None) -> Any | None:
        """Takes a text in UTF-8 (None: a frame that is none). Returns its message, if handling that takes time."""

    async def handle(self, message: Any) -> None:
        """Handles a message that `receive_text` returned."""

    def timed_out(self) -> None:
        """No first message came in time."""

    async def closed(self) -> None:
        """The socket is gone; called once."""


class Writer(Protocol):
    """An outbox, as the transport knows it."""

    is_open: bool

    def shed(self) -> None: ...


class SocketTransport(Protocol):
    """One open socket: sends frames without waiting, closes, and delivers messages to a session."""

    def charge_to(self, quota: Quota) -> None:
        """Who pays for frames that are no messages, and what is released when the connection is really gone:
        a socket that is closed and whose peer does not go still counts.
        """

    def attach(self, outbox: Writer) -> DirectWrite:
        """How an outbox writes to the socket's file without going through the transport. The transport closes the
        outbox before the file is closed, and sheds it when the peer reads too slowly.
        """

    def send_frame(self, frame: Frame) -> None: ...
    def close_with(self, code: int, reason: str) -> None: ...
    def deliver_to(self, session: Session) -> None:
        """Messages go to this session from now on, without a task of its own, until it is told that it is closed."""


def transport_of(scope: Scope) -> SocketTransport:
    """The transport of a socket's ASGI scope; raises RuntimeError under a server that does not offer ours."""
    found: SocketTransport | None = scope.get("extensions", {}).get(EXTENSION)
    if found is None:
        raise RuntimeError(
            "sockets need SocketProtocol as uvicorn's `ws`: start the server by `cartagena serve`"
        )
    return found
