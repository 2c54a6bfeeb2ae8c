"""A replica: one game's table in this worker, kept in step with the log. Rooms add people and commands to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from app.play.context import Context
from app.play.frames import Frame
from app.play.log.entries import Entry, GameRow
from app.play.log.fold import after, fold
from app.play.log.played_line import follow
from app.play.log.reading import log_slices
from app.play.log.table import Table
from app.play.ports import StoreUnavailable
from app.play.refusals import Unconfirmed
from app.play.room.broadcast import Audience
from app.play.room.lock import Lock
from app.rules import Event

__all__ = ["Replica", "named_by"]

_SHOWN = ("action", "why", "params")
"""Of a hint; one that an older server gave has no reason."""


class Replica(ABC):
    """`table` is always a table that is on disk; it is replaced, never changed."""

    __slots__ = ("commands", "context", "hints", "history", "id", "is_stale", "lock", "row", "table")

    def __init__(self, context: Context, row: GameRow) -> None:
        self.context = context
        self.id = row.id
        self.row = row
        self.table = Table.of(row, context.names)
        self.commands: dict[str, tuple[int, str]] = {}  # command id → (seq, who sent it)
        self.history: list[tuple[Event, ...]] | None = None  # of the line really played; kept for bots
        self.hints: dict[int, dict[str, Any]] = {}  # seq → what was shown
        self.is_stale = False  # the log may be ahead: it is read before anything else
        self.lock = Lock()  # whoever has it decides the next entry

    def load(self, entries: list[Entry]) -> None:
        """Before anybody has it: the next entries of its log."""
        for entry in entries:
            self._note(entry, fold(self.table, entry))

    @abstractmethod
    def install(
        self,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience = None,
        made: dict[Audience, Frame] | None = None,
    ) -> None:
        """The entry is on disk, and `table` is the table after it."""

    def _note(self, entry: Entry, events: tuple[Event, ...]) -> None:
        if entry.command is not None:
            self.commands[entry.command] = (entry.seq, entry.who)
        if self.history is not None:
            follow(self.history, entry, events)
        if entry.kind == "started":
            has_bots = any(seat.bot is not None for seat in self.table.seats)
            self.history = [] if has_bots or self.table.terms.hints else None
        elif entry.kind == "hint":
            self.hints[entry.seq] = {key: entry.body[key] for key in _SHOWN if key in entry.body}

    def receive(self, entry: Entry) -> bool:
        """An entry that is in the log, stored by another worker; False when something is missing in between."""
        if entry.seq <= self.table.seq:
            return True
        if entry.seq != self.table.seq + 1 or not self.context.names.knows(named_by(entry)):
            return False
        table, events = after(self.table, entry)
        self.install(table, entry, events)
        return True

    async def read_on(self) -> None:
        """Put in place what the log has beyond this table."""
        try:
            async for some in log_slices(self.context.store, self.id, self.table.seq):
                await self.context.names.learn(person for entry in some for person in named_by(entry))
                for entry in some:
                    self.receive(entry)
        except StoreUnavailable:
            self.is_stale = True
            raise Unconfirmed from None
        self.is_stale = False

    async def full_history(self) -> list[tuple[Event, ...]]:
        """Every action's events of the line really played; read from the log when they were not kept."""
        if self.history is None:
            async with self.lock:
                table = Table.of(self.row)
                history: list[tuple[Event, ...]] = []
                # The table may move on meanwhile: other workers' news need no lock.
                while table.seq < self.table.seq:
                    async for some in log_slices(self.context.store, self.id, table.seq):
                        for entry in some:
                            if entry.seq > self.table.seq or entry.seq != table.seq + 1:
                                break
                            follow(history, entry, fold(table, entry))
                self.history = history
        return self.history


def named_by(entry: Entry) -> tuple[str, ...]:
    """Whose name has to be known to show the table after this entry."""
    person = entry.body.get("person") if entry.kind == "seated" else None
    return (person,) if person else ()
