"""The game store: repositories for the log, lists, due work, chat and queue failures on one database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from app.store.database import Database, SqliteDatabase, open_database
from app.store.games.chat import SqlChat
from app.store.games.due_work import SqlDueWork
from app.store.games.heartbeats import SqlHeartbeats
from app.store.games.lists import SqlGameLists
from app.store.games.log import SqlGameLog
from app.store.games.log_rows import BatchWriter
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.queue_failures import SqlFailures
from app.store.games.sqlite_writer import SqliteWriter


@dataclass(frozen=True, slots=True)
class SqlGameStore:
    """Implements the GameStore port."""

    database: Database
    log: SqlGameLog
    lists: SqlGameLists
    due: SqlDueWork
    heartbeats: SqlHeartbeats
    chat: SqlChat
    failures: SqlFailures


@asynccontextmanager
async def open_store(
    url: str, on_commit: Callable[[float, int], None], database: Database | None = None
) -> AsyncIterator[SqlGameStore]:
    """Yield a store on this database, whose tables must exist (`app/store/migrate.py`).

    `on_commit` receives the duration in seconds and the number of entries of each group commit. A `database` that is
    passed in is used and left open.
    """
    shared = open_database(url) if database is None else database
    writer: BatchWriter = SqliteWriter(shared) if isinstance(shared, SqliteDatabase) else PostgresWriter(url)
    log = SqlGameLog(shared, writer, on_commit)
    try:
        yield SqlGameStore(
            shared,
            log,
            SqlGameLists(shared),
            SqlDueWork(shared),
            SqlHeartbeats(shared),
            SqlChat(shared),
            SqlFailures(shared),
        )
    finally:
        await log.close()
        if database is None:
            await shared.close()
