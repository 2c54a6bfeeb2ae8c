"""Conversion between entries and rows, and the interface of the two log writers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import orjson

from app.play.log.entries import Append, Entry, GameSummary, SeatRow
from app.store.errors import error_name, is_outage

Batch = Sequence[Append]
Outcome = list[bool]


class BatchFailed(Exception):
    """Nothing of the batch was written, because of one of its rows (`is_row_error`) or the database (`is_outage`)."""

    def __init__(self, problem: Exception, *, is_row_error: bool = False) -> None:
        super().__init__(error_name(problem))
        self.is_row_error = is_row_error
        self.is_outage = is_outage(problem)


class CommitUnknown(Exception):
    """The commit was sent, but its outcome is unknown."""


class BatchWriter(Protocol):
    """Writes a batch in one transaction."""

    async def write(self, batch: Batch) -> Outcome:
        """Return for each row whether it was written. Raise BatchFailed or CommitUnknown."""

    async def look_up(self, batch: Batch) -> list[bool | None]:
        """Return for each row True if it is in the log, False if another entry has its seq, None if the seq is free."""

    async def close(self) -> None: ...


def make_log_row(entry: Entry) -> tuple[Any, ...]:
    """Return the columns of `log` in their order."""
    return (
        entry.game,
        entry.seq,
        entry.kind,
        entry.seat,
        orjson.dumps(entry.body).decode(),
        entry.by,
        entry.at,
        entry.command,
        entry.who,
    )


def make_head_row(append: Append) -> tuple[Any, ...]:
    """Return seq, to_act, deadline, updated_at and game."""
    entry = append.entry
    return (entry.seq, append.to_act, append.deadline, entry.at, entry.game)


def is_move(append: Append) -> bool:
    """Return whether only the head changes: a move without a summary leaves the status as it is."""
    return append.summary is None and append.entry.kind == "action"


def make_summary_row(game: str, summary: GameSummary) -> tuple[Any, ...]:
    """Return options, players, taken, bots, host, next_game, started_at, ended_at, result, is_rated and game."""
    return (
        orjson.dumps(summary.options).decode(),
        summary.options["players"],
        summary.taken,
        summary.bots,
        summary.host,
        summary.next_game,
        summary.started_at,
        summary.ended_at,
        orjson.dumps(summary.result).decode() if summary.result is not None else None,
        summary.is_rated,
        game,
    )


def make_seat_rows(game: str, rows: Sequence[SeatRow]) -> list[tuple[Any, ...]]:
    """Return game, seat, person, name, colour, bot and place of each seat."""
    return [(game, row.seat, row.person, row.name or "", row.colour, row.bot, row.place) for row in rows]


def decode_entry(row: Any) -> Entry:
    """Return the entry in a row, which has the columns of `log` in their order.

    Unpacking takes a seventh of the time of access by name; after a restart tens of thousands of rows are decoded.
    """
    game, seq, kind, seat, body, by, at, command, who = row
    return Entry(game, seq, kind, seat, orjson.loads(body), by, at, command, who)
