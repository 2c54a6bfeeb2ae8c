"""The group commit on SQLite: one writer thread with its own connection, WAL, FULL, BEGIN IMMEDIATE.

The thread keeps fsync off the event loop. A transaction that reads before it writes would fail at once
with BUSY whatever the timeout, so this one takes the write lock first, when it is its turn. Checkpoints happen beside
it.
"""

from __future__ import annotations

import logging
import sqlite3

from app.store.engine import BUSY_SECONDS
from app.store.games.checkpoints import Checkpoints
from app.store.games.rows import (
    Batch,
    BatchFailed,
    CommitUnknown,
    Outcome,
    head_of,
    is_move,
    log_row,
    seat_rows,
    summary_row,
)
from app.store.games.worker_thread import WorkerThread
from app.store.write_turns import NoTurn, WriteTurns

_log = logging.getLogger("cartagena.store")

# Each row is its own step: what it changed is its outcome, and one lost race fails no other row.
_LOG = (
    "INSERT INTO log (game, seq, kind, seat, body, by, at, command, who) VALUES (?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT DO NOTHING"
)
_HEAD = "UPDATE heads SET seq=?, to_act=?, deadline=?, updated_at=? WHERE game=?"
_STATUS = "UPDATE games SET status=? WHERE id=?"
_SUMMARY = (
    "UPDATE games SET options=?, players=?, taken=?, bots=?, host=?, next_game=?, started_at=?, ended_at=?, "
    "result=? WHERE id=?"
)
_UNSEAT = "DELETE FROM seats WHERE game=?"
_SEAT = "INSERT INTO seats (game, seat, person, name, colour, bot, place) VALUES (?,?,?,?,?,?,?)"
# A row that is being looked at stays due: that look may not have seen this entry, so there is another.
_DUE = (
    "INSERT INTO due (game, at, lease_until, n) VALUES (?, ?, 0, 1) "
    "ON CONFLICT (game) DO UPDATE SET n = due.n + 1, at = min(due.at, excluded.at) "
    "WHERE due.lease_until > 0 OR due.at > excluded.at"
)
_CHECK = (
    "INSERT INTO notice_checks (game, at, lease_until, n) VALUES (?, ?, 0, 1) "
    "ON CONFLICT (game) DO UPDATE SET n = notice_checks.n + 1, at = min(notice_checks.at, excluded.at)"
)
TURN_SECONDS = 10.0  # the next turn is always the log's, and nobody writes for so long
_PAGES = 3  # of an entry that shares none: log, its index, head
_LOOK = "SELECT kind, seat, body, by, at, command, who FROM log WHERE game=? AND seq=?"


class SqliteWriter:
    """Implements BatchWriter."""

    def __init__(self, file: str, turns: WriteTurns | None = None) -> None:
        self._file = file
        self._turns = turns or WriteTurns()
        self._thread = WorkerThread("log-writer")
        self._connection: sqlite3.Connection | None = None
        self._checkpoints = Checkpoints(file)

    async def write(self, batch: Batch) -> Outcome:
        return await self._thread.do(self._write, batch)

    async def look_up(self, batch: Batch) -> list[bool | None]:
        return await self._thread.do(self._look_up, batch)

    async def close(self) -> None:
        await self._thread.do(self._stop)
        self._thread.stop()

    # -- in the thread -----------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(self._file, timeout=BUSY_SECONDS, isolation_level=None)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA foreign_keys=ON")
            self._checkpoints.take_over(connection)
            self._connection = connection
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _stop(self) -> None:
        self._checkpoints.close()
        self._disconnect()

    def _write(self, batch: Batch) -> Outcome:
        try:
            with self._turns.taken("the log", TURN_SECONDS, first=True):
                return self._write_in_turn(batch)
        except NoTurn as problem:
            _log.warning("the log had no turn to write: %s", problem)
            raise BatchFailed(problem) from problem

    def _write_in_turn(self, batch: Batch) -> Outcome:
        try:
            run = self._connect()
            run.execute("BEGIN IMMEDIATE")
            outcome = self._write_rows(run, batch)
        except sqlite3.Error as problem:
            self._roll_back()
            is_row = isinstance(problem, sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError)
            raise BatchFailed(problem, is_row=is_row) from problem
        try:
            run.execute("COMMIT")
        except sqlite3.Error as problem:
            self._roll_back()
            raise CommitUnknown(type(problem).__name__) from problem
        if self._checkpoints.wrote(_PAGES * len(batch)):
            self._thread.do_later(self._finish_checkpoint)  # when this batch has its answer, before the next
        return outcome

    def _finish_checkpoint(self) -> None:
        if self._connection is not None:
            self._checkpoints.finish(self._connection)

    @staticmethod
    def _write_rows(run: sqlite3.Connection, batch: Batch) -> Outcome:
        rows = [log_row(append.entry) for append in batch]
        ours, outcome = batch, [True] * len(rows)
        if run.executemany(_LOG, rows).rowcount != len(rows):
            # Somebody else was first somewhere. Again, one by one, to see where.
            run.execute("ROLLBACK")
            run.execute("BEGIN IMMEDIATE")
            outcome = [run.execute(_LOG, row).rowcount == 1 for row in rows]
            ours = [append for append, is_ours in zip(batch, outcome, strict=True) if is_ours]
        run.executemany(_HEAD, map(head_of, ours))
        for append in ours:
            if append.due is None and not append.notifies and is_move(append):
                continue  # nearly all of them
            game = append.entry.game
            if append.notifies:
                run.execute(_CHECK, (game, append.entry.at))
            if append.due is not None:
                run.execute(_DUE, (game, append.due))
            if is_move(append):
                continue
            run.execute(_STATUS, (append.status, game))
            if append.summary is not None:
                run.execute(_SUMMARY, summary_row(game, append.summary))
                run.execute(_UNSEAT, (game,))
                run.executemany(_SEAT, seat_rows(game, append.summary.seats))
        return outcome

    def _roll_back(self) -> None:
        """A connection that failed is not used again: the next batch opens a fresh one."""
        try:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # closing it rolls back as well
        finally:
            self._disconnect()

    def _look_up(self, batch: Batch) -> list[bool | None]:
        try:
            run = self._connect()
            found: list[bool | None] = []
            for append in batch:
                row = run.execute(_LOOK, (append.entry.game, append.entry.seq)).fetchone()
                found.append(None if row is None else row == log_row(append.entry)[2:])
            return found
        except sqlite3.Error as problem:
            self._disconnect()
            raise BatchFailed(problem) from problem
