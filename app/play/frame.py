"""A frame: one JSON message, encoded once and shared by every socket that gets it."""

from __future__ import annotations

from typing import Any

import orjson

__all__ = ["Frame", "frame_of"]


class Frame:
    """The bytes of one message; `wired` is the transport's own form of it, made at the first socket."""

    __slots__ = ("payload", "wired")

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.wired: bytes | None = None

    def __repr__(self) -> str:
        return f"Frame({len(self.payload)} bytes)"  # a frame may hold a hand: never its text in a log


def frame_of(message: dict[str, Any]) -> Frame:
    """A frame from a message."""
    return Frame(orjson.dumps(message))
