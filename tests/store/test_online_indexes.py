"""Indexes that a release adds are built while others write to the table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.engine import make_engine
from app.store.games.tables import metadata
from app.store.migrate import newest, upgrade
from app.store.online_indexes import build_indexes
from app.store.people import deal_tables
from app.store.people.tables import players

SECONDS = 60
_ADD = (
    "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at)"
    " VALUES ($1, '', '', false, false, 0, 0)"
)
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('players_by_account')"
_WAITING = (
    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'"
)


@pytest.fixture
async def engine(new_postgres_url: str) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(new_postgres_url)
    await upgrade(engine)
    async with engine.begin() as run:
        await run.exec_driver_sql("DROP INDEX players_by_account")
    yield engine
    await engine.dispose()


async def connect(engine: AsyncEngine) -> asyncpg.Connection:
    url = make_url(str(engine.url)).set(drivername="postgresql")
    return await asyncpg.connect(url.render_as_string(hide_password=False))


async def build_beside_a_writer(
    engine: AsyncEngine, old: asyncpg.Connection, other: asyncpg.Connection
) -> asyncio.Task[None]:
    """A build that waits for a transaction which has written to the table."""
    await old.execute("BEGIN")
    await old.execute(_ADD, "before")
    building = asyncio.create_task(build_indexes(engine, [players]))
    async with asyncio.timeout(SECONDS):
        while not await other.fetchval(_WAITING):  # noqa: ASYNC110 (another process)
            await asyncio.sleep(0.01)
    return building


async def test_others_write_while_an_index_is_built(engine: AsyncEngine) -> None:
    old, new = await connect(engine), await connect(engine)
    building = await build_beside_a_writer(engine, old, new)
    await new.execute("SET lock_timeout = '5s'")
    await new.execute(_ADD, "meanwhile")  # behind a plain CREATE INDEX this would wait
    assert not building.done()
    await old.execute("COMMIT")
    await asyncio.wait_for(building, SECONDS)
    assert await new.fetchval(_IS_VALID) is True
    await old.close()
    await new.close()


async def test_a_build_that_was_cut_off_is_made_good(engine: AsyncEngine) -> None:
    old, new = await connect(engine), await connect(engine)
    building = await build_beside_a_writer(engine, old, new)
    await new.execute(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND state = 'active'"
    )
    with pytest.raises(DBAPIError):
        await asyncio.wait_for(building, SECONDS)
    await old.execute("COMMIT")
    assert await old.fetchval(_IS_VALID) is False
    # By two workers that start at once.
    await asyncio.wait_for(asyncio.gather(*(build_indexes(engine, [players]) for _ in range(2))), SECONDS)
    assert await old.fetchval(_IS_VALID) is True
    await old.close()
    await new.close()


async def _definitions(run: asyncpg.Connection) -> dict[str, str]:
    rows = await run.fetch("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")
    return {row["indexname"]: row["indexdef"] for row in rows}


@pytest.mark.parametrize("revision", ["0002", "0010"])
async def test_a_migration_finds_its_index_built_already(engine: AsyncEngine, revision: str) -> None:
    """A start was cut off after it had built the indexes: the scripts go through, and make what a new database has."""
    old = await connect(engine)
    new = await _definitions(old)
    await old.execute("DROP SCHEMA public CASCADE")
    await old.execute("CREATE SCHEMA public")
    await upgrade(engine, revision)
    tables = [*metadata.tables.values(), *deal_tables.metadata.tables.values()]
    await build_indexes(engine, tables)
    await upgrade(engine)
    assert await old.fetchval("SELECT version_num FROM alembic_version") == newest()
    assert await old.fetchval(_IS_VALID) is True
    upgraded = await _definitions(old)
    assert {name: upgraded.get(name) for name in new} == new
    await old.close()
