"""An entry on its way to the disk: what it will make of the room, and what was so when it set out."""

from __future__ import annotations

import msgspec

from app.play.frames import Frame
from app.play.log.entries import Append
from app.play.log.table import Table
from app.play.ports import Actor
from app.play.room.broadcast import Audience
from app.rules import Event

__all__ = ["OnTheWay"]


class OnTheWay(msgspec.Struct, gc=False, eq=False):
    """Made by Room.prepare, put in place by Room.settle."""

    append: Append
    at: int
    before: Table
    after: Table
    events: tuple[Event, ...]
    sender: Actor | None
    in_sweep: bool
    sweeps: int
    changes: int
    frames: dict[Audience, Frame] | None = None
    """Made while the table was at hand; sent once the entry is on disk."""
