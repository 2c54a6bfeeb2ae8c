"""The wire: how frames leave, behind a small port, so that the transport can be exchanged for a thinner one.

`AsgiWire` works under any ASGI server. Under uvicorn with `app.web.ws.transport.uvicorn` the protocol itself is
the wire: a prebuilt frame goes straight to the transport, with no task and no copy a socket.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from starlette.types import Scope, Send

from app.play.frames import Frame

if TYPE_CHECKING:
    from app.web.ws.outbox import Outbox
    from app.web.ws.session import Talk

__all__ = [
    "EXTENSION",
    "MOST_BUFFERED",
    "NOT_STRAIGHT",
    "AsgiWire",
    "Counted",
    "Straight",
    "Wire",
    "framed",
    "framed_as",
    "wire_of",
]

EXTENSION = "cartagena.wire"
MOST_BUFFERED = 256 * 1024  # bytes a peer may leave unread; about thirty whole states, or an hour of moves


# The socket's file, how many bytes wait in the transport, and the transport's write for whatever cannot go at once.
Straight = tuple[int | None, Callable[[], int], Callable[[bytes], None]]
NOT_STRAIGHT: Straight = (None, int, lambda wired: None)


class Counted(Protocol):
    """A socket as the limits count it."""

    def owe(self, frames: int) -> float:
        """Charges frames that have been read; the seconds until all of them are paid for."""

    def release(self) -> None:
        """It is gone; again is no harm."""


class Wire(Protocol):
    """Sends a frame without waiting, closes, says how much waits."""

    def count(self, counted: Counted) -> None:
        """Who pays for frames that are no messages, and what is to be released when the connection is really gone:
        a socket that is closed and whose peer does not go still takes its place.
        """

    def send_frame(self, frame: Frame) -> bool:
        """False when so much waits for this peer that it is not sent: it reads too slowly."""

    def open_for(self, outbox: Outbox) -> Straight:
        """The straight way of an outbox to the socket, if it may go that way; then the wire closes the outbox before
        the file is closed, and sheds it when the peer reads too slowly. Else every frame is given to `send_frame`.
        """

    def close_with(self, code: int, reason: str) -> None: ...
    def buffered(self) -> int: ...
    def carry(self, talk: Talk) -> bool:
        """Whether frames go to this talk from now on, without a task of its own, until it is told that it is over.

        False: this wire only sends, the app reads frame by frame.
        """


def framed(frame: Frame) -> bytes:
    """The frame as a server's WebSocket text frame, made once."""
    wired = frame.wired
    if wired is None:
        payload = frame.payload
        size = len(payload)
        # The two sizes that nearly all have; this is done with every action.
        if size < 126:
            wired = _SHORT[size] + payload
        elif size < 65536:
            wired = b"\x81\x7e" + size.to_bytes(2, "big") + payload
        else:
            wired = framed_as(1, payload)
        frame.wired = wired
    return wired


_SHORT = [bytes((0x81, size)) for size in range(126)]


def framed_as(opcode: int, payload: bytes) -> bytes:
    """A whole, unmasked frame (RFC 6455 §5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x80 | opcode, size)) + payload
    if size < 65536:
        return bytes((0x80 | opcode, 126)) + size.to_bytes(2, "big") + payload
    return bytes((0x80 | opcode, 127)) + size.to_bytes(8, "big") + payload


def wire_of(scope: Scope, send: Send) -> Wire:
    """The thinnest wire this server offers."""
    thin: Any = scope.get("extensions", {}).get(EXTENSION)
    return thin if thin is not None else AsgiWire(send)


class AsgiWire:
    """Frames wait in a queue that one task a socket empties; a peer that does not read holds up nobody."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: deque[Frame | tuple[int, str]] = deque()
        self._bytes = 0
        self._is_closing = False
        self._counted: Counted | None = None
        self._has_more = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._empty())

    def count(self, counted: Counted) -> None:
        self._counted = counted  # the server under this one reads control frames itself and tells nobody

    def send_frame(self, frame: Frame) -> bool:
        if self._bytes > MOST_BUFFERED:
            return False
        if not self._is_closing:
            self._waiting.append(frame)
            self._bytes += len(frame.payload)
            self._has_more.set()
        return True

    def open_for(self, outbox: Outbox) -> Straight:
        return NOT_STRAIGHT

    def close_with(self, code: int, reason: str) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._waiting.append((code, reason))
            self._has_more.set()

    def buffered(self) -> int:
        return self._bytes

    def carry(self, talk: Talk) -> bool:
        return False

    async def end(self) -> None:
        """The socket is gone."""
        self._is_closing = True
        self._task.cancel()
        if self._counted is not None:
            self._counted.release()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _empty(self) -> None:
        while True:
            await self._has_more.wait()
            self._has_more.clear()
            while self._waiting:
                item = self._waiting.popleft()
                try:
                    if isinstance(item, Frame):
                        await self._send({"type": "websocket.send", "text": item.payload.decode()})
                        self._bytes -= len(item.payload)
                    else:
                        await self._send({"type": "websocket.close", "code": item[0], "reason": item[1]})
                        return
                except (OSError, RuntimeError):
                    return  # the peer is gone; the reader finds out as well
