"""The outbox of one socket: bounded; a peer that does not read is closed with its own code and can resume."""

from __future__ import annotations

from os import write

from app.play.frames import Bye, Frame, frame_of
from app.play.ports import MetricsPort
from app.web.ws.transport.base import SocketTransport
from app.web.ws.transport.encoding import encoded

__all__ = ["CLOSE_CODES", "Outbox"]

# Every code this server closes a socket with, as docs/protocol.md lists them.
CLOSE_CODES: dict[int, str] = {
    1000: "normal",
    1002: "protocol error",
    1007: "not UTF-8",
    1008: "policy",
    1009: "frame too big",
    1011: "server fault",
    4000: "resume",
    4001: "reload",
    4002: "bad messages",
    4003: "not admitted",
    4004: "slow",
    4005: "too fast",
    4006: "unknown rules",
    4007: "silent",
    4008: "signed out",
    4009: "too many",
    4010: "closed",
}
_BYE = {
    4000: ("resume", "The server restarts; your seat is kept."),
    4008: ("signed_out", "You are signed out."),
    4010: ("closed", "This table was closed."),
}


class Outbox:
    """Frames out to one socket; implements Listener."""

    __slots__ = ("_file", "_metrics", "_transport", "_unsent", "_write", "is_open")

    def __init__(self, transport: SocketTransport, metrics: MetricsPort) -> None:
        self._transport = transport
        self._metrics = metrics
        self.is_open = True
        self._file, self._unsent, self._write = transport.attach(self)

    def tell(self, frame: Frame) -> None:
        if not self.is_open:
            return
        # To the socket's file where nothing waits before it: of all that an action costs this is done most often,
        # and the way through the transport takes half as long again.
        wired = frame.wired or encoded(frame)
        sent = 0
        if not self._unsent():
            try:
                sent = write(self._file, wired)
            except OSError:
                sent = 0  # full, or gone: the transport waits, or finds out
        if sent != len(wired):
            self._write(wired[sent:])

    def shed(self) -> None:
        """Closes: the peer does not read."""
        if self.is_open:
            self._metrics.dropped()
            self.end(4004, "slow")

    def end(self, code: int, reason: str) -> None:
        """Sends the reason and closes; nothing is sent after it."""
        if not self.is_open:
            return
        self.is_open = False
        if code in _BYE:
            kind, message = _BYE[code]
            self._transport.send_frame(frame_of(Bye(code=kind, message=message)))
        self._transport.close_with(code, reason)
