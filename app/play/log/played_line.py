"""The line really played: the actions of a log that stand. What was undone is left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from app.play.log.entries import Entry
from app.play.log.fold import fold
from app.play.log.table import Table
from app.rules import Event, Position

__all__ = ["PlayedLine", "PlayedMove", "follow"]

Move = TypeVar("Move")


def follow(line: list[Move], entry: Entry, move: Move) -> Move | None:
    """Keep the line in step with the log: an action adds its move, an undo takes the last one back and returns it."""
    if entry.kind == "action":
        line.append(move)
    elif entry.kind == "undo":
        return line.pop()
    return None


class PlayedMove(NamedTuple):
    """An action that stands, and what was noted about it: that a hint was asked for."""

    entry: Entry
    events: tuple[Event, ...]
    marks: tuple[str, ...]


class PlayedLine:
    """A table folded from its log, and the line that led there."""

    def __init__(self, table: Table, entries: Iterable[Entry]) -> None:
        self.table = table
        self.opening: Position | None = None
        self.began = 0  # the entry that began the game
        self.moves: list[PlayedMove] = []
        marks: tuple[str, ...] = ()
        for entry in entries:
            undone = follow(self.moves, entry, PlayedMove(entry, fold(table, entry), marks))
            match entry.kind:
                case "action":
                    marks = ()
                case "undo" if undone is not None:
                    marks = undone.marks  # a hint that was asked for stays asked for
                case "hint":
                    marks = (*marks, "hint")
                case "started":
                    self.opening, self.began = table.position, entry.seq
