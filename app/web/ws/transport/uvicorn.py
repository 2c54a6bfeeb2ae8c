"""The protocol class that uvicorn gives every socket to: frames pass between the socket and its session directly.

uvicorn's own path costs a coroutine, a dict and a serialisation for every frame and socket out, and for every
frame in a generator, a queue and two system calls to stop and go on reading. This class stands in its place; what
uvicorn asks of one is listed in tests/web/ws/transport/test_uvicorn_calls.py. The handshake and every frame that is
not plain are the `websockets` library's (handshake.py, framing.py), whose parser is dropped as soon as nothing is
left over. After the first message no task lives with a socket: one is made only for a message whose answer takes
time.

Every frame is charged: a message by its session, any other frame here. A peer that owes is not read from.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.utils import is_ssl

from app.play.frames import Frame
from app.web.ws.transport.asgi import AsgiSocket, Stage
from app.web.ws.transport.base import MOST_BUFFERED, DirectWrite, Quota, Writer
from app.web.ws.transport.framing import FrameParser, encode_frame, encoded, whole_text
from app.web.ws.transport.keepalive import KeepaliveTimer, Pinged

if TYPE_CHECKING:
    import uvicorn
    from uvicorn.server import ServerState


CLOSE_SECONDS = 10.0  # a socket that is closing is cut off then, whatever its peer does
TURN_FRAMES = 64  # frames parsed before other sockets have their turn
MOST_DISCARDED = 1_048_576  # bytes a peer may send after it was told that it broke the protocol

_PING = encode_frame(9, b"")
_EMPTY_PONG = b"\x8a\x80"  # and the mask
_KEEPALIVE = "cartagena.keepalive"


class SocketProtocol(AsgiSocket):
    """One socket: implements SocketTransport, and is given to uvicorn as `ws`."""

    __slots__ = (
        "_is_paused",
        "_is_plain",
        "_keepalive_slot",
        "_most",
        "_outbox",
        "_parser",
        "_quiet",
        "_quota",
        "_timer",
        "_wait",
        "slot",
    )

    def __init__(self, config: uvicorn.Config, server_state: ServerState, app_state: dict[str, Any]) -> None:
        super().__init__(config, server_state, app_state)
        self._most = config.ws_max_size
        self._is_plain = False  # open, and no parser is needed for what comes next
        self._parser: FrameParser | None = None  # while frames that are not plain are being read
        self._wait: asyncio.Handle | None = None  # until the rest of the held bytes is parsed
        self._is_paused = False  # nothing is read from the peer
        self._quiet = 0  # visits of the keepalive timer since something was received
        self._keepalive_slot: set[Pinged] | None = None  # in which it is pinged
        self._timer: asyncio.TimerHandle | None = None  # cuts off what is closing
        self._outbox: Writer | None = None
        self._quota: Quota | None = None
        self.slot: Quota | None = None  # among the connections of its address (security/http_protocol.py)

    # -- what uvicorn and the event loop call ------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.connections.add(self)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        self._quiet = 0
        if self._is_plain:
            text = whole_text(data, self._most)
            if text is not None:
                if text.isascii():
                    self._deliver(text)
                else:
                    self._take(True, text)
                return
            # An answer to a ping: paid for as any frame, but the library is not asked what it means.
            if len(data) == 6 and data[:2] == _EMPTY_PONG and self._quota is not None and not self._charge(1):
                return
        stage = self._stage
        if stage is Stage.HANDSHAKE:
            self._begin(data)
        elif stage is Stage.ENDED:
            self._discard(data)
        else:
            parser = self._get_parser()
            parser.hold(data)
            if self._wait is None:
                self._read_frames()

    def eof_received(self) -> None:
        """The peer sends nothing more; the transport closes once what was sent has been taken, or in time."""
        self._detach(1006, "")
        self._abort_later()

    def pause_writing(self) -> None:
        """So much waits for this peer that it reads too slowly."""
        if self._outbox is not None:
            self._outbox.shed()

    def resume_writing(self) -> None:
        """It has read on; by then its outbox is closed."""

    def shutdown(self) -> None:
        """uvicorn is stopping; whoever was to be told to resume has been."""
        if self._stage is Stage.HANDSHAKE:
            self._deny(503)
            return
        self.close_with(1012, "")
        self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._detach(1006, "")
        self._stage = Stage.GONE
        self._handshake = self._parser = None
        for timer in (self._timer, self._wait):
            if timer is not None:
                timer.cancel()
        self._timer = self._wait = None
        self._server.connections.discard(self)
        for quota in (self._quota, self.slot):
            if quota is not None:
                quota.release()
        self._quota = self.slot = None

    # -- SocketTransport ----------------------------------------------------------------------------

    def _opened(self) -> None:
        self._is_plain = True
        self._start_keepalive()

    def charge_to(self, quota: Quota) -> None:
        if self._stage is Stage.GONE:
            quota.release()
        else:
            self._quota = quota

    def send_frame(self, frame: Frame) -> None:
        transport = self._transport
        if self._stage is Stage.OPEN and transport.get_write_buffer_size() <= MOST_BUFFERED:
            transport.write(frame.wired or encoded(frame))

    def attach(self, outbox: Writer) -> DirectWrite:
        transport = self._transport
        self._outbox = outbox
        transport.set_write_buffer_limits(MOST_BUFFERED)
        if is_ssl(transport):
            raise RuntimeError("an outbox writes to the socket itself: TLS ends at the proxy in front")
        file = transport.get_extra_info("socket").fileno()
        return file, transport.get_write_buffer_size, transport.write

    def close_with(self, code: int, reason: str) -> None:
        if self._stage is not Stage.OPEN:
            return
        parser = self._get_parser()
        parser.close(code, reason)
        self._write(parser.to_send())
        self._detach(code, reason)
        self._stage = Stage.CLOSING
        self._abort_later()  # not close(): that waits for a buffer which this peer may never read
        self._resume()

    # -- frames that are not plain -------------------------------------------------------------------

    def _get_parser(self) -> FrameParser:
        parser = self._parser
        if parser is None:
            parser = self._parser = FrameParser(self._most)
            self._is_plain = False
        return parser

    def _read_frames(self) -> None:
        """Parses as much as has been paid for and is fair to other sockets; then again, later."""
        self._wait = None
        parser = self._parser
        if parser is None:
            return
        owed, frames = self._charge(0), 0
        while not (owed or self._is_full) and parser.has_held and frames < TURN_FRAMES:
            unpaid = 0
            for message in parser.read():
                frames += 1
                if message is not None and self._stage is Stage.OPEN:
                    self._take(*message)  # its session charges for it
                else:
                    unpaid += 1
            self._after_frames(parser)
            owed = self._charge(unpaid)
            if self._quota is None and frames >= TURN_FRAMES:
                self._transport.abort()  # a flood that no quota pays for: it was refused at the handshake
                return
        if owed:
            self._wait = self._loop.call_later(owed, self._read_frames)
        elif parser.is_empty:
            self._parser = None
            self._is_plain = True
        self._resume()

    def _resume(self) -> None:
        """Goes on parsing what is held, if nothing is in the way, and reading; or pauses reading."""
        parser = self._parser
        if parser is not None and parser.has_held and self._wait is None and not self._is_full:
            self._wait = self._loop.call_soon(self._read_frames)
        is_paused = self._is_full or self._wait is not None
        if is_paused is not self._is_paused and not self._transport.is_closing():
            self._is_paused = is_paused
            if is_paused:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _charge(self, frames: int) -> float:
        """Seconds until so many frames more are paid for."""
        return 0.0 if self._quota is None else self._quota.owe(frames)

    def _after_frames(self, parser: FrameParser) -> None:
        """Sends what the parser answers, and closes if the peer did or broke the protocol."""
        if self._stage is Stage.ENDED:
            return
        answer = parser.to_send()
        if answer and self._stage is Stage.OPEN:
            self._write(answer)
        closed = parser.peer_closed
        if closed is not None:
            self._detach(*closed)
            self._close()
        elif parser.has_failed:
            self._detach(*parser.closed_with)
            self._linger()
        else:
            return
        parser.drop()

    def _discard(self, data: bytes) -> None:
        parser = self._parser
        if parser is None:
            return
        parser.discarded += len(data)
        if parser.discarded > MOST_DISCARDED:
            self._transport.abort()

    # -- messages ----------------------------------------------------------------------------------

    def _take(self, is_text: bool, payload: bytes) -> None:
        if not is_text:
            self._queue({"type": "websocket.receive", "bytes": payload})
            return
        try:
            payload.decode()
        except UnicodeDecodeError:
            parser = self._get_parser()
            parser.fail(1007, "not UTF-8")
            self._after_frames(parser)
        else:
            self._deliver(payload)

    # -- its end -----------------------------------------------------------------------------------

    def _detach(self, code: int, reason: str) -> None:
        """Nothing is sent or delivered any more; the session is told. Called again it does nothing."""
        self._is_plain = False
        if self._stage >= Stage.CLOSING:
            return
        self._stage = Stage.ENDED
        self._is_full = False
        self.stop_keepalive()
        if self._outbox is not None:
            self._outbox.is_open = False
            self._outbox = None
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self._session is not None:
            self._handle_waiting()

    def _close(self) -> None:
        """Both sides have closed: the connection is closed too."""
        self._detach(1006, "")
        self._stage = Stage.ENDED
        self._abort_later()
        self._transport.close()

    def _linger(self) -> None:
        """The peer must be told why, and may still be sending: a connection closed at once would be reset, and the
        reason lost. So only this side is closed, and what comes is not looked at.
        """
        self._stage = Stage.ENDED
        self._abort_later()
        if self._transport.is_closing() or not self._transport.can_write_eof():
            self._transport.close()
        else:
            self._transport.write_eof()

    def _abort_later(self) -> None:
        """Cuts the connection off in a while, whoever closed first and whether or not the peer reads what waits."""
        if self._timer is None and self._stage is not Stage.GONE:
            self._timer = self._loop.call_later(CLOSE_SECONDS, self._transport.abort)

    def _write(self, wired: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(wired)

    # -- keepalive -----------------------------------------------------------------------------------

    def _start_keepalive(self) -> None:
        interval = self._config.ws_ping_interval
        if interval:
            timer: KeepaliveTimer | None = self._state.get(_KEEPALIVE)
            if timer is None:
                timer = self._state[_KEEPALIVE] = KeepaliveTimer(self._loop, interval / 2)
            self._keepalive_slot = timer.join(self)

    def stop_keepalive(self) -> None:
        if self._keepalive_slot is not None:
            self._keepalive_slot.discard(self)
            self._keepalive_slot = None

    def ping(self) -> None:
        """Twice an interval: pings a peer that was silent since the last time; one that still is, is closed then."""
        if self._stage is not Stage.OPEN:
            return
        self._quiet += 1
        if self._quiet == 2:
            self._write(_PING)
        elif self._quiet > 2:
            self.close_with(1011, "keepalive ping timeout")
