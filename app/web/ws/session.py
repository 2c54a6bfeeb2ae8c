"""A socket's session once it is open: what can be answered at once is, what takes time gets a task.

The transport hands each frame to `receive_text`; only a message that this cannot deal with on the spot gets a task,
and only for as long as that takes. An idle socket is then an entry in the poller and a few small objects.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Receive

from app.play import frames
from app.play.commands import messages as cmd
from app.play.refusals import Refusal
from app.play.server import GameServer
from app.web.ws.accept import AcceptedSocket
from app.web.ws.transport.base import Session

__all__ = ["BaseSession", "run_session"]

HELLO_SECONDS = 10
BAD_FRAMES = 10  # so many frames that were no messages, or came too fast, and the socket is closed


async def run_session(session: Session, socket: AcceptedSocket, receive: Receive) -> None:
    """Waits for the first message, with a limit; from then on the transport delivers to the session itself."""
    is_handed_over = False
    try:
        async with asyncio.timeout(HELLO_SECONDS):
            event = await receive()
            if event["type"] != "websocket.receive":
                return
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

    def checked(self, text: str | None) -> str | None:
        """The text, unless the frame came too fast, is none or is too long; then that has been answered."""
        is_too_fast = self.socket.is_too_fast()
        if text is not None and (
            len(text) > self.socket.most or (not text.isascii() and len(text.encode()) > self.socket.most)
        ):
            self.outbox.end(1009, "frame too big")
            return None
        if is_too_fast:
            self.refuse_frame(Refusal("too_fast"), text, 4005)
            return None
        if text is None:
            self.refuse_frame(Refusal("bad_message", "Frames are text."), None)
        return text

    def refuse_frame(self, refusal: Refusal, text: str | None, close: int = 4002) -> None:
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
