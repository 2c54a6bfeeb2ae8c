"""uvicorn's HTTP protocol class with bounds on what a peer may send and leave unread.

uvicorn buffers a request head of any length, accepts any number of pipelined requests and has no time limits. Without
a proxy in front, nothing else would stop a peer. This class limits the bytes and seconds of a head, the seconds of a
body and of reading the response. It feeds the parser in small slices, and stops while a request waits for an answer.
tests/web/ws/transport/test_uvicorn_calls.py lists the parts of uvicorn that it relies on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.admission import get_admission_queue
from app.web.security.connections import Connections, ConnectionSlot
from app.web.security.raw_response import raw_response
from app.web.security.request_bounds import MAX_HEAD_BYTES
from app.web.ws.transport.protocol import SocketProtocol

HEAD_TIMEOUT_SECONDS = 15.0
BODY_TIMEOUT_SECONDS = 60.0  # from the end of the head to the end of the body
ANSWER_TIMEOUT_SECONDS = 60.0  # for the peer to read a response, or the buffered part of a stream
MAX_UNREAD_BODY_BYTES = 65_536  # of a request that was answered before its body arrived
LINGER_SECONDS = (
    2.0  # before such a connection is closed: nothing is read, but the peer can still read the response
)
SLICE_BYTES = 1024  # fed to the parser at once; up to 57 of the shortest requests
MAX_PIPELINED_REQUESTS = 20  # sent without waiting for responses; then the connection is closed
MAX_HELD_BYTES = 1_048_576

_SOCKET_REQUEST = b"GET /ws/"


class _ResumableFlow(FlowControl):
    """Flow control with a callback when reading resumes, to feed the bytes that were held back."""

    def __init__(self, transport: asyncio.Transport, on_resume: Callable[[], None]) -> None:
        super().__init__(transport)
        self._on_resume = on_resume

    def resume_reading(self) -> None:
        super().resume_reading()
        self._on_resume()

    def end(self) -> None:
        """Drop the callback, so that references to this object do not keep the protocol alive."""
        self._on_resume = _do_nothing


def _do_nothing() -> None: ...


class BoundedHttpProtocol(HttpToolsProtocol):
    """Protocol class for uvicorn's `http` option. `connections` limits the open connections."""

    def __init__(self, *args: Any, connections: Connections | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self._bounds = connections
        self._slot: ConnectionSlot | None = None
        self._is_over = False  # refused, or upgraded to another protocol
        self._is_fresh = True  # nothing has been received yet
        self._is_in_queue = False  # waits for admission
        self._held = b""  # received; fed to the parser up to `_at`
        self._at = 0
        self._head_bytes = 0
        self._is_in_head = True
        self._pipelined = 0
        self._unread_body_bytes = 0
        self._running: RequestResponseCycle | None = (
            None  # uvicorn's `cycle` is the most recently received one
        )
        self._request_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    # -- called by the event loop ------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self._bounds is not None:
            self._slot, refusal = self._bounds.try_admit(transport)
            if refusal:
                self._is_over = True
                self.transport = transport
                transport.write(refusal)
                transport.close()
                return
        super().connection_made(transport)
        self.flow = _ResumableFlow(transport, self._feed_soon)
        self._start_request_timer(HEAD_TIMEOUT_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timers()
        self._held = b""
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)
        if isinstance(self.flow, _ResumableFlow):
            self.flow.end()
        if self._slot is not None:
            self._slot.release()

    def data_received(self, data: bytes) -> None:
        if self._is_over:
            return
        if self._request_timer is None and not self._is_in_queue:
            self._start_request_timer(HEAD_TIMEOUT_SECONDS)  # the next request on a kept-alive connection
        self._held = data if not self._held else self._held[self._at :] + data
        self._at = 0
        if len(self._held) > (MAX_HEAD_BYTES if self._is_in_queue else MAX_HELD_BYTES):
            self.transport.abort()
        elif self._is_fresh and not self._is_in_queue and data.startswith(_SOCKET_REQUEST):
            # A new socket may be one of a crowd, so it waits for admission before anything is done for it. The head's
            # time limit does not run meanwhile. Reading continues, so that a disconnect is noticed.
            self._is_in_queue = True
            self._cancel_request_timer()
            get_admission_queue(self.loop).run(self._feed_after_admission, is_new=True)
        elif not self._is_in_queue:
            self._feed()

    def _feed_after_admission(self) -> None:
        self._is_in_queue = False
        if self._held and not self.transport.is_closing():
            self._start_request_timer(HEAD_TIMEOUT_SECONDS)
            self._feed()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_answer_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_answer_timer()
        self._start_answer_timer()

    # -- bytes to the parser -----------------------------------------------------------------------

    def _feed_soon(self) -> None:
        if self._held:
            self.loop.call_soon(self._feed)

    def _feed(self) -> None:
        """Feed the parser until a request waits for an earlier response or the app does not read the body."""
        while self._held and not self._is_over and not self.flow.read_paused and not self.pipeline:
            piece = self._held[self._at : self._at + SLICE_BYTES]
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
            self._start_request_timer(HEAD_TIMEOUT_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._head_bytes = 0
        self._unread_body_bytes = 0
        self._start_request_timer(BODY_TIMEOUT_SECONDS)
        super().on_headers_complete()
        if not self.pipeline:
            self._running = self.cycle
            self._pipelined = 0
            return
        self._pipelined += 1
        if self._pipelined >= MAX_PIPELINED_REQUESTS:
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
                self._start_request_timer(LINGER_SECONDS)

    def on_message_complete(self) -> None:
        self._is_in_head = True
        self._cancel_request_timer()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over, and break the reference cycle of parser, protocol and request.

        Otherwise five kilobytes per socket would wait for the garbage collector, which runs rarely.
        """
        self._is_over = True
        self._held = b""
        self._cancel_timers()
        super().handle_websocket_upgrade()
        socket = self.transport.get_protocol()
        if isinstance(socket, SocketProtocol):
            socket.connection_slot, self._slot = self._slot, None
        self.parser = self.flow = None  # type: ignore[assignment]

    # -- time limits -------------------------------------------------------------------------------

    def on_response_complete(self) -> None:
        if self.pipeline:
            self._running = self.pipeline[-1][0]
        super().on_response_complete()
        self._start_answer_timer()

    def send_400_response(self, msg: str) -> None:
        self.transport.write(raw_response(400, msg))
        self.transport.close()
        self._start_answer_timer()

    def _start_answer_timer(self) -> None:
        """Start the time limit for the peer to read what is buffered."""
        if self._answer_timer is None and self.transport.get_write_buffer_size():
            self._answer_timer = self.loop.call_later(ANSWER_TIMEOUT_SECONDS, self._on_answer_timeout)

    def _on_answer_timeout(self) -> None:
        self._answer_timer = None
        if not self.transport.get_write_buffer_size():
            return
        running = self._running
        if running is None or running.response_complete or self.flow.write_paused:
            self.transport.abort()
        else:
            self._start_answer_timer()  # a stream that is read slowly

    def _on_request_timeout(self) -> None:
        self._request_timer = None
        answering = self._running is not None and not self._running.response_complete
        if self._is_in_head and answering:
            self._start_request_timer(
                HEAD_TIMEOUT_SECONDS
            )  # the peer has begun another request before the response
            return
        if not self._is_in_head and answering and not self.cycle.response_started:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.transport.write(raw_response(408, "This request took too long."))
        self.transport.close()
        self._start_answer_timer()

    def _start_request_timer(self, seconds: float) -> None:
        self._cancel_request_timer()
        self._request_timer = self.loop.call_later(seconds, self._on_request_timeout)

    def _cancel_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _cancel_answer_timer(self) -> None:
        if self._answer_timer is not None:
            self._answer_timer.cancel()
            self._answer_timer = None

    def _cancel_timers(self) -> None:
        self._cancel_request_timer()
        self._cancel_answer_timer()
