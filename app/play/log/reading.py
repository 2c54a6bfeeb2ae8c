"""Reading a log: a slice at a time, so that the loop is not held up; the line that was really played; the record.

A log may be long, and everybody's moves wait behind whatever one task does without a pause.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, NamedTuple, TypeVar

from app.play.log.entries import Entry, GameRow
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.ports import GameStore, NameBook
from app.play.refusals import Refusal
from app.rules import Event, Position

PAGE = 256  # entries a query: some 2 ms to make them of their rows
SLICE = 64  # entries folded without a pause: some 2 ms where all are actions
ROOMS_AT_ONCE = 8  # whose logs are read at the same time


async def log_slices(store: GameStore, game: str, after: int = 0) -> AsyncIterator[list[Entry]]:
    """The entries after that one, a few at a time; between two slices others have their turn."""
    while True:
        page = await store.entries(game, after, PAGE)
        for start in range(0, len(page), SLICE):
            yield page[start : start + SLICE]
            await asyncio.sleep(0)
        if len(page) < PAGE:
            return
        after = page[-1].seq


async def whole_log(store: GameStore, game: str) -> list[Entry]:
    """All of it, for whoever folds it in another thread."""
    return [entry async for some in log_slices(store, game) for entry in some]


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
                case "created" | "started" if table.position is not None:
                    self.opening, self.began = table.position, entry.seq


def record_of(row: GameRow, entries: list[Entry], names: NameBook) -> dict[str, Any]:
    """The record, with the names of today; what was undone is left out.

    While the game runs: Refusal `not_over`, it holds the seed.
    """
    played = PlayedLine(Table.of(row, names), entries)
    table = played.table
    if not table.is_over:
        raise Refusal("not_over")
    if table.started_at is None:
        raise Refusal("not_started")
    sealed: dict[str, Any] = {}
    if table.scheme == 2:
        sealed["scheme"] = 2
        sealed["seals"] = [seat.seal for seat in table.seats]
        sealed["void_rounds"] = [voided.as_json() for voided in table.void_rounds]
    elif table.scheme == 3:
        sealed |= {"scheme": 3, "deal": table.deal}
    return {
        "format": f"cartagena-record/{table.scheme}",
        "rules_version": row.rules_version,
        "options": table.rules.options_to_json(table.options),
        "commitment": row.commitment,
        "server_seed": row.server_seed,
        "nonces": [] if table.scheme == 3 else [seat.nonce for seat in table.seats],
        **sealed,
        "players": [
            # Empty: somebody who was deleted; a reader's language has a word for that.
            {"name": seat.name_in(names) or "", "bot": seat.bot if seat.person is None else None}
            for seat in table.seats
        ],
        "actions": [
            {
                "seat": entry.seat,
                "action": entry.body["action"],
                "at": entry.at,
                "by": entry.by,
                "marks": list(marks),
            }
            for entry, _, marks in played.moves
        ],
        "result": table.result,
    }
