"""A command's way through a room: the request, the decision on it, and the acknowledgement once it is on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from app.play.commands import messages as cmd
from app.play.log.table import Table
from app.play.ports import Actor
from app.play.presence import Presence
from app.play.refusals import Refusal
from app.rules import Event, Position

CommandT = TypeVar("CommandT", bound=cmd.LogCommand | None)

SERVER_ACTOR = Actor((), "")  # of entries that the server writes by itself


class Request(msgspec.Struct, Generic[CommandT], frozen=True, gc=False):
    """A command, its sender and the time of receipt. The server's own requests have no command."""

    actor: Actor
    command: CommandT
    at: int

    def require_seat(self, table: Table) -> int:
        """Return the actor's seat; raise Refusal if there is none."""
        seat = table.seat_of(self.actor.ids)
        if seat is None:
            raise Refusal("not_seated")
        return seat


class Decision(msgspec.Struct, frozen=True, gc=False):
    """The entry that a request would write, without a number; for an action, also the position and events after it."""

    kind: str
    seat: int
    body: dict[str, Any]
    by: str = ""  # bot, clock, person, server; empty: a person with a command, the server without one
    position: Position | None = None
    events: tuple[Event, ...] = ()


# Decides on the present table without modifying it, or raises Refusal. A few decisions depend on who is present.
Decider = Callable[[Table, Request[CommandT], Presence], Decision]


class Ack(msgspec.Struct, frozen=True, gc=False):
    """A command is on disk at `seq`. `in_frame`: the ack was part of the frame that the seat received."""

    seq: int
    in_frame: bool
