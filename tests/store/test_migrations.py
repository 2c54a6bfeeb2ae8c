"""Migrations: up and down with data in the tables, and the tables they make are the ones the code names."""

from __future__ import annotations

import re
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.engine import make_engine
from app.store.games import tables as game_tables
from app.store.games.store import open_store
from app.store.migrate import downgrade, newest, upgrade
from app.store.people import tables as people_tables
from tests.store.samples import NOW, append_of, line_of, new_game, seated


@pytest.fixture
def postgres_url(new_postgres_url: str) -> str:
    """Here tables are made: no database that had them before."""
    return new_postgres_url


async def test_the_migrated_tables_are_the_tables_of_the_code(database_url: str) -> None:
    engine = make_engine(database_url)
    await upgrade(engine, newest())

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


async def test_a_new_database_gets_at_once_what_the_scripts_make_step_by_step(database_url: str) -> None:
    engine = make_engine(database_url)
    await upgrade(engine)
    at_once = await _laid_out(engine)
    await downgrade(engine, "base")
    async with engine.begin() as run:
        await run.execute(text("DROP TABLE alembic_version"))
    await upgrade(engine, newest())
    assert at_once == await _laid_out(engine)
    assert len(at_once) > 50
    await engine.dispose()


_POSTGRES_LAYOUT = (
    """SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default
       FROM information_schema.columns WHERE table_schema = 'public'""",
    """SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'""",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    """SELECT version_num FROM alembic_version""",
)
_SQLITE_LAYOUT = ("SELECT name, sql FROM sqlite_master", "SELECT version_num FROM alembic_version")


async def _laid_out(engine: AsyncEngine) -> list[list[str]]:
    """Every table, column, index and constraint in the database's own words; the order of clauses is no matter."""
    queries = _SQLITE_LAYOUT if engine.dialect.name == "sqlite" else _POSTGRES_LAYOUT
    async with engine.connect() as run:
        rows = [row for query in queries for row in await run.execute(text(query))]
    return sorted(sorted(re.findall(r"[^\s,()]+", " ".join(map(str, row)))) for row in rows)


async def test_a_first_start_that_is_cut_off_leaves_nothing_half_done(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(database_url)

    def cut_off(*_: object, **__: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(people_tables.metadata, "create_all", cut_off)
        with pytest.raises(ConnectionError):
            await upgrade(engine)
    async with engine.connect() as run:
        assert await run.run_sync(lambda connection: inspect(connection).get_table_names()) == []
    await upgrade(engine)
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        await new_game(store)
    await engine.dispose()


async def test_up_and_down_and_up_again_with_data(database_url: str) -> None:
    engine = make_engine(database_url)
    await upgrade(engine)
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        row = await new_game(store)
        await store.append(append_of(row, 2, "command-1", to_act="1", deadline=NOW + 60_000, due=NOW))
        await store.add_chat(line_of(row, "line-0001"))
        await store.set_mute(row.id, "p_ann", "p_bo", True)
        await store.heartbeat(NOW, 1)
        await store.heartbeat(NOW + 10, 1)
    async with engine.begin() as run:
        await run.execute(
            text(
                "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at) "
                "VALUES ('p', 'Ann', 'ann', false, false, 1, 1)"
            )
        )
    await downgrade(engine, "0001")
    async with engine.connect() as run:  # the games outlive the people's tables
        kept = (await run.execute(text("SELECT id, seq, to_act, deadline, updated_at FROM games"))).one()
    assert tuple(kept) == (row.id, 2, "1", NOW + 60_000, NOW + 2)
    await downgrade(engine, "base")
    async with engine.connect() as run:
        names = await run.run_sync(lambda connection: inspect(connection).get_table_names())
    assert set(names) <= {"alembic_version"}
    await upgrade(engine)
    await upgrade(engine)  # nothing to do
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        await new_game(store)
    await engine.dispose()


async def test_heads_move_into_their_table_and_back_with_everything_that_hangs_on_a_game(
    database_url: str,
) -> None:
    engine = make_engine(database_url)
    await upgrade(engine)
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        rows = [await new_game(store) for _ in range(3)]
        for row in rows:
            await store.append(append_of(row, 2, "command-1", to_act="0,1", deadline=NOW + 5))
            await store.append(seated(row, 3, "p_bo"))
            await store.add_chat(line_of(row, "line-0001"))
            await store.set_mute(row.id, "p_ann", "p_bo", True)
        before = [await store.game(row.id) for row in rows]
    await downgrade(engine, "0002")
    async with engine.connect() as run:
        kept = await run.execute(text("SELECT seq, status, to_act, deadline, updated_at FROM games"))
        assert {tuple(row) for row in kept} == {(3, "running", "0", NOW + 60_000, NOW + 3)}
    await upgrade(engine)
    async with open_store(database_url, lambda seconds, entries: None, engine) as store:
        assert [await store.game(row.id) for row in rows] == before
        assert await store.append(append_of(rows[0], 4, "command-2")) is True
        assert await store.heads([row.id for row in rows]) == {
            row.id: seq for row, seq in zip(rows, (4, 3, 3), strict=True)
        }
    await engine.dispose()


async def test_what_was_left_under_a_claimed_guest_becomes_the_accounts(database_url: str) -> None:
    """Until 0013 notices, switches, invitations and tries of deals stayed with the guest."""
    engine = make_engine(database_url)
    await upgrade(engine, "0010")
    async with engine.begin() as run:
        for player, claimed_by in (("acc", None), ("own", None), ("g1", "acc"), ("g2", "acc"), ("g3", "own")):
            await run.execute(
                text(
                    "INSERT INTO players (id, name, skeleton, is_account, is_bot, claimed_by, made_at, seen_at)"
                    " VALUES (:id, :id, :id, :is_account, :is_bot, :claimed_by, 1, 1)"
                ),
                {"id": player, "is_account": not claimed_by, "is_bot": False, "claimed_by": claimed_by},
            )
        for player in ("g1", "g2", "own", "g3"):
            await run.execute(
                text(
                    "INSERT INTO notices (player, stop_token, language, webhook, webhook_failures, told_at, told_of)"
                    " VALUES (:player, :player, 'en', :player, 0, 0, '[]')"
                ),
                {"player": player},
            )
        await run.execute(
            text("UPDATE notices SET email = 'g3@example.org', email_confirmed_at = 1 WHERE player = 'g3'")
        )
        for player, game in (("g1", "a"), ("g2", "a"), ("g2", "b"), ("acc", "b")):
            await run.execute(
                text(
                    "INSERT INTO game_switches (player, game, switches, at) VALUES (:player, :game, '{}', 1)"
                ),
                {"player": player, "game": game},
            )
        for game, person, n, began_at in (
            ("t1", "acc", 1, 20),
            ("t2", "g1", 1, 10),
            ("t3", "g1", 2, 30),
            ("t4", "g3", 1, 5),
        ):
            await run.execute(
                text(
                    "INSERT INTO deal_tries (game, day, person, n, began_at)"
                    " VALUES (:game, '2026-11-17', :person, :n, :began_at)"
                ),
                {"game": game, "person": person, "n": n, "began_at": began_at},
            )
    await upgrade(engine, newest())

    async def rows(query: str) -> list[tuple[Any, ...]]:
        async with engine.connect() as run:
            return [tuple(row) for row in await run.execute(text(query))]

    notices = await rows("SELECT player, webhook, email, email_confirmed_at FROM notices ORDER BY player")
    assert notices == [("acc", "g2", None, None), ("own", "own", "g3@example.org", 1)]
    assert await rows("SELECT player, game FROM game_switches ORDER BY game") == [("acc", "a"), ("acc", "b")]
    tries = await rows("SELECT game, person, n FROM deal_tries ORDER BY game")
    assert tries == [("t1", "acc", 2), ("t2", "acc", 1), ("t3", "acc", 3), ("t4", "own", 1)]
    await downgrade(engine, "0010")
    await engine.dispose()
