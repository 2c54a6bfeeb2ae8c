"""Rows of the log and of heads, and the SQL that writes a batch of them; the same for both databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import orjson

from app.play.log.entries import Append, Entry, SeatRow, Summary
from app.store.transactions import error_name, is_outage

Batch = Sequence[Append]
Outcome = list[bool]


class BatchFailed(Exception):
    """Nothing of the batch was written. `is_row`: one of its rows is to blame; `is_outage`: the database."""

    def __init__(self, problem: Exception, *, is_row: bool = False) -> None:
        super().__init__(error_name(problem))
        self.is_row = is_row
        self.is_outage = is_outage(problem)


class CommitUnknown(Exception):
    """The commit was sent and its answer never came."""


class BatchWriter(Protocol):
    """Writes a batch in one transaction."""

    async def write(self, batch: Batch) -> Outcome:
        """For each row whether it was written; raises BatchFailed or CommitUnknown."""

    async def look_up(self, batch: Batch) -> list[bool | None]:
        """For each row: True it is in the log as ours, False the number is another's, None it is free."""

    async def close(self) -> None: ...


def log_row(entry: Entry) -> tuple[Any, ...]:
    """In the order of LOG_COLUMNS."""
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


def head_of(append: Append) -> tuple[Any, ...]:
    """seq, to_act, deadline, updated_at, game."""
    entry = append.entry
    return (entry.seq, append.to_act, append.deadline, entry.at, entry.game)


def is_move(append: Append) -> bool:
    """Whether only its head changes: a move leaves the status as it is, unless it comes with a summary."""
    return append.summary is None and append.entry.kind == "action"


def summary_row(game: str, summary: Summary) -> tuple[Any, ...]:
    """options, players, taken, bots, host, next_game, started_at, ended_at, result, game."""
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
        game,
    )


def seat_rows(game: str, rows: Sequence[SeatRow]) -> list[tuple[Any, ...]]:
    """game, seat, person, name, colour, bot, place."""
    return [(game, row.seat, row.person, row.name or "", row.colour, row.bot, row.place) for row in rows]


def entry_of(row: Any) -> Entry:
    """An entry from its row, which has the columns of `log` in their order: to unpack it costs a seventh of asking it
    for each by name, and after a restart tens of thousands are read at once.
    """
    game, seq, kind, seat, body, by, at, command, who = row
    return Entry(game, seq, kind, seat, orjson.loads(body), by, at, command, who)
