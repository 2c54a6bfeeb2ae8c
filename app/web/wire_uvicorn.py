"""A thinner transport under the same uvicorn: frames go straight between the socket and the room.

uvicorn's own path costs a coroutine, a dict and a serialisation for every frame and socket out, and for every
frame in a generator, a queue and two system calls to stop and go on reading. This keeps uvicorn's handshake
and life, and from the answered handshake on reads and writes frames itself. Then it also lets go of what only
the handshake needed. From the first message on it carries the talk itself: no task lives with a socket, one
is made only for a message whose answer takes time.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from app.play.frame import Frame
from app.web.conversation import Talk
from app.web.wire import EXTENSION, MOST_BUFFERED, NOT_STRAIGHT, Straight, framed, framed_as
from app.web.wire_frames import CLOSE, PING, PONG, TEXT, BadFrame, FrameReader, close_payload
from app.web.wire_inbox import WRITABLE, Event, Inbox
from app.web.wire_rounds import Beating, Rounds

if TYPE_CHECKING:
    from app.web.outbox import Outbox

__all__ = ["ThinProtocol"]

CLOSE_SECONDS = 10.0  # a peer that neither reads nor closes is cut off then
MOST_WAITING = 16  # messages the app has not taken; then the peer is not read from
_GOING_AWAY = 1012
_FAULT = 1011
_BAD_TEXT = 1007
_NO_STATUS, _NO_CLOSE = 1005, 1006
_ROUNDS = "cartagena.rounds"

_STAYS_OPEN: Any = object()
_PING = framed_as(PING, b"")
# What uvicorn keeps with a connection. A place for each instead of a dictionary saves a kilobyte a socket; one
# that a newer uvicorn adds goes into the dictionary, which is still there.
_OF_UVICORN = """
    config app loop logger root_path asgi_version app_state connections tasks default_headers transport server client
    scheme queue handshake_initiated handshake_complete close_sent disconnected close_timer close_timeout
    initial_response conn read_paused writable ping_interval ping_timeout ping_timer pong_timer pending_ping_payload
    ping_sent_at last_ping_rtt frames curr_msg_data_type scope request response
""".split()


class ThinProtocol(WebSocketsSansIOProtocol):
    """Implements Wire for the connection it serves; give it to uvicorn as `ws`."""

    __slots__ = (
        *_OF_UVICORN,
        "_answering",
        "_is_paused",
        "_is_quiet",
        "_outbox",
        "_reader",
        "_talk",
        "_turn",
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.queue: Any = Inbox()
        self.writable: Any = WRITABLE
        self._reader: FrameReader | None = None  # from the answered handshake on
        self._is_paused = False
        self._is_quiet = False  # nothing has been heard since the last ping
        self._turn: set[Beating] | None = None  # the one it is asked for a sign of life with
        self._outbox: Outbox | None = None
        self._talk: Talk | None = None  # from the first message on
        self._answering: asyncio.Task[None] | None = None

    # -- the handshake, which is uvicorn's ---------------------------------------------------------

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        scope: Any = getattr(self, "scope", None)
        if scope is not None:  # the app's task has been made but has not begun
            scope["extensions"][EXTENSION] = self

    def start_keepalive(self) -> None:
        """The handshake has been answered: from here on frames are ours."""
        self._reader = FrameReader(self.config.ws_max_size)
        del self.conn, self.request, self.response, self.frames
        self.server = self.client = None  # the scope has them for as long as anybody asks
        self._beat_later()

    async def send(self, message: Any) -> None:
        if self._reader is None:
            await super().send(message)
        elif self.disconnected:
            raise ClientDisconnected
        elif message["type"] == "websocket.send":
            text = message.get("text")
            self._write(
                framed_as(TEXT, text.encode()) if text is not None else framed_as(2, message["bytes"])
            )
        else:
            self.close_with(message.get("code", 1000), message.get("reason") or "")

    async def run_asgi(self) -> None:
        """The app returns when the socket is done, or when it has handed its talk over: then it stays open."""
        await super().run_asgi()
        if self.close_timer is _STAYS_OPEN:
            self.close_timer = None
        self.scope: Any = None  # the request's headers: nobody asks for them again

    async def receive(self) -> Any:
        event = await self.queue.get()
        if self._is_paused and not self.queue:
            self._is_paused = False
            self.transport.resume_reading()
        return event

    # -- the wire ----------------------------------------------------------------------------------

    def send_frame(self, frame: Frame) -> bool:
        if self.close_sent or self.disconnected:
            return True
        transport = self.transport
        if transport.get_write_buffer_size() > MOST_BUFFERED:
            return False
        transport.write(frame.wired or framed(frame))
        return True

    def open_for(self, outbox: Outbox) -> Straight:
        transport = self.transport
        self._outbox = outbox
        transport.set_write_buffer_limits(MOST_BUFFERED)
        if transport.get_extra_info("sslcontext") is not None:
            return NOT_STRAIGHT  # what goes to the socket is not what is said
        file = transport.get_extra_info("socket").fileno()
        return file, transport.get_write_buffer_size, transport.write

    def pause_writing(self) -> None:
        """So much waits for this peer that it reads too slowly."""
        if self._outbox is not None:
            self._outbox.shed()

    def resume_writing(self) -> None:
        """It has read on; by then its outbox is closed."""

    def _shut(self) -> None:
        """Nothing is sent to this peer any more."""
        self.close_sent = True
        if self._outbox is not None:
            self._outbox.is_open = False

    def close_with(self, code: int, reason: str) -> None:
        if self.close_sent or self.disconnected or self.transport.is_closing():
            return
        self._write(framed_as(CLOSE, close_payload(code, reason)))
        self._shut()
        self._tell_app(code, reason)
        if self._is_paused:
            self._is_paused = False
            self.transport.resume_reading()
        # Not close(): that waits for a buffer which this peer may never read.
        self.close_timer = self.loop.call_later(CLOSE_SECONDS, self.transport.abort)

    def buffered(self) -> int:
        return self.transport.get_write_buffer_size()

    def carry(self, talk: Talk) -> bool:
        self._talk = talk
        if self.close_timer is None:
            self.close_timer = _STAYS_OPEN  # uvicorn closes what has no such timer when the app returns
        if self.queue:
            self._answer_waiting()
        return True

    # -- bytes from the peer -----------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        reader = self._reader
        if reader is None:
            super().data_received(data)
            return
        self._is_quiet = False
        text = reader.whole_text(data)
        if text is not None and not self.close_sent:
            self._take(text)
            return
        try:
            for opcode, payload in reader.read(data):
                self._heard(opcode, payload)
        except BadFrame as bad:
            self.close_with(bad.code, bad.reason)

    def _heard(self, opcode: int, payload: bytes) -> None:
        if opcode == CLOSE:
            self._peer_closed(payload)
        elif self.close_sent or self.transport.is_closing():
            pass  # the app is past it
        elif opcode == TEXT:
            self._take(payload)
        elif opcode == PING:
            self._write(framed_as(PONG, payload))
        elif opcode != PONG:
            self._wait({"type": "websocket.receive", "bytes": payload})

    def _take(self, payload: bytes) -> None:
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            self.close_with(_BAD_TEXT, "not UTF-8")
            return
        if self._talk is None or self._answering is not None:
            self._wait({"type": "websocket.receive", "text": text})
            return
        message = self._talk.hear(text)
        if message is not None:
            self._answer_in_task(message)

    def _wait(self, event: Event) -> None:
        self.queue.put_nowait(event)
        if len(self.queue) >= MOST_WAITING and not self._is_paused:
            self._is_paused = True
            self.transport.pause_reading()
        if self._talk is not None:
            self._answer_waiting()

    # -- what takes time ---------------------------------------------------------------------------

    def _answer_waiting(self) -> None:
        if self._answering is None:
            self._answer_in_task(None)

    def _answer_in_task(self, message: Any) -> None:
        self._answering = self.loop.create_task(self._answer(message))
        self.tasks.add(self._answering)
        self._answering.add_done_callback(self._answered)

    async def _answer(self, message: Any) -> None:
        """This message and whatever comes in meanwhile, in order; then the task is over."""
        talk = self._talk
        assert talk is not None
        is_over = True  # whatever goes wrong
        try:
            if message is not None:
                await talk.answer(message)
            while self.queue:
                event = await self.receive()
                if event["type"] != "websocket.receive":
                    return
                message = talk.hear(event.get("text"))
                if message is not None:
                    await talk.answer(message)
            is_over = False
        finally:
            if is_over:
                self._talk = None
                self.queue = Inbox()
                await talk.over()

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._answering = None
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.logger.error("a socket's talk failed", exc_info=task.exception())
            self.close_with(_FAULT, "server fault")
        elif self.queue and self._talk is not None:  # came after the task had looked for the last time
            self._answer_waiting()

    def _peer_closed(self, payload: bytes) -> None:
        if not self.close_sent:
            code = int.from_bytes(payload[:2], "big") if len(payload) > 1 else _NO_STATUS
            self._write(framed_as(CLOSE, payload[:2]))
            self._shut()
            self._tell_app(code, payload[2:].decode("utf-8", "replace"))
        self._end_close_timer()
        self.transport.close()

    # -- its end -----------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """uvicorn is stopping; whoever was to be told to resume has been."""
        if self._reader is None:
            super().shutdown()
            self.handshake_complete = self.disconnected = (
                True  # answered: the app's own answer comes too late
            )
            return
        self.close_with(_GOING_AWAY, "")
        self._end_close_timer()
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_keepalive()
        self._end_close_timer()
        self.connections.discard(self)
        self._tell_app(_NO_STATUS if self.handshake_complete else _NO_CLOSE, "")
        self.handshake_complete = True
        self.disconnected = True
        if self._outbox is not None:
            self._outbox.is_open = False
            self._outbox = None

    def _tell_app(self, code: int, reason: str) -> None:
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self._talk is not None:
            self._answer_waiting()

    def _end_close_timer(self) -> None:
        if self.close_timer is not None:
            self.close_timer.cancel()
            self.close_timer = None

    # -- signs of life -----------------------------------------------------------------------------

    def _beat_later(self) -> None:
        if self.ping_interval:
            # Shared by all connections of this server, as the state of its lifespan is.
            rounds: Rounds | None = self.app_state.get(_ROUNDS)
            if rounds is None:
                rounds = self.app_state[_ROUNDS] = Rounds(self.loop, self.ping_interval)
            self._turn = rounds.join(self)

    def stop_keepalive(self) -> None:
        if self._turn is not None:
            self._turn.discard(self)
            self._turn = None

    def beat(self) -> None:
        """Ask whether the peer is there; one that has said nothing since the last time is not."""
        if self.close_sent or self.disconnected:
            self.stop_keepalive()
        elif self._is_quiet:
            self.close_with(1011, "keepalive ping timeout")
        else:
            self._is_quiet = True
            self._write(_PING)

    def _write(self, wired: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(wired)
