"""The group commit on PostgreSQL: one connection of its own, a whole batch as one statement.

A statement outside of a transaction is one itself, so a batch is one round trip, and nothing is ever held open between
two. It inserts plainly: a number that was taken fails all of it, changing nothing; whose it was is then asked, and
the others go again. That is rare, and asking beforehand would cost every entry as much again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import asyncpg
import orjson
from sqlalchemy.engine import make_url

from app.play.log.entries import Append, Summary
from app.store.games.rows import (
    Batch,
    BatchFailed,
    CommitUnknown,
    Outcome,
    is_move,
    log_row,
    seat_rows,
    summary_row,
)

MAX_ATTEMPTS = 4  # of a statement that PostgreSQL rolled back to end a deadlock
SECONDS = 10.0  # longer than any healthy commit; after it the connection is given up
# A worker that is frozen must not hold the rows of everybody's games, and a batch that was given up must not go on
# standing in line for them: PostgreSQL ends both. It cannot know how many rows a batch has, and would read all heads
# rather than look a hundred up: never, and so they are also locked in the order in which they are sent.
_SETTINGS = {
    "idle_in_transaction_session_timeout": "3000",
    "statement_timeout": str(int(SECONDS * 1000)),
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}

# The rows are one JSON text, made and read at once; of arrays the driver would look at every value by itself.
_ROWS = """
WITH a AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS a(game text, seq int, kind text, seat int, body text, by text,
    at bigint, command text, who text, to_act text, deadline bigint, due bigint, status text, summary json,
    notifies boolean)
), logged AS (
  INSERT INTO log (game, seq, kind, seat, body, by, at, command, who)
  SELECT game, seq, kind, seat, body, by, at, command, who FROM a RETURNING 1
)"""
# A row that is being looked at stays due: that look may not have seen this entry, so there is another. One
# that is early enough is left as it is, but locked until we commit: nobody can claim it and miss the entry.
_WOKEN = """, woken AS (
  INSERT INTO due (game, at, lease_until, n) SELECT game, due, 0, 1 FROM a WHERE due IS NOT NULL
  ON CONFLICT (game) DO UPDATE SET n = due.n + 1, at = least(due.at, excluded.at)
  WHERE due.lease_until > 0 OR due.at > excluded.at
)"""
_CHECKED = """, checked AS (
  INSERT INTO notice_checks (game, at, lease_until, n) SELECT game, at, 0, 1 FROM a WHERE notifies
  ON CONFLICT (game) DO UPDATE SET n = notice_checks.n + 1, at = least(notice_checks.at, excluded.at)
)"""
# What else an entry that is no move changes. Each statement of a WITH sees the rows as they were before all of it,
# so seats are not deleted and inserted anew: some go, the others are written over.
_LISTED = """, s AS MATERIALIZED (
  SELECT a.game, a.status, s.* FROM a, json_to_record(a.summary) AS s(options text, players int, taken int, bots int,
    host text, next_game text, started_at bigint, ended_at bigint, result text, seats json)
  WHERE a.summary IS NOT NULL
), standing AS (
  UPDATE games SET status = a.status FROM a WHERE id = a.game AND a.status IS NOT NULL AND a.summary IS NULL
), summarised AS (
  UPDATE games SET status = s.status, options = s.options, players = s.players, taken = s.taken, bots = s.bots,
    host = s.host, next_game = s.next_game, started_at = s.started_at, ended_at = s.ended_at, result = s.result
  FROM s WHERE id = s.game
), left_seats AS (
  DELETE FROM seats USING s WHERE seats.game = s.game
    AND NOT EXISTS (SELECT 1 FROM json_to_recordset(s.seats) AS t(seat int) WHERE t.seat = seats.seat)
), seated AS (
  INSERT INTO seats (game, seat, person, name, colour, bot, place)
  SELECT s.game, t.* FROM s, json_to_recordset(s.seats) AS t(seat int, person text, name text, colour text, bot text,
    place int)
  ON CONFLICT (game, seat) DO UPDATE SET person = excluded.person, name = excluded.name,
    colour = excluded.colour, bot = excluded.bot, place = excluded.place
)"""
# The log first: whoever loses a race for a number waits there and holds nothing else.
_HEADS = """
UPDATE heads SET seq = a.seq, to_act = a.to_act, deadline = a.deadline, updated_at = a.at
FROM a WHERE heads.game = a.game AND (SELECT count(*) FROM logged) > 0
"""
_MOVES = _ROWS + _WOKEN + _HEADS
_MOVES_CHECKED = _ROWS + _WOKEN + _CHECKED + _HEADS
_ALL = _ROWS + _WOKEN + _CHECKED + _LISTED + _HEADS
_TAKEN = """
SELECT a.game, a.seq FROM json_to_recordset($1::json) AS a(game text, seq int)
WHERE EXISTS (SELECT 1 FROM log WHERE log.game = a.game AND log.seq = a.seq)
"""
_LOOK = """
SELECT l.game, l.seq, l.kind, l.seat, l.body, l.by, l.at, l.command, l.who
FROM log l JOIN unnest($1::text[], $2::int[]) AS w(game, seq) ON l.game = w.game AND l.seq = w.seq
"""
_COLUMNS = ("game", "seq", "kind", "seat", "body", "by", "at", "command", "who", "to_act", "deadline", "due")
_SUMMARY_COLUMNS = tuple("options players taken bots host next_game started_at ended_at result game".split())
_SEAT_COLUMNS = ("game", "seat", "person", "name", "colour", "bot", "place")
_FAILURES = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that was cut off in the middle of its protocol
    OSError,
    TimeoutError,
    asyncio.IncompleteReadError,
)
_ROW_FAILURES = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)


class PostgresWriter:
    """Implements BatchWriter."""

    def __init__(self, url: str) -> None:
        self._dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._connection: Any = None

    async def write(self, batch: Batch) -> Outcome:
        lost: set[tuple[str, int]] = set()
        sent = 0
        try:
            async with asyncio.timeout(SECONDS):
                run = await self._connect()
                # Sorted, as all code that writes several of these rows locks them in this order (lock_order.py).
                for part in _one_a_game(sorted(batch, key=_order)):
                    sent += 1
                    lost |= await self._write_part(run, part)
        except _FAILURES as problem:
            await self._give_up()
            if sent > 1 or (sent and not _is_undone(problem)):
                raise CommitUnknown(type(problem).__name__) from problem
            raise BatchFailed(problem, is_row=isinstance(problem, _ROW_FAILURES)) from problem
        if not lost:
            return [True] * len(batch)
        return [_order(append) not in lost for append in batch]

    async def _write_part(self, run: Any, part: Batch) -> set[tuple[str, int]]:
        """Which of them were not written: their number was taken."""
        lost: set[tuple[str, int]] = set()
        attempts = 0
        while part:
            attempts += 1
            try:
                await self._write_rows(run, part)
                break
            except (asyncpg.DeadlockDetectedError, asyncpg.SerializationError):
                if attempts >= MAX_ATTEMPTS:
                    raise
                continue
            except asyncpg.UniqueViolationError:
                taken = {(row[0], row[1]) for row in await run.fetch(_TAKEN, _as_json(part))}
                if not taken:
                    raise
            lost |= taken
            part = [append for append in part if _order(append) not in taken]
        return lost

    @staticmethod
    async def _write_rows(run: Any, part: Batch) -> None:
        """All of them, or none: then it raises."""
        statement = _ALL
        if all(map(is_move, part)):
            statement = _MOVES_CHECKED if any(append.notifies for append in part) else _MOVES
        await run.execute(statement, _as_json(part))

    async def look_up(self, batch: Batch) -> list[bool | None]:
        try:
            async with asyncio.timeout(SECONDS):
                run = await self._connect()
                keys = [[append.entry.game for append in batch], [append.entry.seq for append in batch]]
                rows = {(row[0], row[1]): tuple(row) for row in await run.fetch(_LOOK, *keys)}
        except _FAILURES as problem:
            await self._give_up()
            raise BatchFailed(problem) from problem
        found: list[bool | None] = []
        for append in batch:
            row = rows.get((append.entry.game, append.entry.seq))
            found.append(None if row is None else row == log_row(append.entry))
        return found

    async def close(self) -> None:
        await self._give_up(gently=True)

    async def _connect(self) -> Any:
        if self._connection is None or self._connection.is_closed():
            self._connection = await asyncpg.connect(self._dsn, timeout=5, server_settings=dict(_SETTINGS))
        return self._connection

    async def _give_up(self, *, gently: bool = False) -> None:
        """A connection that failed is not used again."""
        connection, self._connection = self._connection, None
        if connection is None or connection.is_closed():
            return
        if gently:
            await connection.close(timeout=2)
        else:
            connection.terminate()


def _order(append: Append) -> tuple[str, int]:
    return append.entry.game, append.entry.seq


def _one_a_game(batch: list[Append]) -> list[list[Append]]:
    """A statement changes a row once. Rooms write one entry at a time, so that there is mostly one part."""
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


def _as_json(part: Batch) -> str:
    return orjson.dumps([_row(append) for append in part]).decode()


def _row(append: Append) -> dict[str, Any]:
    head = (append.to_act, append.deadline, append.due)
    row = dict(zip(_COLUMNS, (*log_row(append.entry), *head), strict=True))
    if append.notifies:
        row["notifies"] = True
    if not is_move(append):
        row["status"] = append.status
        if append.summary is not None:
            row["summary"] = _summary(append.entry.game, append.summary)
    return row


def _summary(game: str, summary: Summary) -> dict[str, Any]:
    seats = [dict(zip(_SEAT_COLUMNS, row, strict=True)) for row in seat_rows(game, summary.seats)]
    return {**dict(zip(_SUMMARY_COLUMNS, summary_row(game, summary), strict=True)), "seats": seats}


def _is_undone(problem: Exception) -> bool:
    """PostgreSQL said that the statement failed, and lives: it has changed nothing. Else that is not known."""
    return isinstance(problem, asyncpg.PostgresError) and problem.severity_en == "ERROR"
