"""Group commit on SQLite: a batch is one transaction in the writer thread, ahead of all other writes."""

from __future__ import annotations

import logging
import sqlite3
from functools import partial

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from app.play.ports import StoreUnavailable
from app.store.database import SqliteDatabase
from app.store.games.log_rows import (
    Batch,
    BatchFailed,
    CommitUnknown,
    Outcome,
    is_move,
    make_head_row,
    make_log_row,
    make_seat_rows,
    make_summary_row,
)
from app.store.worker_threads import NotStarted

_log = logging.getLogger("cartagena.store")

# A row count of 0 means that the seq was taken; the other rows of the batch are not affected.
_INSERT_LOG = (
    "INSERT INTO log (game, seq, kind, seat, body, by, at, command, who) VALUES (?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT DO NOTHING"
)
_UPDATE_HEAD = "UPDATE heads SET seq=?, to_act=?, deadline=?, updated_at=? WHERE game=?"
_UPDATE_STATUS = "UPDATE games SET status=? WHERE id=?"
_UPDATE_SUMMARY = (
    "UPDATE games SET options=?, players=?, taken=?, bots=?, host=?, next_game=?, started_at=?, ended_at=?, "
    "result=?, is_rated=? WHERE id=?"
)
_DELETE_SEATS = "DELETE FROM seats WHERE game=?"
_INSERT_SEAT = "INSERT INTO seats (game, seat, person, name, colour, bot, place) VALUES (?,?,?,?,?,?,?)"
# A row under an active lease stays due: the lease holder may not have seen this entry.
_UPSERT_DUE = (
    "INSERT INTO due (game, at, lease_until, n) VALUES (?, ?, 0, 1) "
    "ON CONFLICT (game) DO UPDATE SET n = due.n + 1, at = min(due.at, excluded.at) "
    "WHERE due.lease_until > 0 OR due.at > excluded.at"
)
_UPSERT_NOTICE_CHECK = (
    "INSERT INTO notice_checks (game, at, lease_until, n) VALUES (?, ?, 0, 1) "
    "ON CONFLICT (game) DO UPDATE SET n = notice_checks.n + 1, at = min(notice_checks.at, excluded.at)"
)
_LOOK_UP_ENTRY = "SELECT kind, seat, body, by, at, command, who FROM log WHERE game=? AND seq=?"
# Raised by SqliteDatabase before or after the batch's own statements run.
_DATABASE_ERRORS = (NotStarted, StoreUnavailable, sqlite3.Error, SQLAlchemyError)


class SqliteWriter:
    """Implements BatchWriter."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def write(self, batch: Batch) -> Outcome:
        try:
            return await self._database.write_log(partial(_write, batch))
        except _DATABASE_ERRORS as problem:
            if isinstance(problem, NotStarted):
                _log.warning("the writer thread was busy for too long: %s", problem)
            raise BatchFailed(problem) from problem

    async def look_up(self, batch: Batch) -> list[bool | None]:
        try:
            return await self._database.read(partial(_look_up, batch))
        except _DATABASE_ERRORS as problem:
            raise BatchFailed(problem) from problem

    async def close(self) -> None:
        """No-op: the database closes its connections."""


def _write(batch: Batch, conn: sqlite3.Connection) -> Outcome:
    try:
        conn.execute("BEGIN IMMEDIATE")
        outcome = write_rows(conn, batch)
    except sqlite3.Error as problem:
        is_row_error = isinstance(
            problem, sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError
        )
        raise BatchFailed(problem, is_row_error=is_row_error) from problem
    try:
        conn.execute("COMMIT")
    except sqlite3.Error as problem:
        raise CommitUnknown(type(problem).__name__) from problem
    return outcome


def write_rows(conn: sqlite3.Connection, batch: Batch) -> Outcome:
    """Write a batch inside a transaction; return for each row whether it was written."""
    rows = [make_log_row(append.entry) for append in batch]
    ours, outcome = batch, [True] * len(rows)
    if conn.executemany(_INSERT_LOG, rows).rowcount != len(rows):
        # Another process has taken a seq. Repeat row by row to find out which.
        conn.execute("ROLLBACK")
        conn.execute("BEGIN IMMEDIATE")
        outcome = [conn.execute(_INSERT_LOG, row).rowcount == 1 for row in rows]
        ours = [append for append, is_ours in zip(batch, outcome, strict=True) if is_ours]
    conn.executemany(_UPDATE_HEAD, map(make_head_row, ours))
    for append in ours:
        if append.due is None and not append.notifies and is_move(append):
            continue  # nearly always
        game = append.entry.game
        if append.notifies:
            conn.execute(_UPSERT_NOTICE_CHECK, (game, append.entry.at))
        if append.due is not None:
            conn.execute(_UPSERT_DUE, (game, append.due))
        if is_move(append):
            continue
        conn.execute(_UPDATE_STATUS, (append.status, game))
        if append.summary is not None:
            conn.execute(_UPDATE_SUMMARY, make_summary_row(game, append.summary))
            conn.execute(_DELETE_SEATS, (game,))
            conn.executemany(_INSERT_SEAT, make_seat_rows(game, append.summary.seats))
    return outcome


def _look_up(batch: Batch, conn: Connection) -> list[bool | None]:
    found: list[bool | None] = []
    for append in batch:
        row = conn.exec_driver_sql(_LOOK_UP_ENTRY, (append.entry.game, append.entry.seq)).one_or_none()
        found.append(None if row is None else tuple(row) == make_log_row(append.entry)[2:])
    return found
