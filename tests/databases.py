"""Databases ready for use: making one and its tables takes longer than most tests."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import exists

from app.store.engine import is_sqlite, make_engine, sqlite_file
from app.store.games import tables as game_tables
from app.store.migrate import newest, upgrade
from app.store.people import tables as people_tables
from tools.services import Postgres

__all__ = ["Databases", "at_head"]

# With the tables of this release: whoever is still connected (a server that was killed, say) is cut off; rows go,
# tables stay; the answer is "yes". In one call: each start of psql takes as long as a short test.
_EMPTIED = """
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
    """Hands out databases without a row; those with the tables of this release are kept for the next test."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._idle: list[str] = []
        tables = {*game_tables.metadata.tables, *people_tables.metadata.tables, "alembic_version"}
        listed = ", ".join(f"'{name}'" for name in sorted(tables))
        self._emptied = _EMPTIED.format(tables=f"ARRAY[{listed}]", newest=newest())

    def take(self) -> str:
        return self._idle.pop() if self._idle else self._postgres.create_database()

    def give_back(self, name: str) -> None:
        if self._postgres.sql(self._emptied, name) == "yes":
            self._idle.append(name)
        else:
            self._postgres.drop_database(name)


async def at_head(url: str) -> bool:
    """Brings a database to head; whether nobody has used it yet.

    SQLite files are copied from one that was, which is ten times as fast.
    """
    file = Path(sqlite_file(url)) if is_sqlite(url) else None
    if file is not None and not file.exists() and _HEAD:
        file.write_bytes(_HEAD[0])
        return True
    is_new = file is not None and not file.exists()
    engine = make_engine(url)
    await upgrade(engine)
    async with engine.connect() as connection:
        is_empty = not any([await connection.scalar(exists(table).select()) for table in _FIRST_USED])
    await engine.dispose()
    if file is not None and is_new:
        _HEAD.append(file.read_bytes())
    return is_empty


# Whatever else a database holds belongs to somebody or to a game.
_FIRST_USED = (people_tables.players, game_tables.games)
_HEAD: list[bytes] = []  # an empty file with the tables, as the first of this process was made
