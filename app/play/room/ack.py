"""What an accepted command is answered with."""

from __future__ import annotations

import msgspec

__all__ = ["Ack"]


class Ack(msgspec.Struct, gc=False):
    """A command is on disk at `seq`; `in_frame`: the frame that showed it to the seat carried the ack."""

    seq: int
    in_frame: bool
