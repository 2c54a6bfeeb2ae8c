"""The WebSocket protocol class for uvicorn, and the interfaces of the objects it works with.

uvicorn's own class spends a coroutine, a dict and a serialisation on every frame and socket out, and a generator, a
queue and two system calls on every frame in. This one passes bytes between the connection and the session directly.
tests/web/ws/transport/test_uvicorn_calls.py lists what uvicorn calls on such a class.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, cast

from starlette.types import Scope
from uvicorn.protocols.utils import ClientDisconnected, get_local_addr, get_remote_addr, is_ssl
from websockets.http11 import Response

from app.play.frames import Frame
from app.web.security.connections import ConnectionSlot
from app.web.ws.transport.framing import PING, FrameParser, encode_frame, encode_text, parse_whole_text
from app.web.ws.transport.handshake import RawHeaders, encode_acceptance, encode_denial, read_request
from app.web.ws.transport.keepalive import KeepaliveTarget, KeepaliveTimer

if TYPE_CHECKING:
    import uvicorn
    from uvicorn.server import ServerState

CLOSE_TIMEOUT_SECONDS = 10.0  # from the beginning of a close until the connection is aborted
MAX_FRAMES_PER_ITERATION = 64  # parsed for one socket before other sockets are served
MAX_DISCARDED_BYTES = 1_048_576  # sent by a peer that has broken the protocol
MAX_WAITING_EVENTS = 16  # not yet received by the app; then the peer is not read from
MAX_BUFFERED_BYTES = 256 * 1024  # left unread by a peer: about thirty whole states, or an hour of moves

HANDSHAKE, OPEN, CLOSING, ENDED, GONE = range(5)  # states of a socket, in their order

_TRANSPORT_SCOPE_KEY = "cartagena.transport"
_KEEPALIVE_KEY = "cartagena.keepalive"
_PING_FRAME = encode_frame(PING, b"")
_EMPTY_PONG = b"\x8a\x80"  # followed by the mask

_log = logging.getLogger("cartagena.sockets")

Event = dict[str, Any]


class Quota(Protocol):
    """The limits of one connection."""

    def charge_frames(self, frames: int) -> float:
        """Charge frames that have been read; return the seconds until the quota covers them."""

    def release(self) -> None:
        """Stop counting the connection. Calling it again is a no-op."""


class Session(Protocol):
    """The receiver of a socket's messages."""

    @property
    def is_open(self) -> bool: ...

    def receive_text(self, text: bytes | None) -> Any | None:
        """Process a text message in UTF-8 (None: a binary one). Return work for `handle` if that takes time."""

    async def handle(self, message: Any) -> None:
        """Finish what `receive_text` returned."""

    def on_hello_timeout(self) -> None:
        """Close, because no first message arrived in time."""

    async def on_closed(self) -> None:
        """Clean up after the socket was closed; called once."""


class AttachedOutbox(Protocol):
    """An outbox, as the transport uses it."""

    is_open: bool

    def close_slow_peer(self) -> None:
        """Close, because the peer reads too slowly."""


class SocketProtocol(asyncio.Protocol):
    """One WebSocket connection, from the handshake to the end of its TCP connection.

    States, which only advance::

        HANDSHAKE ──accept──> OPEN ──close_with──> CLOSING ──┐
            │                   │                     │      │ connection lost
            │ refused           │ EOF, peer closed or │ peer │ (from any state)
            │ or EOF            │ broke the protocol  │ did  │
            └──────────────> ENDED <──────────────────┘      │
                                └────────────────────────> GONE

    - HANDSHAKE: the app's task runs and has not answered. A peer that sends more meanwhile is aborted.
    - OPEN: frames pass both ways. The app receives the first message and calls `deliver_to`; from then on messages go
      to the session directly, and a task exists only while a message takes time. Input is parsed by
      `parse_whole_text`; a FrameParser exists only while it cannot be.
    - CLOSING: our close frame is sent. Input is still parsed and charged, but only a close frame matters.
    - ENDED: nothing is sent. Input is discarded, and the connection aborted after MAX_DISCARDED_BYTES.
    - GONE: timers are cancelled, limits released.

    `_leave` makes every transition out of HANDSHAKE and OPEN but the acceptance: it closes the outbox, ends the
    keep-alive visits and sends the app or session one disconnect event.

    Timers:

    - `_abort_timer` starts with CLOSING or ENDED and aborts the connection CLOSE_TIMEOUT_SECONDS later, even if the
      peer reads nothing.
    - `_next_read` parses the bytes held by the parser: in the next loop iteration, or when the quota is paid.
    - `visit` is called twice per `ws_ping_interval` while OPEN: the second visit without input sends a ping, the third
      closes.

    Reading is paused while `_next_read` is pending or MAX_WAITING_EVENTS events wait. Every frame is charged: a
    message by its session, any other frame here. Writing never waits: a peer that leaves MAX_BUFFERED_BYTES unread is
    shed by its outbox.
    """

    __slots__ = (
        "_abort_timer",
        "_config",
        "_handshake",
        "_inbox",
        "_is_full",
        "_is_handed_over",
        "_is_handling",
        "_is_paused",
        "_keepalive_slot",
        "_loop",
        "_max_message_bytes",
        "_next_read",
        "_outbox",
        "_parser",
        "_quota",
        "_server",
        "_session",
        "_shared_state",
        "_silent_visits",
        "_state",
        "_transport",
        "_waiter",
        "connection_slot",
    )

    def __init__(self, config: uvicorn.Config, server_state: ServerState, app_state: dict[str, Any]) -> None:
        if not config.loaded:
            config.load()
        self._config = config
        self._server = server_state
        self._shared_state = app_state  # of the lifespan, shared by all connections of this server
        self._loop = asyncio.get_running_loop()
        self._max_message_bytes = config.ws_max_size
        self._state = HANDSHAKE
        # Until it is answered: the response that would accept it, or status, headers and body of the app's denial.
        self._handshake: Response | tuple[int, RawHeaders, bytes] | None = None
        self._parser: FrameParser | None = None
        self._inbox: tuple[Event, ...] = ()  # few and seldom: an empty tuple takes no memory
        self._waiter: asyncio.Future[None] | None = None  # set while the app waits for an event
        self._session: Session | None = None
        self._is_handed_over = False  # stays true when the session is over
        self._is_handling = False  # a task of the session runs
        self._is_full = False  # too many events wait
        self._is_paused = False  # nothing is read from the peer
        self._silent_visits = 0  # since something was received
        self._keepalive_slot: set[KeepaliveTarget] | None = None
        self._next_read: asyncio.Handle | None = None
        self._abort_timer: asyncio.TimerHandle | None = None
        self._outbox: AttachedOutbox | None = None
        self._quota: Quota | None = None
        self.connection_slot: ConnectionSlot | None = None  # set by app/web/security/http_protocol.py

    # -- called by uvicorn and the event loop ------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.connections.add(self)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        self._silent_visits = 0
        if self._parser is None and self._state == OPEN:
            text = parse_whole_text(data, self._max_message_bytes)
            if text is not None:
                self._deliver(text)
                return
            # The answer to a ping is charged like any frame, but needs no parser.
            if len(data) == 6 and data[:2] == _EMPTY_PONG and self._quota is not None and not self._charge(1):
                return
        if self._state == HANDSHAKE:
            self._begin_handshake(data)
        elif self._state < ENDED:
            parser = self._parser = self._parser or FrameParser(self._max_message_bytes)
            parser.hold(data)
            if self._next_read is None:
                self._read_frames()
        elif self._parser is not None:
            self._parser.discarded_bytes += len(data)
            if self._parser.discarded_bytes > MAX_DISCARDED_BYTES:
                self._transport.abort()

    def eof_received(self) -> None:
        """The event loop closes the connection once the peer has read what was sent; `_abort_timer` bounds that."""
        if self._state < CLOSING:
            self._leave(ENDED)

    def pause_writing(self) -> None:
        """The peer has left MAX_BUFFERED_BYTES unread."""
        if self._outbox is not None:
            self._outbox.close_slow_peer()

    def shutdown(self) -> None:
        """uvicorn stops; clients that are to resume have been sent their close before."""
        if self._state == HANDSHAKE:
            self._refuse(encode_denial(503))
        else:
            self.close_with(1012, "")
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave(GONE)
        self._handshake = self._parser = None
        for timer in (self._abort_timer, self._next_read):
            if timer is not None:
                timer.cancel()
        self._abort_timer = self._next_read = None
        self._server.connections.discard(self)
        for counted in (self._quota, self.connection_slot):
            if counted is not None:
                counted.release()
        self._quota = self.connection_slot = None

    # -- called by the app and its session -----------------------------------------------------------

    def charge_to(self, quota: Quota) -> None:
        """Charge frames that are not messages to this quota. It is released when the connection is gone: a closed
        socket whose peer stays connected still counts.
        """
        if self._state == GONE:
            quota.release()
        else:
            self._quota = quota

    def attach(self, outbox: AttachedOutbox) -> Callable[[bytes], None]:
        """Connect an outbox and return the connection's own `write`. The outbox is closed before the connection."""
        self._outbox = outbox
        self._transport.set_write_buffer_limits(MAX_BUFFERED_BYTES)
        return self._transport.write

    def deliver_to(self, session: Session) -> None:
        """Deliver messages to this session from now on, until its `on_closed` is called."""
        self._session = session
        self._is_handed_over = True
        if self._inbox:
            self._start_handling(None)

    def close_with(self, code: int, reason: str, last_frame: Frame | None = None) -> None:
        """Begin the closing handshake; a peer that reads too slowly is not sent `last_frame`. No-op unless OPEN."""
        if self._state != OPEN:
            return
        if last_frame is not None and self._transport.get_write_buffer_size() <= MAX_BUFFERED_BYTES:
            self._write(encode_text(last_frame))
        parser = self._parser = self._parser or FrameParser(self._max_message_bytes)
        parser.close(code, reason)
        self._write(parser.take_output())
        self._leave(CLOSING, code, reason)  # not transport.close(): that waits for a peer that may never read
        self._update_reading()

    async def receive(self) -> Event:
        """The app's ASGI `receive`."""
        while not self._inbox:
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event, self._inbox = self._inbox[0], self._inbox[1:]
        if self._is_full and not self._inbox:
            self._is_full = False
            self._update_reading()
        return event

    async def send(self, message: Any) -> None:
        """The app's ASGI `send`: answers the handshake, later closes. Frames are sent through an outbox."""
        if self._state == OPEN:
            self.close_with(message.get("code", 1000), message.get("reason") or "")
            return
        if self._state != HANDSHAKE:
            raise ClientDisconnected
        match message["type"], self._handshake:
            case "websocket.accept", Response() as response:
                headers = [*self._server.default_headers, *message.get("headers", ())]
                self._write(encode_acceptance(response, headers, message.get("subprotocol")))
                self._handshake = None
                self._state = OPEN
                self._keepalive_slot = self._join_keepalive()
            case "websocket.close", _:
                self._refuse(encode_denial(403))
            case "websocket.http.response.start", _:
                self._handshake = message["status"], message.get("headers", ()), b""
            case "websocket.http.response.body", (status, headers, body):
                body += message.get("body", b"")
                self._handshake = status, headers, body
                if not message.get("more_body"):
                    self._refuse(encode_denial(status, headers, body))
            case _:
                self._refuse(encode_denial(500))

    # -- the handshake and the app's task --------------------------------------------------------------

    def _begin_handshake(self, head: bytes) -> None:
        """Start the app with the request's head, which uvicorn passes on as a whole."""
        if self._handshake is not None:  # the peer did not wait for the answer
            self._transport.abort()
            return
        request = read_request(head, self._config.root_path)
        if isinstance(request, bytes):
            self._refuse(request)
            return
        fields, self._handshake = request
        transport = self._transport
        scope = {
            "type": "websocket",
            "asgi": {"version": self._config.asgi_version, "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": "wss" if is_ssl(transport) else "ws",
            "server": get_local_addr(transport),
            "client": get_remote_addr(transport),
            "state": self._shared_state.copy(),
            "extensions": {"websocket.http.response": {}, _TRANSPORT_SCOPE_KEY: self},
            **fields,
        }
        self._queue({"type": "websocket.connect"})
        self._start_task(self._run_app(scope))

    async def _run_app(self, scope: dict[str, Any]) -> None:
        """Run the app. It returns when the socket is closed, or stays open because it was handed over to a session."""
        try:
            with suppress(ClientDisconnected):  # it sent something too late
                await self._config.loaded_app(scope, self.receive, self.send)
        except Exception:  # noqa: BLE001  # logged, and the peer is told
            _log.exception("a socket's app failed")
            self.close_with(1011, "server fault")
        finally:
            if self._state == HANDSHAKE:
                self._refuse(encode_denial(500))
            elif not self._is_handed_over:
                self.close_with(1000, "")

    def _refuse(self, response: bytes) -> None:
        """Answer the handshake with a response that opens no socket."""
        self._write(response)
        self._leave(ENDED)
        self._transport.close()

    # -- messages --------------------------------------------------------------------------------------

    def _deliver(self, text: bytes) -> None:
        """Pass a text on: to the session at once, or through the inbox. It stays bytes, for the JSON decoder."""
        if not text.isascii():
            try:
                text.decode()
            except UnicodeDecodeError:
                parser = self._parser = self._parser or FrameParser(self._max_message_bytes)
                parser.fail(1007, "not UTF-8")
                self._answer_frames(parser)
                return
        session = self._session
        if session is None or self._is_handling:
            self._queue({"type": "websocket.receive", "text": text})
            return
        message = session.receive_text(text)
        if message is not None:
            self._start_handling(message)

    def _queue(self, event: Event) -> None:
        """Queue an event for the app or, once there is one, the session."""
        self._inbox += (event,)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
        if self._state == OPEN and len(self._inbox) >= MAX_WAITING_EVENTS and not self._is_full:
            self._is_full = True
            self._update_reading()
        if self._session is not None and not self._is_handling:
            self._start_handling(None)

    def _start_handling(self, message: Any) -> None:
        self._is_handling = True
        self._start_task(self._handle(message))

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._server.tasks.add(task)
        task.add_done_callback(self._server.tasks.discard)

    async def _handle(self, message: Any) -> None:
        """Handle a message, if any, and then the events of the inbox in order, until none is left."""
        session = self._session
        assert session is not None
        is_over = True  # after an exception, too
        try:
            try:
                if message is not None:
                    await session.handle(message)
                while self._inbox:
                    event = await self.receive()
                    if event["type"] != "websocket.receive":
                        return
                    message = session.receive_text(event.get("text"))
                    if message is not None:
                        await session.handle(message)
                is_over = False
            finally:
                if is_over:
                    self._session = None
                    self._inbox = ()
                    await session.on_closed()
        except Exception:  # noqa: BLE001  # logged, and the peer is told
            _log.exception("a socket's session failed")
            self.close_with(1011, "server fault")
        finally:
            self._is_handling = False

    # -- frames that need the parser -------------------------------------------------------------------

    def _read_frames(self) -> None:
        """Parse held bytes, as far as the quota, the inbox and fairness to other sockets allow."""
        self._next_read = None
        parser = self._parser
        if parser is None:
            return
        debt, frames = self._charge(0), 0
        while parser.held and not (debt or self._is_full) and frames < MAX_FRAMES_PER_ITERATION:
            unpaid = 0
            for message in parser.read_slice():
                frames += 1
                if message is None or self._state != OPEN:
                    unpaid += 1
                    continue
                is_text, payload = message  # its session charges for it
                if is_text:
                    self._deliver(payload)
                else:
                    self._queue({"type": "websocket.receive", "bytes": payload})
            self._answer_frames(parser)
            debt = self._charge(unpaid)
            if self._quota is None and frames >= MAX_FRAMES_PER_ITERATION:
                self._transport.abort()  # a flood without a quota: the socket was refused at the handshake
                return
        if debt:
            self._next_read = self._loop.call_later(debt, self._read_frames)
        elif parser.is_idle:
            self._parser = None
        self._update_reading()

    def _charge(self, frames: int) -> float:
        """Charge frames to the quota; return the seconds until it covers them."""
        return 0.0 if self._quota is None else self._quota.charge_frames(frames)

    def _answer_frames(self, parser: FrameParser) -> None:
        """Send the parser's answers; end if the peer has closed or broken the protocol."""
        if self._state >= ENDED:
            return
        answers, ending = parser.take_output(), parser.ending
        if answers and self._state == OPEN:
            self._write(answers)
        if ending is None:
            return
        parser.drop()
        self._leave(ENDED, ending.code, ending.reason)
        transport = self._transport
        if ending.is_fault and not transport.is_closing() and transport.can_write_eof():
            # The peer may still be sending. Closing now would reset the connection, and the close code be lost.
            transport.write_eof()
        else:
            transport.close()

    def _update_reading(self) -> None:
        """Schedule the parser if it may go on, and pause or resume reading."""
        parser = self._parser
        if parser is not None and parser.held and self._next_read is None and not self._is_full:
            self._next_read = self._loop.call_soon(self._read_frames)
        is_paused = self._is_full or self._next_read is not None
        if is_paused is not self._is_paused and not self._transport.is_closing():
            self._is_paused = is_paused
            if is_paused:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    # -- keep-alive and the end ------------------------------------------------------------------------

    def _join_keepalive(self) -> set[KeepaliveTarget] | None:
        interval = self._config.ws_ping_interval
        if not interval:
            return None
        timer: KeepaliveTimer | None = self._shared_state.get(_KEEPALIVE_KEY)
        if timer is None:
            timer = self._shared_state[_KEEPALIVE_KEY] = KeepaliveTimer(self._loop, interval / 2)
        return timer.join(self)

    def visit(self) -> None:
        """Ping a peer that has been silent since the visit before; close if it still is at the next one."""
        if self._state != OPEN:
            return
        self._silent_visits += 1
        if self._silent_visits == 2:
            self._write(_PING_FRAME)
        elif self._silent_visits > 2:
            self.close_with(1011, "keepalive ping timeout")

    def _leave(self, state: int, code: int = 1006, reason: str = "") -> None:
        """Advance to CLOSING, ENDED or GONE; the first time, disconnect outbox, keep-alive and app or session."""
        is_first = self._state < CLOSING
        self._state = max(state, self._state)
        if self._abort_timer is None and self._state != GONE:
            self._abort_timer = self._loop.call_later(CLOSE_TIMEOUT_SECONDS, self._transport.abort)
        if not is_first:
            return
        self._is_full = False
        if self._keepalive_slot is not None:
            self._keepalive_slot.discard(self)
            self._keepalive_slot = None
        if self._outbox is not None:
            self._outbox.is_open = False
            self._outbox = None
        self._queue({"type": "websocket.disconnect", "code": code, "reason": reason})

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)


def transport_of(scope: Scope) -> SocketProtocol:
    """Return the transport of a socket's ASGI scope; raise RuntimeError under a server that does not offer ours."""
    found: SocketProtocol | None = scope.get("extensions", {}).get(_TRANSPORT_SCOPE_KEY)
    if found is None:
        raise RuntimeError(
            "sockets need SocketProtocol as uvicorn's `ws`: start the server by `cartagena serve`"
        )
    return found
