"""WebSocket frames as a server writes them (RFC 6455 §5.2); framing.py reads them."""

from __future__ import annotations

from app.play.frames import Frame

__all__ = ["encode_frame", "encoded"]


def encoded(frame: Frame) -> bytes:
    """The frame as a server's WebSocket text frame, made once."""
    wired = frame.wired
    if wired is None:
        payload = frame.payload
        size = len(payload)
        # The two sizes that nearly all have; this is done with every action.
        if size < 126:
            wired = _SHORT[size] + payload
        elif size < 65536:
            wired = b"\x81\x7e" + size.to_bytes(2, "big") + payload
        else:
            wired = encode_frame(1, payload)
        frame.wired = wired
    return wired


_SHORT = [bytes((0x81, size)) for size in range(126)]


def encode_frame(opcode: int, payload: bytes) -> bytes:
    """A whole, unmasked frame (RFC 6455 §5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x80 | opcode, size)) + payload
    if size < 65536:
        return bytes((0x80 | opcode, 126)) + size.to_bytes(2, "big") + payload
    return bytes((0x80 | opcode, 127)) + size.to_bytes(8, "big") + payload
