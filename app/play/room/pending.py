"""An entry on its way to the disk: what it will make of the room, and what was so when it set out."""

from __future__ import annotations

import msgspec

from app.play.log.entries import Append
from app.play.frame import Frame
from app.play.ports import Anyone
from app.play.log.table import Table
from app.play.room.broadcast import Told
from app.rules import Event

__all__ = ["OnTheWay"]


class OnTheWay(msgspec.Struct, gc=False, eq=False):
    """Made by Room.prepare, put in place by Room.settle."""

    append: Append
    at: int
    before: Table
    after: Table
    events: tuple[Event, ...]
    sender: Anyone | None
    in_look: bool
    looks: int
    changes: int
    frames: dict[Told, Frame] | None = None
    """Made while the table was at hand; sent once the entry is on disk."""
