"""WebSocket frames as a server reads and writes them (RFC 6455 §5).

One kind matters: a whole text, alone in what was received. `whole_text` reads it in a microsecond. Everything else
(control frames, fragments, several frames in one piece, half of one, nonsense) is the `websockets` library's:
`FrameParser` feeds it a little at a time and puts messages together.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from websockets.frames import Frame, Opcode, apply_mask  # type: ignore[attr-defined]  # compiled where it can be
from websockets.protocol import State
from websockets.server import ServerProtocol

from app.play import frames

SLICE = 512  # bytes fed at once: no more than 86 frames, a millisecond or two of the library's time
MOST_CONTROL = 125  # bytes a control frame may carry

_WHOLE_TEXT = 0x80 | Opcode.TEXT
_MASKED = 0x80
_MASKED_2 = _MASKED | 126

# The library's words about each connection are nothing for an operator, and its debug lines hold whole frames.
SILENT = logging.getLogger("cartagena.sockets.library")
SILENT.setLevel(logging.CRITICAL)

Message = tuple[bool, bytes]  # whether it is text, and what it says


def whole_text(data: bytes, most: int) -> bytes | None:
    """The text, where these bytes are one message of at most `most` bytes and nothing else."""
    size = len(data)
    if size < 7 or data[0] != _WHOLE_TEXT:
        return None
    length = data[1]
    if length == size + (_MASKED - 6) and length < _MASKED_2:
        begin = 6
    elif length == _MASKED_2 and size >= 8 and size == 8 + (data[2] << 8) + data[3]:
        begin = 8
    else:
        return None
    return None if size - begin > most else apply_mask(data[begin:], data[begin - 4 : begin])


class FrameParser:
    """Parses frames that are not plain, from the first byte until nothing is left; `most` is the longest message."""

    __slots__ = ("_at", "_counted", "_fed", "_held", "_is_text", "_library", "_parts", "discarded")

    def __init__(self, most: int) -> None:
        self._library = ServerProtocol(state=State.OPEN, max_size=most, logger=SILENT)
        self._held = b""  # received and not yet fed, from `_at` on: never copied for the sake of a frame
        self._at = 0
        self._fed = 0
        self._counted = 0  # bytes of whole frames among those fed
        self._parts: bytearray | None = None  # of the message that has begun and not ended
        self._is_text = False
        self.discarded = 0  # bytes that came after the end

    # -- in ----------------------------------------------------------------------------------------

    def hold(self, data: bytes) -> None:
        """These bytes come next."""
        self._held = data if not self.has_held else self._held[self._at :] + data
        self._at = 0

    def drop(self) -> None:
        """Nothing of what is held is read any more."""
        self._held, self._at = b"", 0

    @property
    def has_held(self) -> bool:
        return self._at < len(self._held)

    def read(self) -> Iterator[Message | None]:
        """One slice of what is held: for each frame the message it completes, or None for any other frame."""
        piece = self._held[self._at : self._at + SLICE]
        self._at += len(piece)
        if self._at == len(self._held):
            self._held, self._at = b"", 0
        self._fed += len(piece)
        self._library.receive_data(piece)
        for frame in self._library.events_received():
            assert isinstance(frame, Frame)
            self._counted += _size(frame)
            yield self._message(frame)

    def _message(self, frame: Frame) -> Message | None:
        opcode = frame.opcode
        if opcode is Opcode.CONT:
            assert self._parts is not None
            self._parts += frame.data
        elif opcode is Opcode.TEXT or opcode is Opcode.BINARY:
            self._is_text = opcode is Opcode.TEXT
            if frame.fin:
                return self._is_text, bytes(frame.data)
            self._parts = bytearray(frame.data)
        if opcode is not Opcode.CONT or not frame.fin:
            return None
        message, self._parts = bytes(self._parts or b""), None
        return self._is_text, message

    # -- out ---------------------------------------------------------------------------------------

    def close(self, code: int, reason: str) -> None:
        """Begin to close, unless the peer has or the library had to."""
        if self._library.state is State.OPEN:
            self._library.send_close(code, reason.encode()[: MOST_CONTROL - 2].decode(errors="ignore"))

    def fail(self, code: int, reason: str) -> None:
        """The peer does not keep to the protocol."""
        if self._library.state is State.OPEN:
            self._library.fail(code, reason)

    def to_send(self) -> bytes:
        """What the library answers: pongs, a close."""
        return b"".join(self._library.data_to_send())

    # -- how it stands -----------------------------------------------------------------------------

    @property
    def peer_closed(self) -> tuple[int, str] | None:
        """Code and reason of the peer's close frame, which the library has found in order."""
        close = self._library.close_rcvd
        return None if close is None or self.has_failed else (int(close.code), close.reason)

    @property
    def has_failed(self) -> bool:
        """The library has closed because of what the peer sent, and reads nothing more."""
        return self._library.parser_exc is not None or (
            self._library.eof_sent and self._library.close_rcvd is None
        )

    @property
    def closed_with(self) -> tuple[int, str]:
        """What this side has closed with."""
        close = self._library.close_sent
        return (1006, "") if close is None else (int(close.code), close.reason)

    @property
    def is_empty(self) -> bool:
        """Nothing waits, no frame and no message is half received, no close has begun: it is needed no longer.

        A head that has been read and whose payload is missing is in no buffer; so bytes are counted.
        """
        return (
            self._fed == self._counted
            and self._parts is None
            and not self._held
            and self._library.state is State.OPEN
        )


def _size(frame: Frame) -> int:
    """Bytes this frame took at least (a length may be written longer than need be; then `is_empty` stays false)."""
    length = len(frame.data)
    return length + (6 if length < 126 else 8 if length < 65536 else 14)


def encoded(frame: frames.Frame) -> bytes:
    """The frame as a server's WebSocket text frame, made once."""
    payload = frame.payload
    size = len(payload)
    # Nearly all are short; this is done with every action.
    wired = frame.wired = _HEADS[size] + payload if size < _SHORT else encode_frame(1, payload)
    return wired


def encode_frame(opcode: int, payload: bytes) -> bytes:
    """A whole, unmasked frame (RFC 6455 §5.2)."""
    return _head(opcode, len(payload)) + payload


def _head(opcode: int, size: int) -> bytes:
    if size < 126:
        return bytes((0x80 | opcode, size))
    if size < 65536:
        return bytes((0x80 | opcode, 126)) + size.to_bytes(2, "big")
    return bytes((0x80 | opcode, 127)) + size.to_bytes(8, "big")


_SHORT = 2048
_HEADS = [_head(1, size) for size in range(_SHORT)]
