"""New indexes are built without blocking writers of the table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from app.store.database import PostgresDatabase
from app.store.migrate import get_newest_revision, upgrade
from app.store.online_indexes import build_indexes
from app.store.tables import people_metadata as people_tables
from app.store.tables.games import metadata
from app.store.tables.people import players

TIMEOUT_SECONDS = 60
_ADD = (
    "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at)"
    " VALUES ($1, '', '', false, false, 0, 0)"
)
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('players_by_account')"
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'"
)


@pytest.fixture
async def database(new_postgres_url: str) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(new_postgres_url)
    await upgrade(database)
    async with database.engine.begin() as conn:
        await conn.exec_driver_sql("DROP INDEX players_by_account")
    yield database
    await database.close()


async def connect(database: PostgresDatabase) -> asyncpg.Connection:
    url = make_url(str(database.engine.url)).set(drivername="postgresql")
    return await asyncpg.connect(url.render_as_string(hide_password=False))


async def build_beside_a_writer(
    database: PostgresDatabase, old: asyncpg.Connection, other: asyncpg.Connection
) -> asyncio.Task[None]:
    """Start a build that waits for a transaction which has written to the table."""
    await old.execute("BEGIN")
    await old.execute(_ADD, "before")
    building = asyncio.create_task(build_indexes(database.engine, [players]))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not await other.fetchval(_WAITING):  # noqa: ASYNC110 (another process)
            await asyncio.sleep(0.01)
    return building


async def test_writers_are_not_blocked_while_an_index_is_built(database: PostgresDatabase) -> None:
    old, new = await connect(database), await connect(database)
    building = await build_beside_a_writer(database, old, new)
    await new.execute("SET lock_timeout = '5s'")
    await new.execute(_ADD, "meanwhile")  # a plain CREATE INDEX would block this
    assert not building.done()
    await old.execute("COMMIT")
    await asyncio.wait_for(building, TIMEOUT_SECONDS)
    assert await new.fetchval(_IS_VALID) is True
    await old.close()
    await new.close()


async def test_interrupted_index_build_is_repaired(database: PostgresDatabase) -> None:
    old, new = await connect(database), await connect(database)
    building = await build_beside_a_writer(database, old, new)
    await new.execute(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND state = 'active'"
    )
    with pytest.raises(DBAPIError):
        await asyncio.wait_for(building, TIMEOUT_SECONDS)
    await old.execute("COMMIT")
    assert await old.fetchval(_IS_VALID) is False
    # By two workers that start concurrently.
    await asyncio.wait_for(
        asyncio.gather(*(build_indexes(database.engine, [players]) for _ in range(2))), TIMEOUT_SECONDS
    )
    assert await old.fetchval(_IS_VALID) is True
    await old.close()
    await new.close()


async def _definitions(conn: asyncpg.Connection) -> dict[str, str]:
    rows = await conn.fetch("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")
    return {row["indexname"]: row["indexdef"] for row in rows}


@pytest.mark.parametrize("revision", ["0002", "0010"])
async def test_migration_skips_an_index_that_is_built_already(
    database: PostgresDatabase, revision: str
) -> None:
    """After a start that was interrupted behind the index build, the scripts give the schema of a new database."""
    old = await connect(database)
    new = await _definitions(old)
    await old.execute("DROP SCHEMA public CASCADE")
    await old.execute("CREATE SCHEMA public")
    await upgrade(database, revision)
    tables = [*metadata.tables.values(), *people_tables.metadata.tables.values()]
    await build_indexes(database.engine, tables)
    await upgrade(database)
    assert await old.fetchval("SELECT version_num FROM alembic_version") == get_newest_revision()
    assert await old.fetchval(_IS_VALID) is True
    upgraded = await _definitions(old)
    assert {name: upgraded.get(name) for name in new} == new
    await old.close()
