"""A frame: one JSON message, encoded once and shared by every socket that gets it."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

__all__ = ["Frame", "frame_of"]

_BRINGING = frozenset(("state", "events", "table"))  # a viewer to a version


class Frame(msgspec.Struct, gc=False, eq=False):
    """The bytes of one message; `wired` is the transport's own form of it, made at the first socket.

    `seq` is the version of the room that a viewer has once this was taken in. A frame that only names a
    version has none: after a `welcome` alone the missed frames are still missing.
    """

    payload: bytes
    seq: int | None = None
    wired: bytes | None = None

    def __repr__(self) -> str:
        return f"Frame({len(self.payload)} bytes)"  # a frame may hold a hand: never its text in a log


def frame_of(message: dict[str, Any]) -> Frame:
    """A frame from a message."""
    return Frame(orjson.dumps(message), message["seq"] if message["t"] in _BRINGING else None)
