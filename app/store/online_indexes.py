"""Online index builds on PostgreSQL, before a migration, while workers of the previous release keep writing.

A migration is one transaction. CREATE INDEX in it would block all writers of the table until the commit: seconds, on a
table with millions of rows. CREATE INDEX CONCURRENTLY blocks no writers, but cannot run in a transaction. So new
indexes on existing tables are built first. The migration script then skips them, because `migrations/env.py` adds IF
NOT EXISTS to every CREATE INDEX. A build may be interrupted and repeated.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from sqlalchemy import Connection, Index, Table, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.schema import CreateIndex

__all__ = ["build_indexes"]

_log = logging.getLogger("cartagena.store")
_ADVISORY_LOCK_KEY = 4_711_000_002  # arbitrary
_TRY_LOCK = text(f"SELECT pg_try_advisory_lock({_ADVISORY_LOCK_KEY})")
_UNLOCK = text(f"SELECT pg_advisory_unlock({_ADVISORY_LOCK_KEY})")
_POLL_SECONDS = 0.1
_SELECT_INVALID_INDEXES = text(
    "SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE NOT indisvalid"
)


async def build_indexes(engine: AsyncEngine, tables: Iterable[Table]) -> None:
    """Build the missing indexes of these tables; return when all exist."""
    async with engine.connect() as conn:
        await conn.execution_options(isolation_level="AUTOCOMMIT")
        # Polling: a session that waits in pg_advisory_lock holds a snapshot, and the builder would wait for its end.
        while not (await conn.execute(_TRY_LOCK)).scalar_one():  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)
        try:
            invalid = {
                row.relname for row in await conn.execute(_SELECT_INVALID_INDEXES)
            }  # left by an interrupted build
            for index in await conn.run_sync(_find_missing, tables, invalid):
                assert index.table is not None
                _log.info("building the index %s of %s", index.name, index.table.name)
                if index.name in invalid:
                    await conn.exec_driver_sql(f'DROP INDEX CONCURRENTLY "{index.name}"')
                statement = str(CreateIndex(index).compile(dialect=engine.dialect))
                await conn.exec_driver_sql(statement.replace("INDEX", "INDEX CONCURRENTLY", 1))
        except BaseException:
            await conn.invalidate()  # ending the session releases the lock
            raise
        await conn.execute(_UNLOCK)


def _find_missing(conn: Connection, tables: Iterable[Table], invalid: set[str]) -> list[Index]:
    """Return the indexes to build: non-unique ones, on tables that already have all columns of this release.

    The migration script creates the others: it adds the columns, and may have to make rows unique first.
    """
    database = inspect(conn)
    existing = set(database.get_table_names())
    found = []
    for table in tables:
        if table.name not in existing:
            continue
        columns = {column["name"] for column in database.get_columns(table.name)}
        if not columns.issuperset(table.columns.keys()):
            continue
        built = {index["name"] for index in database.get_indexes(table.name)} - invalid
        found += [index for index in table.indexes if index.name not in built and not index.unique]
    return sorted(found, key=lambda index: str(index.name))
