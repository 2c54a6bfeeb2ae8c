"""A thin transport under uvicorn: frames go straight between the socket and the room.

uvicorn's own path costs a coroutine, a dict and a serialisation for every frame and socket out, and for every
frame in a generator, a queue and two system calls to stop and go on reading. This is a protocol class of our own
in its place; what uvicorn asks of one is listed in tests/web/ws/transport/test_uvicorn_calls.py. The handshake and every frame
that is not plain are the `websockets` library's (handshake.py, framing.py), which is let go of as soon as
nothing odd is left. From the first message on the protocol carries the talk itself: no task lives with a socket,
one is made only for a message whose answer takes time.

Every frame costs: a message is charged by whoever hears it, any other frame here. Who owes is not read from.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.utils import is_ssl

from app.play.frames import Frame
from app.web.ws.transport.asgi import AppSide, Stage
from app.web.ws.transport.base import MOST_BUFFERED, NOT_STRAIGHT, Counted, Straight, framed, framed_as
from app.web.ws.transport.framing import OddFrames, whole_text
from app.web.ws.transport.keepalive import Beating, Rounds

if TYPE_CHECKING:
    import uvicorn
    from uvicorn.server import ServerState

    from app.web.ws.outbox import Outbox

__all__ = ["ThinProtocol"]

CLOSE_SECONDS = 10.0  # a socket that is closing is cut off then, whatever its peer does
TURN_FRAMES = 64  # odd frames read before others have their turn
MOST_DISCARDED = 1_048_576  # bytes a peer may send after it was told that it broke the protocol

_ASK = framed_as(9, b"")  # a ping
_ROUNDS = "cartagena.rounds"


class ThinProtocol(AppSide):
    """Implements Wire for the connection it serves; give it to uvicorn as `ws`."""

    __slots__ = (
        "_counted",
        "_is_paused",
        "_is_plain",
        "_is_quiet",
        "_most",
        "_odd",
        "_outbox",
        "_timer",
        "_turn",
        "_wait",
        "place",
    )

    def __init__(self, config: uvicorn.Config, server_state: ServerState, app_state: dict[str, Any]) -> None:
        super().__init__(config, server_state, app_state)
        self._most = config.ws_max_size
        self._is_plain = False  # open, and nothing odd is on its way
        self._odd: OddFrames | None = None  # while something is
        self._wait: asyncio.Handle | None = None  # until the rest of what is odd is read
        self._is_paused = False  # nothing is read from the peer
        self._is_quiet = False  # nothing has been heard since the last ping
        self._turn: set[Beating] | None = None  # the one it is asked for a sign of life with
        self._timer: asyncio.TimerHandle | None = None  # cuts off what is closing
        self._outbox: Outbox | None = None
        self._counted: Counted | None = None
        self.place: Counted | None = None  # among the connections of its address (security/http_protocol.py)

    # -- what uvicorn and the event loop call ------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.connections.add(self)  # type: ignore[arg-type]

    def data_received(self, data: bytes) -> None:
        self._is_quiet = False
        if self._is_plain:
            text = whole_text(data, self._most)
            if text is not None:
                self._take(True, text)
                return
        stage = self._stage
        if stage is Stage.HANDSHAKE:
            self._begin(data)
        elif stage is Stage.ENDED:
            self._discard(data)
        else:
            odd = self._find_odd()
            odd.hold(data)
            if self._wait is None:
                self._read_odd()

    def eof_received(self) -> None:
        """The peer sends nothing more; the transport closes once what was said has been taken, or in time."""
        self._leave(1006, "")
        self._end_in_time()

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
        self._leave(1006, "")
        self._stage = Stage.GONE
        self._handshake = self._odd = None
        for timer in (self._timer, self._wait):
            if timer is not None:
                timer.cancel()
        self._timer = self._wait = None
        self._server.connections.discard(self)
        for counted in (self._counted, self.place):
            if counted is not None:
                counted.release()
        self._counted = self.place = None

    # -- the wire ----------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._is_plain = True
        self._beat_later()

    def count(self, counted: Counted) -> None:
        if self._stage is Stage.GONE:
            counted.release()
        else:
            self._counted = counted

    def send_frame(self, frame: Frame) -> bool:
        if self._stage is not Stage.OPEN:
            return True
        transport = self._transport
        if transport.get_write_buffer_size() > MOST_BUFFERED:
            return False
        transport.write(frame.wired or framed(frame))
        return True

    def open_for(self, outbox: Outbox) -> Straight:
        transport = self._transport
        self._outbox = outbox
        transport.set_write_buffer_limits(MOST_BUFFERED)
        if is_ssl(transport):
            return NOT_STRAIGHT  # what goes to the socket is not what is said
        file = transport.get_extra_info("socket").fileno()
        return file, transport.get_write_buffer_size, transport.write

    def close_with(self, code: int, reason: str) -> None:
        if self._stage is not Stage.OPEN:
            return
        odd = self._find_odd()
        odd.close(code, reason)
        self._write(odd.to_send())
        self._leave(code, reason)
        self._stage = Stage.CLOSING
        self._end_in_time()  # not close(): that waits for a buffer which this peer may never read
        self._go_on()

    def buffered(self) -> int:
        return self._transport.get_write_buffer_size()

    # -- what is not plain -------------------------------------------------------------------------

    def _find_odd(self) -> OddFrames:
        odd = self._odd
        if odd is None:
            odd = self._odd = OddFrames(self._most)
            self._is_plain = False
        return odd

    def _read_odd(self) -> None:
        """As much as has been paid for and as is fair to the others; then again, later."""
        self._wait = None
        odd = self._odd
        if odd is None:
            return
        owed, frames = self._pay(0), 0
        while not (owed or self._is_full) and odd.has_held and frames < TURN_FRAMES:
            unpaid = 0
            for message in odd.read():
                frames += 1
                if message is not None and self._stage is Stage.OPEN:
                    self._take(*message)  # whoever hears it charges for it
                else:
                    unpaid += 1
            self._settle(odd)
            owed = self._pay(unpaid)
            if self._counted is None and frames >= TURN_FRAMES:
                self._transport.abort()  # a flood that nobody pays for: it was turned away at the door
                return
        if owed:
            self._wait = self._loop.call_later(owed, self._read_odd)
        elif odd.is_empty:
            self._odd = None
            self._is_plain = True
        self._go_on()

    def _go_on(self) -> None:
        """With what is held, if nothing is in the way; and with reading."""
        odd = self._odd
        if odd is not None and odd.has_held and self._wait is None and not self._is_full:
            self._wait = self._loop.call_soon(self._read_odd)
        is_paused = self._is_full or self._wait is not None
        if is_paused is not self._is_paused and not self._transport.is_closing():
            self._is_paused = is_paused
            if is_paused:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()

    def _pay(self, frames: int) -> float:
        """Seconds until so many frames more are paid for."""
        return 0.0 if self._counted is None else self._counted.owe(frames)

    def _settle(self, odd: OddFrames) -> None:
        """What the library makes of what it was fed last."""
        if self._stage is Stage.ENDED:
            return
        said = odd.to_send()
        if said and self._stage is Stage.OPEN:
            self._write(said)
        closed = odd.peer_closed
        if closed is not None:
            self._leave(*closed)
            self._end()
        elif odd.has_failed:
            self._leave(*odd.closed_with)
            self._linger()
        else:
            return
        odd.drop()

    def _discard(self, data: bytes) -> None:
        odd = self._odd
        if odd is None:
            return
        odd.discarded += len(data)
        if odd.discarded > MOST_DISCARDED:
            self._transport.abort()

    # -- messages ----------------------------------------------------------------------------------

    def _take(self, is_text: bool, payload: bytes) -> None:
        if not is_text:
            self._queue({"type": "websocket.receive", "bytes": payload})
            return
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            odd = self._find_odd()
            odd.fail(1007, "not UTF-8")
            self._settle(odd)
        else:
            self._hear(text)

    # -- its end -----------------------------------------------------------------------------------

    def _leave(self, code: int, reason: str) -> None:
        """It is over for the app and for everybody who tells it something; called again it does nothing."""
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
        if self._talk is not None:
            self._answer_waiting()

    def _end(self) -> None:
        """All has been said by both sides."""
        self._leave(1006, "")
        self._stage = Stage.ENDED
        self._end_in_time()
        self._transport.close()

    def _linger(self) -> None:
        """The peer must be told why, and may still be sending: a connection closed at once would be reset, and the
        reason lost. So only this side is closed, and what comes is not looked at.
        """
        self._stage = Stage.ENDED
        self._end_in_time()
        if self._transport.is_closing() or not self._transport.can_write_eof():
            self._transport.close()
        else:
            self._transport.write_eof()

    def _end_in_time(self) -> None:
        """Whoever closed first, and whether or not the peer takes what waits for it."""
        if self._timer is None and self._stage is not Stage.GONE:
            self._timer = self._loop.call_later(CLOSE_SECONDS, self._transport.abort)

    def _write(self, wired: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(wired)

    # -- signs of life -----------------------------------------------------------------------------

    def _beat_later(self) -> None:
        interval = self._config.ws_ping_interval
        if interval:
            rounds: Rounds | None = self._state.get(_ROUNDS)
            if rounds is None:
                rounds = self._state[_ROUNDS] = Rounds(self._loop, interval)
            self._turn = rounds.join(self)

    def stop_keepalive(self) -> None:
        if self._turn is not None:
            self._turn.discard(self)
            self._turn = None

    def beat(self) -> None:
        """Ask whether the peer is there; one that has said nothing since the last time is not."""
        if self._stage is not Stage.OPEN:
            return
        if self._is_quiet:
            self.close_with(1011, "keepalive ping timeout")
        else:
            self._is_quiet = True
            self._write(_ASK)
