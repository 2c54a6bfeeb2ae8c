"""WebSocket frames as a server reads and writes them (RFC 6455 §5).

Nearly every frame is one whole text message that arrives alone: `parse_whole_text` reads it in a microsecond. All other
input (control frames, fragments, several frames in one piece, half a frame, invalid bytes) goes through `FrameParser`,
which feeds the `websockets` library a little at a time and assembles messages.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

from websockets.frames import Frame, Opcode, apply_mask  # type: ignore[attr-defined]  # compiled where it can be
from websockets.protocol import State
from websockets.server import ServerProtocol

from app.play import frames

SLICE_BYTES = 512  # fed at once: at most 86 frames, a millisecond or two of the library's time
MAX_CONTROL_BYTES = 125  # payload of a control frame
PING = 9

_WHOLE_TEXT = 0x80 | Opcode.TEXT
_MASKED_SHORT_LENGTH = 0x80 - 6  # the second byte of a frame with a short length, less the size of the frame
_MASKED_TWO_BYTE_LENGTH = 0x80 | 126  # the second byte of a frame with a length of two bytes

# The library's messages about single connections do not concern an operator, and its debug lines contain whole frames.
SILENT_LOGGER = logging.getLogger("cartagena.sockets.library")
SILENT_LOGGER.setLevel(logging.CRITICAL)

_NO_BYTES = memoryview(b"")

Message = tuple[bool, bytes]  # whether it is text, and its payload


def parse_whole_text(data: bytes, max_bytes: int) -> bytes | None:
    """Return the payload if `data` is exactly one unfragmented text message of at most `max_bytes`, else None."""
    size = len(data)
    if size < 7 or data[0] != _WHOLE_TEXT:
        return None
    length = data[1]
    if length == size + _MASKED_SHORT_LENGTH and length < _MASKED_TWO_BYTE_LENGTH:
        begin = 6
    elif length == _MASKED_TWO_BYTE_LENGTH and size >= 8 and size == 8 + (data[2] << 8) + data[3]:
        begin = 8
    else:
        return None
    return None if size - begin > max_bytes else apply_mask(data[begin:], data[begin - 4 : begin])


class Ending(NamedTuple):
    """Why nothing more is read from the peer."""

    is_fault: bool  # the peer broke the protocol; otherwise it sent a valid close frame
    code: int
    reason: str


class FrameParser:
    """Incremental parser of all other frames, for messages of at most `max_bytes`. It is dropped when `is_idle`."""

    __slots__ = ("_fed_bytes", "_is_text", "_library", "_parsed_bytes", "_parts", "discarded_bytes", "held")

    def __init__(self, max_bytes: int) -> None:
        self._library = ServerProtocol(state=State.OPEN, max_size=max_bytes, logger=SILENT_LOGGER)
        self.held = (
            _NO_BYTES  # received and not yet fed; a view, so that taking a slice copies no more than that
        )
        self._fed_bytes = 0
        self._parsed_bytes = 0  # of the fed bytes, those of whole frames
        self._parts: bytearray | None = None  # the begun fragmented message
        self._is_text = False
        self.discarded_bytes = 0  # received after the end

    def hold(self, data: bytes) -> None:
        """Append received bytes to those not yet fed."""
        self.held = memoryview(bytes(self.held) + data if self.held else data)

    def drop(self) -> None:
        """Discard the bytes not yet fed."""
        self.held = _NO_BYTES

    def read_slice(self) -> Iterator[Message | None]:
        """Feed one slice. Yield one item per frame: the message that it completes, or None."""
        piece = bytes(self.held[:SLICE_BYTES])
        self.held = self.held[SLICE_BYTES:] or _NO_BYTES  # an empty view would keep the received bytes alive
        self._fed_bytes += len(piece)
        self._library.receive_data(piece)
        for frame in self._library.events_received():
            assert isinstance(frame, Frame)
            self._parsed_bytes += _min_encoded_size(frame)
            yield self._complete_message(frame)

    def _complete_message(self, frame: Frame) -> Message | None:
        if frame.opcode is Opcode.CONT:
            assert self._parts is not None
            self._parts += frame.data
        elif frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY:
            self._is_text = frame.opcode is Opcode.TEXT
            self._parts = bytearray(frame.data)
        else:
            return None
        if not frame.fin:
            return None
        message, self._parts = bytes(self._parts), None
        return self._is_text, message

    def close(self, code: int, reason: str) -> None:
        """Begin to close, unless the closing handshake has already begun."""
        if self._library.state is State.OPEN:
            self._library.send_close(code, reason.encode()[: MAX_CONTROL_BYTES - 2].decode(errors="ignore"))

    def fail(self, code: int, reason: str) -> None:
        """Close because the peer broke the protocol."""
        if self._library.state is State.OPEN:
            self._library.fail(code, reason)

    def take_output(self) -> bytes:
        """Return the library's answers since the last call: pongs, a close frame."""
        return b"".join(self._library.data_to_send())

    @property
    def ending(self) -> Ending | None:
        """The peer's close frame or its breach of the protocol; None while more is to be read."""
        library = self._library
        if library.parser_exc is not None or (library.eof_sent and library.close_rcvd is None):
            sent = library.close_sent
            return Ending(True, 1006, "") if sent is None else Ending(True, int(sent.code), sent.reason)
        received = library.close_rcvd
        return None if received is None else Ending(False, int(received.code), received.reason)

    @property
    def is_idle(self) -> bool:
        """Whether no byte is held, no frame or message is half received and no close has begun.

        The library removes a head from its buffer before the payload is there, so bytes are counted instead.
        """
        return (
            self._fed_bytes == self._parsed_bytes
            and self._parts is None
            and not self.held
            and self._library.state is State.OPEN
        )


def _min_encoded_size(frame: Frame) -> int:
    """Return the bytes of the shortest encoding of a client's frame. After a longer one `is_idle` stays false."""
    length = len(frame.data)
    return length + (6 if length < 126 else 8 if length < 65536 else 14)


class _LastEncoded:
    """The frame encoded last: a room sends a frame to all sockets of an audience in a row, and they share the bytes."""

    __slots__ = ("encoded", "frame")

    def __init__(self) -> None:
        self.frame: frames.Frame | None = None
        self.encoded = b""


_last_encoded = _LastEncoded()


def encode_text(frame: frames.Frame) -> bytes:
    """Return the frame as a server's WebSocket text frame."""
    if frame is _last_encoded.frame:
        return _last_encoded.encoded
    payload = frame.payload
    size = len(payload)
    # Nearly all are short; every action passes here.
    encoded = _SHORT_HEADS[size] + payload if size < _SHORT_BYTES else encode_frame(1, payload)
    _last_encoded.frame, _last_encoded.encoded = frame, encoded
    return encoded


def encode_frame(opcode: int, payload: bytes) -> bytes:
    """Return a whole, unmasked frame (RFC 6455 §5.2)."""
    return _encode_head(opcode, len(payload)) + payload


def _encode_head(opcode: int, size: int) -> bytes:
    if size < 126:
        return bytes((0x80 | opcode, size))
    if size < 65536:
        return bytes((0x80 | opcode, 126)) + size.to_bytes(2, "big")
    return bytes((0x80 | opcode, 127)) + size.to_bytes(8, "big")


_SHORT_BYTES = 2048
_SHORT_HEADS = [_encode_head(1, size) for size in range(_SHORT_BYTES)]
