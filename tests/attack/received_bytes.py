"""Everything a viewer receives, and how two viewers could distinguish their worlds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ReceivedBytes", "differences"]


@dataclass
class ReceivedBytes:
    """Everything one viewer receives, in order. Presence is kept separately, because its timing varies."""

    frames: list[bytes] = field(default_factory=list)
    presence: list[bytes] = field(default_factory=list)
    answers: list[tuple[str, Any]] = field(default_factory=list)

    def add(self, frame: bytes) -> None:
        (self.presence if b'"t":"presence"' in frame else self.frames).append(frame)

    def present(self) -> set[bytes]:
        """Return the distinct contents of presence messages. Their number and spectator counts depend on real time."""
        return {re.sub(rb'"watching":\d', b"", frame) for frame in self.presence}


def differences(one: ReceivedBytes, other: ReceivedBytes) -> Iterator[str]:
    """Return the differences between two viewers in content, length, number or order."""
    if len(one.frames) != len(other.frames):
        yield f"frames: {len(one.frames)} and {len(other.frames)}"
    for a, b in zip(one.frames, other.frames, strict=False):
        if a != b:
            yield f"frames: {a[:600]!r}\n   and {b[:600]!r}"
    if one.present() != other.present():
        yield f"presence: {one.present()} and {other.present()}"
    if len(one.answers) != len(other.answers):
        yield f"answers: {len(one.answers)} and {len(other.answers)}"
    for (path, mine), (_, theirs) in zip(one.answers, other.answers, strict=False):
        if mine != theirs:
            yield f"{path}: {str(mine)[:600]}\n   and {str(theirs)[:600]}"
