"""A proposal: what a command, or the server itself, would write into the log. And the ack of what was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from app.play.commands import messages as cmd
from app.play.frames import Frame
from app.play.log.entries import NOBODY, Append
from app.play.log.table import Table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.presence import Presence
from app.rules import Event, Position

THE_SERVER = Actor((), "")  # who asks for what nobody asked for


class Ack(msgspec.Struct, gc=False):
    """A command is on disk at `seq`; `in_frame`: the frame that showed it to the seat carried the ack."""

    seq: int
    in_frame: bool


class Proposal(msgspec.Struct, gc=False, eq=False):
    """The entry it would make, who asks for it, and what it makes of the table. Nothing has changed yet.

    A command's begins with who asks; `propose` fills in the entry on the present table, and again if somebody
    was faster. The room adds the rest just before it goes to the log, and commits it once it is there.
    """

    kind: str = ""
    seat: int = NOBODY
    body: dict[str, Any] = {}
    by: str = "server"
    position: Position | None = None  # of an action
    events: tuple[Event, ...] = ()

    # who asks, and on which grounds it is decided
    actor: Actor = THE_SERVER
    command: cmd.LogCommand | None = None
    received: int = 0
    presence: Presence | None = None
    own: int | None = None  # the asker's seat
    decide: Callable[[Table, Proposal], Proposal] | None = None
    tries: int = 0
    refused_on: Table | None = None

    # on its way to the log
    before: Table | None = None
    after: Table | None = None
    append: Append | None = None
    frames: dict[int | None, Frame] | None = None  # made while the table is at hand; sent once it is on disk
    in_sweep: bool = False  # the sweeper's, which writes down the next time itself when it is through
    sweeps: int = 0
    came_and_went: int = 0

    def writes(self, kind: str, seat: int, body: dict[str, Any]) -> Proposal:
        """Fill in the entry."""
        self.kind, self.seat, self.body = kind, seat, body
        return self

    def present(self, table: Table) -> set[int]:
        """Seats whose person is here."""
        return self.presence.present_seats(table, self.received) if self.presence is not None else set()


def seated(asked: Proposal) -> int:
    """The asker's seat."""
    if asked.own is None:
        raise Refusal("not_seated")
    return asked.own
