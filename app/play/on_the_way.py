"""An entry on its way to the disk: what it will make of the room, and what was so when it set out."""

from __future__ import annotations

from app.play.entries import Append
from app.play.frame import Frame
from app.play.ports import Anyone
from app.play.table import Table
from app.play.telling import Told
from app.rules import Event

__all__ = ["OnTheWay"]


class OnTheWay:
    """Made by Room.prepare, put in place by Room.settle."""

    __slots__ = (
        "after",
        "append",
        "at",
        "before",
        "changes",
        "events",
        "frames",
        "in_look",
        "looks",
        "sender",
    )

    def __init__(
        self,
        append: Append,
        at: int,
        before: Table,
        after: Table,
        events: tuple[Event, ...],
        sender: Anyone | None,
        in_look: bool,
        looks: int,
        changes: int,
    ) -> None:
        self.append = append
        self.at = at
        self.before = before
        self.after = after
        self.events = events
        self.sender = sender
        self.in_look = in_look
        self.looks = looks
        self.changes = changes
        self.frames: dict[Told, Frame] | None = (
            None  # made while the table was at hand; sent once it is on disk
        )
