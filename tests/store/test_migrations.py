"""Migrations: upgrade and downgrade with data, and a schema that matches the code."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DatabaseError

from app.store import database as databases
from app.store.database import Database, open_database
from app.store.games.store import open_store
from app.store.migrate import _is_at, downgrade, get_newest_revision, upgrade
from app.store.tables import games as game_tables
from app.store.tables import people as people_tables
from tests.databases import at_head, begin, connect
from tests.store.samples import NOW, make_append, make_line, make_seated, new_game


@pytest.fixture
def postgres_url(new_postgres_url: str) -> str:
    """A database without tables, because the tests create them."""
    return new_postgres_url


async def test_migrated_schema_matches_the_code(database_url: str) -> None:
    database = open_database(database_url)
    await upgrade(database, get_newest_revision())

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        # Alembic compares one metadata object with the whole database, so merge the two first.
        joined = type(game_tables.metadata)()
        for metadata in (game_tables.metadata, people_tables.metadata):
            for table in metadata.tables.values():
                table.to_metadata(joined)
        return list(compare_metadata(context, joined))

    async with connect(database) as conn:
        assert await conn.run_sync(differences) == []
    await database.close()


async def test_new_database_has_the_same_schema_as_a_migrated_one(database_url: str) -> None:
    database = open_database(database_url)
    await upgrade(database)
    at_once = await _read_layout(database)
    await downgrade(database, "base")
    async with begin(database) as conn:
        await conn.execute(text("DROP TABLE alembic_version"))
    await upgrade(database, get_newest_revision())
    assert at_once == await _read_layout(database)
    assert len(at_once) > 50
    await database.close()


_POSTGRES_LAYOUT = (
    """SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default
       FROM information_schema.columns WHERE table_schema = 'public'""",
    """SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'""",
    """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
       FROM pg_constraint WHERE connamespace = 'public'::regnamespace""",
    """SELECT version_num FROM alembic_version""",
)
_SQLITE_LAYOUT = ("SELECT name, sql FROM sqlite_master", "SELECT version_num FROM alembic_version")


async def _read_layout(database: Database) -> list[list[str]]:
    """Return every table, column, index and constraint as the database describes it, ignoring the order of clauses."""
    queries = _SQLITE_LAYOUT if database.dialect.name == "sqlite" else _POSTGRES_LAYOUT
    async with connect(database) as conn:
        rows = [row for query in queries for row in await conn.execute(text(query))]
    return sorted(sorted(re.findall(r"[^\s,()]+", " ".join(map(str, row)))) for row in rows)


async def test_interrupted_first_start_leaves_nothing_behind(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = open_database(database_url)

    def cut_off(*_: object, **__: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(people_tables.metadata, "create_all", cut_off)
        with pytest.raises(ConnectionError):
            await upgrade(database)
    async with connect(database) as conn:
        assert await conn.run_sync(lambda connection: inspect(connection).get_table_names()) == []
    await upgrade(database)
    async with open_store(database_url, lambda seconds, entries: None, database) as store:
        await new_game(store)
    await database.close()


async def test_database_at_head_needs_no_write_lock(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "BUSY_TIMEOUT_SECONDS", 0)
    await at_head(sqlite_url)
    rival = sqlite3.connect(databases.get_sqlite_file(sqlite_url), isolation_level=None)
    rival.execute("BEGIN IMMEDIATE")
    database = open_database(sqlite_url)
    try:
        await upgrade(database)
    finally:
        rival.close()
        await database.close()


async def test_unreadable_database_is_not_treated_as_new(sqlite_url: str) -> None:
    Path(databases.get_sqlite_file(sqlite_url)).write_bytes(b"no database" * 1000)
    database = open_database(sqlite_url)
    with pytest.raises(DatabaseError, match="file is not a database"):
        await _is_at(database, get_newest_revision())
    await database.close()


async def test_upgrade_downgrade_and_upgrade_again_with_data(database_url: str) -> None:
    database = open_database(database_url)
    await upgrade(database)
    async with open_store(database_url, lambda seconds, entries: None, database) as store:
        row = await new_game(store)
        await store.log.append(make_append(row, 2, "command-1", to_act="1", deadline=NOW + 60_000, due=NOW))
        await store.chat.add_line(make_line(row, "line-0001"))
        await store.chat.set_mute(row.id, "p_ann", "p_bo", True)
        await store.heartbeats.record(NOW, 1)
        await store.heartbeats.record(NOW + 10, 1)
    async with begin(database) as conn:
        await conn.execute(
            text(
                "INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at) "
                "VALUES ('p', 'Ann', 'ann', false, false, 1, 1)"
            )
        )
    await downgrade(database, "0001")
    async with connect(database) as conn:  # the games outlive the tables of people
        kept = (await conn.execute(text("SELECT id, seq, to_act, deadline, updated_at FROM games"))).one()
    assert tuple(kept) == (row.id, 2, "1", NOW + 60_000, NOW + 2)
    await downgrade(database, "base")
    async with connect(database) as conn:
        names = await conn.run_sync(lambda connection: inspect(connection).get_table_names())
    assert set(names) <= {"alembic_version"}
    await upgrade(database)
    await upgrade(database)  # no-op
    async with open_store(database_url, lambda seconds, entries: None, database) as store:
        await new_game(store)
    await database.close()


async def test_heads_migration_up_and_down_keeps_all_rows_of_a_game(
    database_url: str,
) -> None:
    database = open_database(database_url)
    await upgrade(database)
    async with open_store(database_url, lambda seconds, entries: None, database) as store:
        rows = [await new_game(store) for _ in range(3)]
        for row in rows:
            await store.log.append(make_append(row, 2, "command-1", to_act="0,1", deadline=NOW + 5))
            await store.log.append(make_seated(row, 3, "p_bo"))
            await store.chat.add_line(make_line(row, "line-0001"))
            await store.chat.set_mute(row.id, "p_ann", "p_bo", True)
        before = [await store.log.read_game(row.id) for row in rows]
    await downgrade(database, "0002")
    async with connect(database) as conn:
        kept = await conn.execute(text("SELECT seq, status, to_act, deadline, updated_at FROM games"))
        assert {tuple(row) for row in kept} == {(3, "running", "0", NOW + 60_000, NOW + 3)}
    await upgrade(database)
    async with open_store(database_url, lambda seconds, entries: None, database) as store:
        assert [await store.log.read_game(row.id) for row in rows] == before
        assert await store.log.append(make_append(rows[0], 4, "command-2")) is True
        assert await store.log.read_heads([row.id for row in rows]) == {
            row.id: seq for row, seq in zip(rows, (4, 3, 3), strict=True)
        }
    await database.close()


async def test_migration_moves_rows_of_claimed_guests_to_the_account(database_url: str) -> None:
    """Before 0013, notices, switches, invitations and tries stayed with the guest."""
    database = open_database(database_url)
    await upgrade(database, "0010")
    async with begin(database) as conn:
        for player, claimed_by in (("acc", None), ("own", None), ("g1", "acc"), ("g2", "acc"), ("g3", "own")):
            await conn.execute(
                text(
                    "INSERT INTO players (id, name, skeleton, is_account, is_bot, claimed_by, made_at, seen_at)"
                    " VALUES (:id, :id, :id, :is_account, :is_bot, :claimed_by, 1, 1)"
                ),
                {"id": player, "is_account": not claimed_by, "is_bot": False, "claimed_by": claimed_by},
            )
        for player in ("g1", "g2", "own", "g3"):
            await conn.execute(
                text(
                    "INSERT INTO notices (player, stop_token, language, webhook, webhook_failures, told_at, told_of)"
                    " VALUES (:player, :player, 'en', :player, 0, 0, '[]')"
                ),
                {"player": player},
            )
        await conn.execute(
            text("UPDATE notices SET email = 'g3@example.org', email_confirmed_at = 1 WHERE player = 'g3'")
        )
        for player, game in (("g1", "a"), ("g2", "a"), ("g2", "b"), ("acc", "b")):
            await conn.execute(
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
            await conn.execute(
                text(
                    "INSERT INTO deal_tries (game, day, person, n, began_at)"
                    " VALUES (:game, '2026-11-17', :person, :n, :began_at)"
                ),
                {"game": game, "person": person, "n": n, "began_at": began_at},
            )
    await upgrade(database, get_newest_revision())

    async def rows(query: str) -> list[tuple[Any, ...]]:
        async with connect(database) as conn:
            return [tuple(row) for row in await conn.execute(text(query))]

    notices = await rows("SELECT player, webhook, email, email_confirmed_at FROM notices ORDER BY player")
    assert notices == [("acc", "g2", None, None), ("own", "own", "g3@example.org", 1)]
    assert await rows("SELECT player, game FROM game_switches ORDER BY game") == [("acc", "a"), ("acc", "b")]
    tries = await rows("SELECT game, person, n FROM deal_tries ORDER BY game")
    assert tries == [("t1", "acc", 2), ("t2", "acc", 1), ("t3", "acc", 3), ("t4", "own", 1)]
    await downgrade(database, "0010")
    await database.close()
