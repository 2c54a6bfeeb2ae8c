"""A thinner transport under the same uvicorn: frames built once are written straight to each socket.

uvicorn's own path costs a coroutine, a dict and a serialisation for every frame and socket. This keeps
uvicorn's handshake, parsing, keep-alive and shutdown, and replaces only how our frames leave.
"""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

from app.play.frame import Frame
from app.web.wire import EXTENSION, framed

__all__ = ["ThinProtocol"]

CLOSE_SECONDS = 10.0  # a peer that neither reads nor closes is cut off then


class ThinProtocol(WebSocketsSansIOProtocol):
    """Implements Wire for the connection it serves; give it to uvicorn as `ws`."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        scope: Any = getattr(self, "scope", None)
        if scope is not None:  # the app's task has been made but has not begun
            scope["extensions"][EXTENSION] = self

    def send_receive_event_to_app(self) -> None:
        """uvicorn's own stumbles over a frame that is not UTF-8 when it comes right behind a close."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.close_with(1007, "not UTF-8")
                return
        super().send_receive_event_to_app()

    async def send(self, message: Any) -> None:
        """As uvicorn's, but a handshake that its shutdown has answered already is not answered twice."""
        if not self.handshake_complete and self.transport.is_closing():
            raise ClientDisconnected
        await super().send(message)

    def send_frame(self, frame: Frame) -> None:
        transport = self.transport
        if self.close_sent or self.disconnected or transport.is_closing():
            return
        wired = frame.wired
        transport.write(framed(frame) if wired is None else wired)

    def close_with(self, code: int, reason: str) -> None:
        if self.close_sent or self.disconnected or self.transport.is_closing():
            return
        if self.conn.state is not State.OPEN:
            return
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        # Not close(): that waits for a buffer which this peer may never read.
        self.close_timer = self.loop.call_later(CLOSE_SECONDS, self.transport.abort)

    def buffered(self) -> int:
        return self.transport.get_write_buffer_size()
