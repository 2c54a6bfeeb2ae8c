"""Bringing a database to the tables this release expects: a new one at once, an older one by Alembic.

Alembic is 11 MB and half a second, so it is loaded only where there is something for it to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.paths import MIGRATIONS
from app.store.games import tables as game_tables
from app.store.online_indexes import build_indexes
from app.store.people import deal_tables as people_tables

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 4_711_000_001  # any number that is ours: several workers may start at once


async def upgrade(engine: AsyncEngine, revision: str = "head") -> None:
    """Up to a revision, script by script; an empty database gets the newest tables without their history."""
    if revision == "head" and await _is_at(engine, newest()):
        return
    if revision == "head" and engine.dialect.name == "postgresql":
        tables = (*game_tables.metadata.tables.values(), *people_tables.metadata.tables.values())
        await build_indexes(engine, tables)
    async with engine.begin() as run:
        if engine.dialect.name == "postgresql":
            await run.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        elif engine.dialect.name == "sqlite":
            # All or nothing: SQLite too can take back a table, but only if the transaction was begun before it.
            await run.exec_driver_sql("BEGIN IMMEDIATE")
        is_empty = await run.run_sync(lambda connection: not inspect(connection).get_table_names())
        if revision == "head" and is_empty:
            await run.run_sync(_create)
        else:
            await run.run_sync(_alembic("upgrade", revision))


async def downgrade(engine: AsyncEngine, revision: str) -> None:
    """Down to a revision; what only newer tables hold is lost."""
    async with engine.begin() as run:
        await run.run_sync(_alembic("downgrade", revision))


def newest() -> str:
    """The revision this release expects: its scripts are numbered."""
    return max(script.name for script in (MIGRATIONS / "versions").glob("[0-9]*.py")).partition("_")[0]


async def _is_at(engine: AsyncEngine, revision: str) -> bool:
    """Whether the database is there already."""
    try:
        async with engine.connect() as run:
            return (await run.execute(text("SELECT version_num FROM alembic_version"))).scalar() == revision
    except DBAPIError:  # no such table: a database that is new
        return False


def _create(connection: Connection) -> None:
    """The tables as the code names them (a test holds them against what the scripts make), and Alembic's mark."""
    for tables in (game_tables, people_tables):
        tables.metadata.create_all(connection, checkfirst=False)
    connection.execute(
        text(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
            " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": newest()})


def _alembic(do: str, revision: str) -> Callable[[Connection], None]:
    from alembic import command

    run: Callable[[Config, str], None] = getattr(command, do)
    return lambda connection: run(_config(connection), revision)


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
