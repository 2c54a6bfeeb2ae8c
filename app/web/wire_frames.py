"""WebSocket frames as a server reads them (RFC 6455 §5): bytes in, messages out, nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from websockets.frames import apply_mask  # type: ignore[attr-defined]  # the compiled one where there is one

__all__ = ["BINARY", "CLOSE", "PING", "PONG", "TEXT", "BadFrame", "FrameReader", "close_payload"]

CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
_CONTROL = 8  # opcodes from here on: short, whole, and allowed in the middle of a message
_MOST_CONTROL = 125
_PROTOCOL_ERROR, _TOO_BIG = 1002, 1009

_WHOLE_TEXT = 0x80 | TEXT
_MASKED = 0x80
_MASKED_2 = _MASKED | 126
_MASKED_8 = _MASKED | 127


class BadFrame(Exception):
    """The peer does not keep to the protocol; the socket is closed with `code`."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class FrameReader:
    """Takes a connection's bytes as they come; `most` is the longest message."""

    __slots__ = ("_kind", "_most", "_parts", "_rest", "_size")

    def __init__(self, most: int) -> None:
        self._most = most
        self._rest = b""
        self._kind = CONTINUED  # of the message that has begun and not ended
        self._parts: list[bytes] | None = None
        self._size = 0

    def whole_text(self, data: bytes) -> bytes | None:
        """The text, where these bytes are one message and nothing else. That is how nearly all of them come."""
        size = len(data)
        if size < 7 or data[0] != _WHOLE_TEXT or self._rest or self._parts is not None:
            return None
        length = data[1]
        if length == size + (_MASKED - 6) and length < _MASKED_2:
            begin = 6
        elif length == _MASKED_2 and size >= 8 and size == 8 + (data[2] << 8) + data[3]:
            begin = 8
        else:
            return None
        return None if size - begin > self._most else apply_mask(data[begin:], data[begin - 4 : begin])

    def read(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Every message these bytes complete, with its opcode; raises BadFrame where they go wrong."""
        if self._rest:
            data = self._rest + data
        self._rest = data
        at, size = 0, len(data)
        while size - at >= 2:
            length, begin = data[at + 1], at + 2
            if length == _MASKED_2:
                begin = at + 4
                is_masked, length = True, int.from_bytes(data[at + 2 : begin], "big")
            elif length == _MASKED_8:
                begin = at + 10
                is_masked, length = True, int.from_bytes(data[at + 2 : begin], "big")
            else:
                is_masked, length = length >= _MASKED, length & 0x7F
            if size < begin:
                break
            self._check(data[at], length, is_masked)
            end = begin + 4 + length
            if size < end:
                break
            payload = apply_mask(data[begin + 4 : end], data[begin : begin + 4])
            self._rest = data[end:]
            message = self._put_together(data[at], payload)
            if message is not None:
                yield message
            at = end

    def _check(self, first: int, length: int, is_masked: bool) -> None:
        """What can be said of a frame from its head."""
        opcode, is_final = first & 0x0F, first & 0x80
        if first & 0x70:
            raise BadFrame(_PROTOCOL_ERROR, "reserved bits are set")
        if not is_masked:
            raise BadFrame(_PROTOCOL_ERROR, "a client masks its frames")
        if opcode >= _CONTROL:
            if opcode > PONG or not is_final or length > _MOST_CONTROL:
                raise BadFrame(_PROTOCOL_ERROR, "no such control frame")
            return
        if opcode > BINARY or (opcode == CONTINUED) is (self._parts is None):
            raise BadFrame(_PROTOCOL_ERROR, "no such frame here")
        if self._size + length > self._most:
            raise BadFrame(_TOO_BIG, "frame too big")

    def _put_together(self, first: int, payload: bytes) -> tuple[int, bytes] | None:
        opcode, is_final = first & 0x0F, first & 0x80
        if opcode >= _CONTROL or (opcode != CONTINUED and is_final):
            return opcode, payload
        if self._parts is None:
            self._kind, self._parts = opcode, []
        self._parts.append(payload)
        self._size += len(payload)
        if not is_final:
            return None
        message = self._kind, b"".join(self._parts)
        self._parts, self._size = None, 0
        return message


def close_payload(code: int, reason: str) -> bytes:
    """What a close frame carries."""
    return code.to_bytes(2, "big") + reason.encode()[: _MOST_CONTROL - 2]
