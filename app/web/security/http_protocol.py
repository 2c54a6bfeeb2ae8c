"""HTTP under uvicorn with bounds on what a peer may send and leave unread.

The parser keeps a request's head, however long, until it is whole, makes a request of everything that it is fed, and
nothing waits for it in vain: without a proxy in front nothing else would stop a peer. Here a head has so many bytes
and seconds, a whole request and the taking of its answer so many seconds, and the parser is fed a little at a time,
with nothing more while requests wait for their turn. What is used of uvicorn for it is listed in
tests/web/ws/transport/test_uvicorn_calls.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.play.turns import turns_of
from app.web.security.connections import Connections, ConnectionSlot
from app.web.security.raw_response import raw_response
from app.web.security.request_bounds import MAX_HEAD_BYTES
from app.web.ws.transport.uvicorn import SocketProtocol

HEAD_SECONDS = 15.0
REQUEST_SECONDS = 60.0  # from the end of the head to the end of the body
ANSWER_SECONDS = 60.0  # for an answer to be taken, or of a stream what waits of it
MAX_UNREAD_BODY_BYTES = 65_536  # of a request that was answered before its body had arrived
LINGER_SECONDS = (
    2.0  # then the connection is no longer read, and closed after so long: the answer can still be taken
)
SLICE = 1024  # bytes fed at once: 57 of the shortest requests
MOST_PIPELINED = 20  # requests sent before the answer to the one before; then the connection is closed
MOST_HELD = 1_048_576

_SOCKET = b"GET /ws/"


class _Flow(FlowControl):
    """Tells when reading goes on: what was held back comes first."""

    def __init__(self, transport: asyncio.Transport, go_on: Callable[[], None]) -> None:
        super().__init__(transport)
        self._go_on = go_on

    def resume_reading(self) -> None:
        super().resume_reading()
        self._go_on()

    def end(self) -> None:
        """The connection is gone; whoever still has this holds nothing else by it."""
        self._go_on = _nothing


def _nothing() -> None: ...


class BoundedHttpProtocol(HttpToolsProtocol):
    """Give it to uvicorn as `http`; with `connections`, those of an address and of the process are bounded."""

    def __init__(self, *args: Any, connections: Connections | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self._bounds = connections
        self._slot: ConnectionSlot | None = None
        self._is_over = False  # refused, or another protocol's from now on
        self._is_fresh = True  # nothing has been read on it
        self._is_in_queue = False  # of newcomers, for its turn
        self._held = b""  # received and not yet fed, from `_at` on
        self._at = 0
        self._head_bytes = 0
        self._is_in_head = True
        self._pipelined = 0
        self._unread_body_bytes = 0
        self._running: RequestResponseCycle | None = None  # uvicorn's `cycle` is the last one that came in
        self._request_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    # -- what the event loop calls -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self._bounds is not None:
            self._slot, refusal = self._bounds.enter(transport)
            if refusal:
                self._is_over = True
                self.transport = transport
                transport.write(refusal)
                transport.close()
                return
        super().connection_made(transport)
        self.flow = _Flow(transport, self._feed_soon)
        self._begin_request_timer(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_timers()
        self._held = b""
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)
        if isinstance(self.flow, _Flow):
            self.flow.end()
        if self._slot is not None:
            self._slot.release()

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        if self._request_timer is None and not self._is_in_queue:
            self._begin_request_timer(HEAD_SECONDS)  # the next request on a connection that was kept
        self._held = data if not self._held else self._held[self._at :] + data
        self._at = 0
        if len(self._held) > (MAX_HEAD_BYTES if self._is_in_queue else MOST_HELD):
            self.transport.abort()
        elif self._is_fresh and not self._is_in_queue and data.startswith(_SOCKET):
            # One of a crowd, perhaps: it waits for its turn before anything is done for it. That is not its time, and
            # reading goes on: whoever gives up meanwhile is not waited on.
            self._is_in_queue = True
            self._end_request_timer()
            turns_of(self.loop).do(self._feed_in_turn, is_new=True)
        elif not self._is_in_queue:
            self._feed()

    def _feed_in_turn(self) -> None:
        self._is_in_queue = False
        if self._held and not self.transport.is_closing():
            self._begin_request_timer(HEAD_SECONDS)
            self._feed()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_to_be_read()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end_answer_timer()
        self._expect_to_be_read()

    # -- bytes to the parser -----------------------------------------------------------------------

    def _feed_soon(self) -> None:
        if self._held:
            self.loop.call_soon(self._feed)

    def _feed(self) -> None:
        """While nobody waits: neither a request for the answer before it nor the app for a body to be taken."""
        while self._held and not self._is_over and not self.flow.read_paused and not self.pipeline:
            piece = self._held[self._at : self._at + SLICE]
            self._at += len(piece)
            if self._at == len(self._held):
                self._held, self._at = b"", 0
            was_in_head = self._is_in_head
            super().data_received(piece)
            if was_in_head and self._is_in_head:
                self._head_bytes += len(piece)
                if self._head_bytes > MAX_HEAD_BYTES:
                    self.send_400_response("The head of this request is too long.")
            if self.transport.is_closing():
                self._held = b""
        if self._held and not self._is_over:
            self.flow.pause_reading()

    def on_message_begin(self) -> None:
        self._is_fresh = False
        if self._request_timer is None:
            self._begin_request_timer(HEAD_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._head_bytes = 0
        self._unread_body_bytes = 0
        self._begin_request_timer(REQUEST_SECONDS)
        super().on_headers_complete()
        if not self.pipeline:
            self._running = self.cycle
            self._pipelined = 0
            return
        self._pipelined += 1
        if self._pipelined >= MOST_PIPELINED:
            self.cycle.keep_alive = False
            self._held = b""

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        running = self._running
        if running is not None and running is self.cycle and running.response_complete:
            self._unread_body_bytes += len(body)
            if self._unread_body_bytes > MAX_UNREAD_BODY_BYTES:
                self._is_over = True
                self._held = b""
                self.flow.pause_reading()
                self._begin_request_timer(LINGER_SECONDS)

    def on_message_complete(self) -> None:
        self._is_in_head = True
        self._end_request_timer()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """As when a connection is lost: parser and protocol hold each other, and the request with all its headers.
        Five kilobytes a socket would wait for the collector, which comes seldom.
        """
        self._is_over = True
        self._held = b""
        self._end_timers()
        super().handle_websocket_upgrade()
        socket = self.transport.get_protocol()
        if isinstance(socket, SocketProtocol):
            socket.slot, self._slot = self._slot, None
        self.parser = self.flow = None  # type: ignore[assignment]

    # -- in time -----------------------------------------------------------------------------------

    def on_response_complete(self) -> None:
        if self.pipeline:
            self._running = self.pipeline[-1][0]
        super().on_response_complete()
        self._expect_to_be_read()

    def send_400_response(self, msg: str) -> None:
        self.transport.write(raw_response(400, msg))
        self.transport.close()
        self._expect_to_be_read()

    def _expect_to_be_read(self) -> None:
        """What waits for the peer is taken in time, whether the connection is to be kept or closed."""
        if self._answer_timer is None and self.transport.get_write_buffer_size():
            self._answer_timer = self.loop.call_later(ANSWER_SECONDS, self._answer_is_late)

    def _answer_is_late(self) -> None:
        self._answer_timer = None
        if not self.transport.get_write_buffer_size():
            return
        running = self._running
        if running is None or running.response_complete or self.flow.write_paused:
            self.transport.abort()
        else:
            self._expect_to_be_read()  # a stream that is read, if slowly

    def _request_is_late(self) -> None:
        self._request_timer = None
        answering = self._running is not None and not self._running.response_complete
        if self._is_in_head and answering:
            self._begin_request_timer(HEAD_SECONDS)  # it has begun to ask again before it was answered
            return
        if not self._is_in_head and answering and not self.cycle.response_started:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.transport.write(raw_response(408, "This request took too long."))
        self.transport.close()
        self._expect_to_be_read()

    def _begin_request_timer(self, seconds: float) -> None:
        self._end_request_timer()
        self._request_timer = self.loop.call_later(seconds, self._request_is_late)

    def _end_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _end_answer_timer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None

    def _end_timers(self) -> None:
        self._end_request_timer()
        self._end_answer_timer()
