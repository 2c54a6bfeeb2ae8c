"""Reading a log in slices, so that a long one does not block the event loop; the actions that stand; the record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, NamedTuple, TypeVar

from app.play.log.entries import Entry, GameRow
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.ports import GameLog, NameLookup
from app.play.refusals import Refusal
from app.rules import Event, Position

ENTRIES_PER_QUERY = 256  # decoding the rows takes about 2 ms
ENTRIES_PER_SLICE = 64  # folding them takes about 2 ms if all are actions
MAX_CONCURRENT_LOG_READS = 8  # rooms whose logs are read at the same time


async def read_log_slices(log: GameLog, game: str, after: int = 0) -> AsyncIterator[list[Entry]]:
    """Yield the entries after `after` in slices; other tasks can run between two slices."""
    while True:
        page = await log.read_entries(game, after, ENTRIES_PER_QUERY)
        for start in range(0, len(page), ENTRIES_PER_SLICE):
            yield page[start : start + ENTRIES_PER_SLICE]
            await asyncio.sleep(0)
        if len(page) < ENTRIES_PER_QUERY:
            return
        after = page[-1].seq


async def read_whole_log(log: GameLog, game: str) -> list[Entry]:
    """Return the whole log, for callers that fold it in another thread."""
    return [entry async for entries in read_log_slices(log, game) for entry in entries]


Move = TypeVar("Move")


def apply_to_line(line: list[Move], entry: Entry, move: Move) -> Move | None:
    """Update the line of moves that stand: an action appends its move, an undo removes and returns the last one."""
    if entry.kind == "action":
        line.append(move)
    elif entry.kind == "undo":
        return line.pop()
    return None


class PlayedMove(NamedTuple):
    """An action that stands; `marks` says that a hint was given for it."""

    entry: Entry
    events: tuple[Event, ...]
    marks: tuple[str, ...]


class PlayedLine:
    """A table folded from its log, and the actions that stand."""

    def __init__(self, table: Table, entries: Iterable[Entry]) -> None:
        self.table = table
        self.first_position: Position | None = None
        self.started_seq = 0  # of the entry that started the game
        self.moves: list[PlayedMove] = []
        marks: tuple[str, ...] = ()
        for entry in entries:
            undone = apply_to_line(self.moves, entry, PlayedMove(entry, fold(table, entry), marks))
            match entry.kind:
                case "action":
                    marks = ()
                case "undo" if undone is not None:
                    marks = undone.marks  # the hint was still given
                case "hint":
                    marks = (*marks, "hint")
                case "created" | "started" if table.position is not None:
                    self.first_position, self.started_seq = table.position, entry.seq


def fold_result(row: GameRow, entries: list[Entry]) -> dict[str, Any]:
    """Return the result that a game's log gives, with ranks if it was rated; empty while the game runs."""
    return PlayedLine(Table.from_row(row), entries).table.result or {}


def list_players(table: Table, names: NameLookup) -> list[dict[str, Any]]:
    """Return {"name", "bot"} of each seat. Names are the present ones, and empty for a deleted person."""
    return [
        {"name": seat.display_name(names) or "", "bot": seat.bot if seat.person is None else None}
        for seat in table.seats
    ]


def build_record(row: GameRow, entries: list[Entry], names: NameLookup) -> dict[str, Any]:
    """Return the record, with the present names and without undone actions.

    Raises Refusal `not_over` while the game runs, because the record contains the seed.
    """
    played = PlayedLine(Table.from_row(row, names), entries)
    table = played.table
    if not table.is_over:
        raise Refusal("not_over")
    if table.started_at is None:
        raise Refusal("not_started")
    sealed: dict[str, Any] = {}
    if table.chance_scheme == 2:
        sealed["scheme"] = 2
        sealed["seals"] = [seat.seal for seat in table.seats]
        sealed["void_rounds"] = [voided.to_json() for voided in table.void_rounds]
    elif table.chance_scheme == 3:
        sealed |= {"scheme": 3, "deal": table.deal}
    return {
        "format": f"cartagena-record/{table.chance_scheme}",
        "rules_version": table.chance_scheme,  # records leave out what was undone, in which table versions differ
        "options": table.rules.options_to_json(table.options),
        "commitment": row.commitment,
        "server_seed": row.server_seed,
        "nonces": [] if table.chance_scheme == 3 else [seat.nonce for seat in table.seats],
        **sealed,
        "players": list_players(table, names),
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
        "result": {name: (table.result or {})[name] for name in ("winner", "places", "reason")},
        **({"rated": True} if table.is_rated else {}),
    }
