"""A pool of databases: creating one with its tables takes longer than most tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, NullPool, create_engine, exists

from app.store.database import (
    Database,
    PostgresDatabase,
    SqliteDatabase,
    get_sqlite_file,
    is_sqlite,
    open_database,
)
from app.store.migrate import get_newest_revision, upgrade
from app.store.tables import games as game_tables
from app.store.tables import people as people_tables
from tools.services import Postgres

__all__ = ["Databases", "at_head", "begin", "connect"]

T = TypeVar("T")

# If the database has this release's tables: disconnect all sessions (of a killed server, for example), delete all
# rows and return "yes". One call, because each start of psql takes as long as a short test.
_EMPTY_SQL = """
DO $$
DECLARE each text; revision text;
BEGIN
  IF (SELECT array_agg(tablename::text) @> {tables} AND array_agg(tablename::text) <@ {tables}
    FROM pg_tables WHERE schemaname = 'public')
  THEN
    EXECUTE 'SELECT version_num FROM alembic_version' INTO revision;
  END IF;
  IF revision = '{newest}' THEN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    SET LOCAL session_replication_role = replica;  -- in any order
    FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'
      LOOP EXECUTE format('DELETE FROM %I', each); END LOOP;
    FOR each IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'
      LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', each); END LOOP;
    PERFORM set_config('tests.emptied', 'yes', false);
  END IF;
END $$;
SELECT current_setting('tests.emptied', true)
"""


class Databases:
    """Pool of empty databases; those with this release's tables are reused."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._idle: list[str] = []
        tables = {*game_tables.metadata.tables, *people_tables.metadata.tables, "alembic_version"}
        listed = ", ".join(f"'{name}'" for name in sorted(tables))
        self._empty_sql = _EMPTY_SQL.format(tables=f"ARRAY[{listed}]", newest=get_newest_revision())

    def take(self) -> str:
        return self._idle.pop() if self._idle else self._postgres.create_database()

    def give_back(self, name: str) -> None:
        if self._postgres.sql(self._empty_sql, name) == "yes":
            self._idle.append(name)
        else:
            self._postgres.drop_database(name)


async def at_head(url: str) -> bool:
    """Upgrade a database to the newest revision; return whether it is unused.

    SQLite files are copied from the first upgraded one, which is ten times as fast.
    """
    file = Path(get_sqlite_file(url)) if is_sqlite(url) else None
    if file is not None and not file.exists() and _HEAD:
        file.write_bytes(_HEAD[0])
        return True
    is_new = file is not None and not file.exists()
    database = open_database(url)
    await upgrade(database)
    queries = [exists(table).select() for table in _FIRST_USED]
    is_empty = not await database.read(lambda run: any(run.scalar(query) for query in queries))
    await database.close()
    if file is not None and is_new:
        _HEAD.append(file.read_bytes())
    return is_empty


# Every other row belongs to a player or a game.
_FIRST_USED = (people_tables.players, game_tables.games)
_HEAD: list[bytes] = []  # contents of the first upgraded file in this process


@asynccontextmanager
async def connect(database: Database) -> AsyncIterator[Any]:
    """Open a separate connection to the same database, with SQLAlchemy's asynchronous methods."""
    if isinstance(database, PostgresDatabase):
        async with database.engine.connect() as run:
            yield run
        return
    assert isinstance(database, SqliteDatabase)
    engine = create_engine(database.engine.url, poolclass=NullPool)
    with engine.connect() as run:
        yield _Inline(run)


@asynccontextmanager
async def begin(database: Database) -> AsyncIterator[Any]:
    """Like `connect`, in a transaction that is committed at the end."""
    async with connect(database) as run:
        yield run
        await run.commit()


class _Inline:
    """A SQLite connection used on the event loop."""

    def __init__(self, run: Connection) -> None:
        self._run = run

    async def execute(self, *given: Any) -> Any:
        return self._run.execute(*given)

    async def scalar(self, *given: Any) -> Any:
        return self._run.scalar(*given)

    async def exec_driver_sql(self, *given: Any) -> Any:
        return self._run.exec_driver_sql(*given)

    async def run_sync(self, work: Callable[..., T], *given: Any) -> T:
        return work(self._run, *given)

    async def commit(self) -> None:
        self._run.commit()

    async def rollback(self) -> None:
        self._run.rollback()
