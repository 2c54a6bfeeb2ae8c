"""The group commit on PostgreSQL: one connection of its own, whole batches as arrays."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
from sqlalchemy.engine import make_url

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

SECONDS = 10.0  # longer than any healthy commit; after it the connection is given up
# A worker that is frozen in the middle of a batch must not hold the rows of everybody's games, and a batch that
# was given up must not go on standing in line for them: PostgreSQL ends both.
_SETTINGS = {"idle_in_transaction_session_timeout": "3000", "statement_timeout": str(int(SECONDS * 1000))}

_LOG = """
INSERT INTO log (game, seq, kind, seat, body, by, at, command, who)
SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::text[], $6::text[], $7::bigint[],
  $8::text[], $9::text[])
ON CONFLICT DO NOTHING RETURNING game, seq
"""
_HEAD = """
UPDATE heads SET seq = h.seq, to_act = h.to_act, deadline = h.deadline, updated_at = h.updated_at
FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
  AS h(seq, to_act, deadline, updated_at, game)
WHERE heads.game = h.game
"""
_STATUS = "UPDATE games SET status = $1 WHERE id = $2"
_SUMMARY = """
UPDATE games SET options = $1, players = $2, taken = $3, bots = $4, host = $5, next_game = $6,
  started_at = $7, ended_at = $8, result = $9 WHERE id = $10
"""
_UNSEAT = "DELETE FROM seats WHERE game = $1"
_SEAT = "INSERT INTO seats (game, seat, person, name, colour, bot, place) VALUES ($1, $2, $3, $4, $5, $6, $7)"
# A row that is being looked at stays due: that look may not have seen this entry, so there is another. One
# that is early enough is left as it is, but locked until we commit: nobody can claim it and miss the entry.
_DUE = """
INSERT INTO due (game, at, lease_until, n)
SELECT game, at, 0, 1 FROM unnest($1::text[], $2::bigint[]) AS d(game, at)
ON CONFLICT (game) DO UPDATE SET n = due.n + 1, at = least(due.at, excluded.at)
WHERE due.lease_until > 0 OR due.at > excluded.at
"""
_LOOK = """
SELECT l.game, l.seq, l.kind, l.seat, l.body, l.by, l.at, l.command, l.who
FROM log l JOIN unnest($1::text[], $2::int[]) AS w(game, seq) ON l.game = w.game AND l.seq = w.seq
"""
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
        is_committing = False
        try:
            async with asyncio.timeout(SECONDS):
                run = await self._connect()
                await run.execute("BEGIN")
                won = await self._write_rows(run, batch)
                is_committing = True
                await run.execute("COMMIT")
        except _FAILURES as problem:
            await self._give_up()
            if is_committing:
                raise CommitUnknown(type(problem).__name__) from problem
            raise BatchFailed(problem, is_row=isinstance(problem, _ROW_FAILURES)) from problem
        return [(append.entry.game, append.entry.seq) in won for append in batch]

    @staticmethod
    async def _write_rows(run: Any, batch: Batch) -> set[tuple[str, int]]:
        columns = list(zip(*(log_row(append.entry) for append in batch), strict=True))
        won = {(row[0], row[1]) for row in await run.fetch(_LOG, *columns)}
        ours = [append for append in batch if (append.entry.game, append.entry.seq) in won]
        if not ours:
            return won
        heads = {append.entry.game: head_of(append) for append in ours}  # the last of a game is its head
        await run.execute(_HEAD, *zip(*heads.values(), strict=True))
        for append in ours:
            game = append.entry.game
            if not is_move(append):
                await run.execute(_STATUS, append.status, game)
            if append.summary is not None:
                await run.execute(_SUMMARY, *summary_row(game, append.summary))
                await run.execute(_UNSEAT, game)
                await run.executemany(_SEAT, seat_rows(game, append.summary.seats))
        woken = {append.entry.game: append.due for append in ours if append.due is not None}
        if woken:  # in the order of the games, as due_work.py locks these rows: no deadlock between the two
            await run.execute(_DUE, *zip(*sorted(woken.items()), strict=True))
        return won

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
