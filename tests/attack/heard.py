"""What a viewer can get hold of, and where two viewers could tell their worlds apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Heard", "differences"]


@dataclass
class Heard:
    """All that one viewer can get hold of, in order; presence apart, which comes when it comes."""

    frames: list[bytes] = field(default_factory=list)
    presence: list[bytes] = field(default_factory=list)
    answers: list[tuple[str, Any]] = field(default_factory=list)

    def add(self, frame: bytes) -> None:
        (self.presence if b'"t":"presence"' in frame else self.frames).append(frame)

    def present(self) -> set[bytes]:
        """What presence ever said. How often, and how many watch at that instant, is a matter of real time."""
        return {re.sub(rb'"watching":\d', b"", frame) for frame in self.presence}


def differences(one: Heard, other: Heard) -> Iterator[str]:
    """Where two viewers could tell their worlds apart, in content, length, number or order."""
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
