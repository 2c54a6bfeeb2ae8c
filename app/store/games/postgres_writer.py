"""Group commit on PostgreSQL: one dedicated connection, one statement per batch.

A statement outside a transaction block is its own transaction, so a batch takes one round trip and no transaction stays
open between two. The statement uses a plain INSERT: if a seq is taken, the whole batch fails without effect. The writer
then asks which were taken and repeats the others. This is rare, and checking first would double the cost of an entry.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import asyncpg
import orjson
from sqlalchemy.engine import make_url

from app.play.log.entries import Append, GameSummary
from app.store.games.log_rows import (
    Batch,
    BatchFailed,
    CommitUnknown,
    Outcome,
    is_move,
    make_log_row,
    make_seat_rows,
    make_summary_row,
)

MAX_ATTEMPTS = 4  # of a statement that PostgreSQL rolled back to end a deadlock
WRITE_TIMEOUT_SECONDS = 10.0  # longer than any healthy commit takes; then the connection is dropped
# The timeouts end the transaction of a frozen worker, which would hold row locks of many games, and a batch that the
# writer has abandoned. The planner cannot know how many rows a batch has and would scan all heads instead of looking
# up a hundred. Without scans and other joins it uses nested loops, which also lock rows in the order they are sent.
_SERVER_SETTINGS = {
    "idle_in_transaction_session_timeout": "3000",
    "statement_timeout": str(int(WRITE_TIMEOUT_SECONDS * 1000)),
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}

# The rows are one JSON parameter. With array parameters, the driver would encode each value separately.
_INSERT_LOG = """
WITH a AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS a(game text, seq int, kind text, seat int, body text, by text,
    at bigint, command text, who text, to_act text, deadline bigint, due bigint, status text, summary json,
    notifies boolean)
), logged AS (
  INSERT INTO log (game, seq, kind, seat, body, by, at, command, who)
  SELECT game, seq, kind, seat, body, by, at, command, who FROM a RETURNING 1
)"""
# A row under an active lease stays due: the lease holder may not have seen this entry. A row that is due early enough
# is not changed, but stays locked until the commit, so that no worker can claim it and miss the entry.
_UPSERT_DUE = """, due_upserts AS (
  INSERT INTO due (game, at, lease_until, n) SELECT game, due, 0, 1 FROM a WHERE due IS NOT NULL
  ON CONFLICT (game) DO UPDATE SET n = due.n + 1, at = least(due.at, excluded.at)
  WHERE due.lease_until > 0 OR due.at > excluded.at
)"""
_UPSERT_NOTICE_CHECKS = """, check_upserts AS (
  INSERT INTO notice_checks (game, at, lease_until, n) SELECT game, at, 0, 1 FROM a WHERE notifies
  ON CONFLICT (game) DO UPDATE SET n = notice_checks.n + 1, at = least(notice_checks.at, excluded.at)
)"""
# Changes by entries other than moves. All parts of a WITH statement see the rows as they were before it, so seats
# cannot be deleted and inserted again: vacated seats are deleted and the others are updated.
_UPDATE_LISTS = """, s AS MATERIALIZED (
  SELECT a.game, a.status, s.* FROM a, json_to_record(a.summary) AS s(options text, players int, taken int, bots int,
    host text, next_game text, started_at bigint, ended_at bigint, result text, is_rated boolean, seats json)
  WHERE a.summary IS NOT NULL
), status_updates AS (
  UPDATE games SET status = a.status FROM a WHERE id = a.game AND a.status IS NOT NULL AND a.summary IS NULL
), summary_updates AS (
  UPDATE games SET status = s.status, options = s.options, players = s.players, taken = s.taken, bots = s.bots,
    host = s.host, next_game = s.next_game, started_at = s.started_at, ended_at = s.ended_at, result = s.result,
    is_rated = s.is_rated
  FROM s WHERE id = s.game
), seat_deletes AS (
  DELETE FROM seats USING s WHERE seats.game = s.game
    AND NOT EXISTS (SELECT 1 FROM json_to_recordset(s.seats) AS t(seat int) WHERE t.seat = seats.seat)
), seat_upserts AS (
  INSERT INTO seats (game, seat, person, name, colour, bot, place)
  SELECT s.game, t.* FROM s, json_to_recordset(s.seats) AS t(seat int, person text, name text, colour text, bot text,
    place int)
  ON CONFLICT (game, seat) DO UPDATE SET person = excluded.person, name = excluded.name,
    colour = excluded.colour, bot = excluded.bot, place = excluded.place
)"""
# The log is written first: a transaction that loses the race for a seq waits there and holds no other locks.
_UPDATE_HEADS = """
UPDATE heads SET seq = a.seq, to_act = a.to_act, deadline = a.deadline, updated_at = a.at
FROM a WHERE heads.game = a.game AND (SELECT count(*) FROM logged) > 0
"""
_WRITE_MOVES = _INSERT_LOG + _UPSERT_DUE + _UPDATE_HEADS
_WRITE_MOVES_WITH_CHECKS = _INSERT_LOG + _UPSERT_DUE + _UPSERT_NOTICE_CHECKS + _UPDATE_HEADS
_WRITE_ENTRIES = _INSERT_LOG + _UPSERT_DUE + _UPSERT_NOTICE_CHECKS + _UPDATE_LISTS + _UPDATE_HEADS
_FIND_TAKEN = """
SELECT a.game, a.seq FROM json_to_recordset($1::json) AS a(game text, seq int)
WHERE EXISTS (SELECT 1 FROM log WHERE log.game = a.game AND log.seq = a.seq)
"""
_LOOK_UP_ENTRIES = """
SELECT l.game, l.seq, l.kind, l.seat, l.body, l.by, l.at, l.command, l.who
FROM log l JOIN unnest($1::text[], $2::int[]) AS w(game, seq) ON l.game = w.game AND l.seq = w.seq
"""
_ROW_COLUMNS = (
    "game",
    "seq",
    "kind",
    "seat",
    "body",
    "by",
    "at",
    "command",
    "who",
    "to_act",
    "deadline",
    "due",
)
_SUMMARY_COLUMNS = tuple(
    "options players taken bots host next_game started_at ended_at result is_rated game".split()
)
_SEAT_COLUMNS = ("game", "seat", "person", "name", "colour", "bot", "place")
_WRITE_ERRORS = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the connection was cut off in mid-message
    OSError,
    TimeoutError,
    asyncio.IncompleteReadError,
)
_ROW_ERRORS = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)


class PostgresWriter:
    """Implements BatchWriter."""

    def __init__(self, url: str) -> None:
        self._dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._connection: Any = None

    async def write(self, batch: Batch) -> Outcome:
        lost: set[tuple[str, int]] = set()
        sent = 0
        try:
            async with asyncio.timeout(WRITE_TIMEOUT_SECONDS):
                conn = await self._connect()
                # Sorted: all code that writes several of these rows locks them in this order (lock_order.py).
                for part in _split_by_game(sorted(batch, key=_get_key)):
                    sent += 1
                    lost |= await self._write_part(conn, part)
        except _WRITE_ERRORS as problem:
            await self._drop_connection()
            if sent > 1 or (sent and not _is_rolled_back(problem)):
                raise CommitUnknown(type(problem).__name__) from problem
            raise BatchFailed(problem, is_row_error=isinstance(problem, _ROW_ERRORS)) from problem
        if not lost:
            return [True] * len(batch)
        return [_get_key(append) not in lost for append in batch]

    async def _write_part(self, conn: Any, part: Batch) -> set[tuple[str, int]]:
        """Write the rows; return the keys of those that were not written because their seq was taken."""
        lost: set[tuple[str, int]] = set()
        attempts = 0
        while part:
            attempts += 1
            try:
                await self._write_rows(conn, part)
                break
            except (asyncpg.DeadlockDetectedError, asyncpg.SerializationError):
                if attempts >= MAX_ATTEMPTS:
                    raise
                continue
            except asyncpg.UniqueViolationError:
                taken = {(row[0], row[1]) for row in await conn.fetch(_FIND_TAKEN, _encode(part))}
                if not taken:
                    raise
            lost |= taken
            part = [append for append in part if _get_key(append) not in taken]
        return lost

    @staticmethod
    async def _write_rows(conn: Any, part: Batch) -> None:
        """Write all rows, or none and raise."""
        statement = _WRITE_ENTRIES
        if all(map(is_move, part)):
            has_checks = any(append.notifies for append in part)
            statement = _WRITE_MOVES_WITH_CHECKS if has_checks else _WRITE_MOVES
        await conn.execute(statement, _encode(part))

    async def look_up(self, batch: Batch) -> list[bool | None]:
        try:
            async with asyncio.timeout(WRITE_TIMEOUT_SECONDS):
                conn = await self._connect()
                keys = [[append.entry.game for append in batch], [append.entry.seq for append in batch]]
                rows = {(row[0], row[1]): tuple(row) for row in await conn.fetch(_LOOK_UP_ENTRIES, *keys)}
        except _WRITE_ERRORS as problem:
            await self._drop_connection()
            raise BatchFailed(problem) from problem
        found: list[bool | None] = []
        for append in batch:
            row = rows.get((append.entry.game, append.entry.seq))
            found.append(None if row is None else row == make_log_row(append.entry))
        return found

    async def close(self) -> None:
        await self._drop_connection(is_graceful=True)

    async def _connect(self) -> Any:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(
                self._dsn, timeout=5, server_settings=dict(_SERVER_SETTINGS)
            )
        return self._connection

    async def _drop_connection(self, *, is_graceful: bool = False) -> None:
        """Close the connection; the next call opens another."""
        connection, self._connection = self._connection, None
        if connection is None or connection.is_closed():
            return
        if is_graceful:
            await connection.close(timeout=2)
        else:
            connection.terminate()


def _get_key(append: Append) -> tuple[str, int]:
    return append.entry.game, append.entry.seq


def _split_by_game(batch: list[Append]) -> list[list[Append]]:
    """Split a batch so that no part has two entries of a game: a statement can update a row only once.

    Rooms append one entry at a time, so there is usually one part.
    """
    if len({append.entry.game for append in batch}) == len(batch):
        return [batch]
    parts: list[list[Append]] = []
    count: Counter[str] = Counter()
    for append in batch:
        game = append.entry.game
        if count[game] == len(parts):
            parts.append([])
        parts[count[game]].append(append)
        count[game] += 1
    return parts


def _encode(part: Batch) -> str:
    return orjson.dumps([_make_row(append) for append in part]).decode()


def _make_row(append: Append) -> dict[str, Any]:
    head = (append.to_act, append.deadline, append.due)
    row = dict(zip(_ROW_COLUMNS, (*make_log_row(append.entry), *head), strict=True))
    if append.notifies:
        row["notifies"] = True
    if not is_move(append):
        row["status"] = append.status
        if append.summary is not None:
            row["summary"] = _make_summary(append.entry.game, append.summary)
    return row


def _make_summary(game: str, summary: GameSummary) -> dict[str, Any]:
    seats = [dict(zip(_SEAT_COLUMNS, row, strict=True)) for row in make_seat_rows(game, summary.seats)]
    return {**dict(zip(_SUMMARY_COLUMNS, make_summary_row(game, summary), strict=True)), "seats": seats}


def _is_rolled_back(problem: Exception) -> bool:
    """Return whether PostgreSQL reported that the statement failed, and so had no effect. Otherwise that is unknown."""
    return isinstance(problem, asyncpg.PostgresError) and problem.severity_en == "ERROR"
