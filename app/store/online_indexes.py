"""Indexes on PostgreSQL that are built before a migration, while workers of the release before go on writing.

A migration is one transaction: CREATE INDEX in it would hold off every writer of the table until all of it is
committed, seconds on a table with millions of rows. CREATE INDEX CONCURRENTLY holds off nobody, but cannot run in a
transaction. So what a release adds to tables that exist is built first; its script then finds the index there
(`migrations/env.py` makes every CREATE INDEX one IF NOT EXISTS). Building may be interrupted and repeated.
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
_LOCK = 4_711_000_002  # any number that is ours
_POLL_SECONDS = 0.1
_INVALID = text(
    "SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE NOT indisvalid"
)


async def build_indexes(engine: AsyncEngine, tables: Iterable[Table]) -> None:
    """Build the indexes of these tables that are missing in the database; returns when all are there."""
    async with engine.connect() as run:
        await run.execution_options(isolation_level="AUTOCOMMIT")
        # Polled: a session that waits in pg_advisory_lock has a snapshot, for whose end the builder would wait.
        while not (await run.execute(text(f"SELECT pg_try_advisory_lock({_LOCK})"))).scalar_one():  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)
        try:
            invalid = {row.relname for row in await run.execute(_INVALID)}  # left by a build that was cut off
            for index in await run.run_sync(_missing, tables, invalid):
                assert index.table is not None
                _log.info("building the index %s of %s", index.name, index.table.name)
                if index.name in invalid:
                    await run.exec_driver_sql(f'DROP INDEX CONCURRENTLY "{index.name}"')
                statement = str(CreateIndex(index).compile(dialect=engine.dialect))
                await run.exec_driver_sql(statement.replace("INDEX", "INDEX CONCURRENTLY", 1))
        except BaseException:
            await run.invalidate()  # the lock ends with its session
            raise
        await run.execute(text(f"SELECT pg_advisory_unlock({_LOCK})"))


def _missing(run: Connection, tables: Iterable[Table], invalid: set[str]) -> list[Index]:
    """Only of tables that have all columns of this release: the script adds the others.

    Unique indexes are left to the script as well, which may have to make the rows unique first.
    """
    database = inspect(run)
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
