"""What an accepted command is answered with."""

from __future__ import annotations

import msgspec

__all__ = ["Accepted"]


class Accepted(msgspec.Struct, gc=False):
    """A command is on disk at `seq`; `is_told`: the frame that showed it to the seat carried the ack."""

    seq: int
    is_told: bool
