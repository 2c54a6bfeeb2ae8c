"""Migrations: up and down with data in the tables, and the tables they make are the ones the code names."""

from __future__ import annotations

from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from app.store import game_tables, people_tables
from app.store.engine import make_engine
from app.store.games import open_store
from app.store.migrate import downgrade, upgrade
from tests.store.samples import NOW, append_of, line_of, new_game


async def test_the_migrated_tables_are_the_tables_of_the_code(database_url: str) -> None:
    engine = make_engine(database_url)
    await upgrade(engine)

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        # Alembic compares one metadata with the whole database: join the two first.
        joined = type(game_tables.metadata)()
        for metadata in (game_tables.metadata, people_tables.metadata):
            for table in metadata.tables.values():
                table.to_metadata(joined)
        return list(compare_metadata(context, joined))

    async with engine.connect() as run:
        assert await run.run_sync(differences) == []
    await engine.dispose()


async def test_up_and_down_and_up_again_with_data(database_url: str) -> None:
    engine = make_engine(database_url)
    await upgrade(engine)
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        row = await new_game(store)
        await store.append(append_of(row, 2, "command-1", due=NOW))
        await store.add_chat(line_of(row, "line-0001"))
        await store.set_mute(row.id, "p_ann", "p_bo", True)
        await store.beat(NOW, 1)
        await store.beat(NOW + 10, 1)
    async with engine.begin() as run:
        await run.execute(
            text(
                "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at) "
                "VALUES ('p', 'Ann', 'ann', false, false, 1, 1)"
            )
        )
    await downgrade(engine, "0001")
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        assert (await store.heads([row.id]))[row.id] == 2  # the games outlive the people's tables
    await downgrade(engine, "base")
    async with engine.connect() as run:
        names = await run.run_sync(lambda connection: inspect(connection).get_table_names())
    assert set(names) <= {"alembic_version"}
    await upgrade(engine)
    await upgrade(engine)  # nothing to do
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        await new_game(store)
    await engine.dispose()
