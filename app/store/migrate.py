"""Migration of a database to this release's schema.

An empty database gets the current tables directly, an older one is upgraded by Alembic. Importing Alembic takes 11 MB
and half a second, so it is imported only when there is something to migrate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from app.paths import MIGRATIONS
from app.store.database import Database, PostgresDatabase
from app.store.online_indexes import build_indexes
from app.store.tables import games as game_tables
from app.store.tables import people_metadata as people_tables

if TYPE_CHECKING:
    from alembic.config import Config

_ADVISORY_LOCK_KEY = 4_711_000_001  # arbitrary; several workers may start at once


async def upgrade(database: Database, revision: str = "head") -> None:
    """Upgrade to a revision, script by script. An empty database gets the current tables directly."""
    if revision == "head" and await _is_at(database, get_newest_revision()):
        return
    if revision == "head" and isinstance(database, PostgresDatabase):
        tables = (*game_tables.metadata.tables.values(), *people_tables.metadata.tables.values())
        await build_indexes(database.engine, tables)

    def migrate(conn: Connection) -> None:
        if conn.dialect.name == "postgresql":
            conn.execute(text(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK_KEY})"))
        if revision == "head" and not inspect(conn).get_table_names():
            _create_tables(conn)
        else:
            _make_alembic_command("upgrade", revision)(conn)

    await database.migrate(migrate)


async def downgrade(database: Database, revision: str) -> None:
    """Downgrade to a revision. Data that exists only in newer tables is lost."""
    await database.migrate(_make_alembic_command("downgrade", revision))


def get_newest_revision() -> str:
    """Return the revision that this release expects: the highest number of its migration scripts."""
    return max(script.name for script in (MIGRATIONS / "versions").glob("[0-9]*.py")).partition("_")[0]


async def _is_at(database: Database, revision: str) -> bool:
    """Return whether the database is at this revision; an empty database is at none."""

    def read(conn: Connection) -> bool:
        if not inspect(conn).has_table("alembic_version"):
            return False
        return conn.execute(text("SELECT version_num FROM alembic_version")).scalar() == revision

    return await database.inspect(read)


def _create_tables(conn: Connection) -> None:
    """Create all tables and Alembic's version table. A test compares the result with that of the scripts."""
    for tables in (game_tables, people_tables):
        tables.metadata.create_all(conn, checkfirst=False)
    conn.execute(
        text(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
            " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
    )
    conn.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": get_newest_revision()})


def _make_alembic_command(name: str, revision: str) -> Callable[[Connection], None]:
    from alembic import command

    run: Callable[[Config, str], None] = getattr(command, name)
    return lambda conn: run(_make_config(conn), revision)


def _make_config(conn: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = conn
    return config
