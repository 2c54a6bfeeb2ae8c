"""What an accepted command is answered with."""

from __future__ import annotations

__all__ = ["Accepted"]


class Accepted:
    """A command is on disk at `seq`; `is_told`: the frame that showed it to the seat carried the ack."""

    __slots__ = ("is_told", "seq")

    def __init__(self, seq: int, is_told: bool) -> None:
        self.seq = seq
        self.is_told = is_told
