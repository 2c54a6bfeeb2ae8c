"""A socket's conversation once it is open: what a frame means is asked at once, what takes time is waited for.

Under the thin wire no task lives with a socket. The wire hands each frame to `hear`; only a message that
`hear` cannot deal with on the spot gets a task, and only for as long as that takes. An idle socket is then
an entry in the poller and a few small objects. Under any other ASGI server one task reads frame by frame.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from starlette.types import Receive

from app.play import frames
from app.play.commands import messages as cmd
from app.play.refusals import Refusal
from app.play.server import GameServer
from app.web.ws.accept import Accepted
from app.web.ws.transport.base import AsgiWire, Wire

__all__ = ["Manners", "Talk", "converse"]

HELLO_SECONDS = 10
BAD_FRAMES = 10  # so many frames that were no messages, or came too fast, and the socket is closed


class Talk(Protocol):
    """What a kind of socket talks about."""

    @property
    def is_open(self) -> bool: ...

    def hear(self, text: str | None) -> Any | None:
        """A frame (None: one that is no text). The message it holds, if answering it takes time."""

    async def answer(self, message: Any) -> None:
        """What `hear` could not answer at once."""

    def silent(self) -> None:
        """Not a word came for so long that there will be none."""

    async def over(self) -> None:
        """The socket is gone; called once."""


async def converse(talk: Talk, wire: Wire, receive: Receive) -> None:
    """The first message here, with a limit to the wait; then by the wire itself if it can, else to the end."""
    is_carried = False
    try:
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                goes_on = await _step(talk, await receive())
        except TimeoutError:
            talk.silent()
            return
        is_carried = goes_on and wire.carry(talk)
        while goes_on and not is_carried:
            goes_on = await _step(talk, await receive())
    finally:
        if not is_carried:
            await talk.over()
            if isinstance(wire, AsgiWire):
                await wire.end()


async def _step(talk: Talk, event: Any) -> bool:
    """One frame; False when the socket is done."""
    if event["type"] != "websocket.receive":
        return False
    message = talk.hear(event.get("text"))
    if message is not None:
        await talk.answer(message)
    return talk.is_open


class Manners:
    """What every kind of talk asks of a frame before it looks for its meaning."""

    __slots__ = ("bad", "game_server", "outbox", "socket")

    def __init__(self, game_server: GameServer, socket: Accepted) -> None:
        self.game_server = game_server
        self.socket = socket
        self.outbox = socket.outbox
        self.bad = 0

    @property
    def is_open(self) -> bool:
        return self.outbox.is_open

    def silent(self) -> None:
        self.outbox.end(4007, "silent")

    def checked(self, text: str | None) -> str | None:
        """The text, unless the frame came too fast, is none or is too long; then that has been answered."""
        is_too_fast = self.socket.is_too_fast()
        if text is not None and (
            len(text) > self.socket.most or (not text.isascii() and len(text.encode()) > self.socket.most)
        ):
            self.outbox.end(1009, "frame too big")
            return None
        if is_too_fast:
            self.strike(Refusal("too_fast"), text, 4005)
            return None
        if text is None:
            self.strike(Refusal("bad_message", "Frames are text."), None)
        return text

    def strike(self, refusal: Refusal, text: str | None, close: int = 4002) -> None:
        """A frame that was no message, or one too many. Again and again: the socket is closed.

        The answer names the frame by its id, or its sender would wait for another one for ever.
        """
        do, command = cmd.named(text) if text is not None else (None, None)
        self.refuse(refusal, command, **self.beside(do))
        self.bad += 1
        if self.bad >= BAD_FRAMES:
            self.outbox.end(close, "too many")

    def beside(self, do: str | None) -> dict[str, Any]:
        """What is told with the refusal of a whole frame; `do` is what it wanted, if that could be read."""
        return {}

    def refuse(self, refusal: Refusal, command: str | None = None, **more: Any) -> None:
        self.game_server.metrics.refused(refusal.code)
        self.tell(frames.Refused(id=command, **refusal.as_json(), **more))

    def tell(self, message: frames.ServerFrame) -> None:
        self.outbox.tell(frames.frame_of(message))
