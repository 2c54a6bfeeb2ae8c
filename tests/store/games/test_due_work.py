"""Due work and leases, heartbeats and outages, chat and mutes."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from sqlalchemy import Connection, Engine, event, insert, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.play.log.entries import Outage
from app.play.ports import StoreUnavailable
from app.store.database import open_database
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.store import SqlGameStore, open_store
from app.store.migrate import upgrade
from app.store.tables.games import heads
from tests.databases import begin
from tests.store.samples import NOW, make_append, make_line, new_game, read_next_due


async def test_due_row_is_claimed_by_one_worker_until_its_lease_ends(
    migrated_url: str, store: SqlGameStore
) -> None:
    rows = [await new_game(store) for _ in range(6)]
    for row in rows:
        await store.due.schedule(row.id, NOW)
    async with open_store(migrated_url, lambda seconds, entries: None) as rival:
        ours, theirs = await asyncio.gather(store.due.claim(NOW, 30_000, 4), rival.due.claim(NOW, 30_000, 4))
        claimed = [due.game for due in ours + theirs]
        assert len(claimed) == len(set(claimed))
        rest = await rival.due.claim(NOW + 1, 30_000, 10)
        assert len(claimed) + len(rest) == 6
    assert await store.due.claim(NOW + 29_999, 30_000, 10) == []
    assert len(await store.due.claim(NOW + 60_000, 30_000, 10)) == 6


async def test_earlier_time_wins_and_a_settled_row_is_due_at_its_new_time(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.due.schedule(row.id, NOW + 500)
    await store.due.schedule(row.id, NOW + 100)
    await store.due.schedule(row.id, NOW + 900)
    assert await read_next_due(store) == NOW + 100
    assert await store.due.claim(NOW + 99, 1000, 10) == []
    (due,) = await store.due.claim(NOW + 100, 1000, 10)
    await store.due.settle(due, NOW + 5000)
    assert await read_next_due(store) == NOW + 5000
    (due,) = await store.due.claim(NOW + 5000, 1000, 10)
    await store.due.settle(due, None)
    assert await read_next_due(store) is None


async def test_row_changed_during_its_lease_stays_due(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.log.append(make_append(row, 2, due=NOW))
    (due,) = await store.due.claim(NOW, 1000, 10)
    assert await store.due.read_due_times([row.id], NOW) == {row.id: NOW}  # leased
    await store.log.append(make_append(row, 3, due=NOW + 50))
    assert await store.due.settle(due, NOW + 90_000) == NOW
    (due,) = await store.due.claim(NOW, 1000, 10)
    await store.due.schedule(row.id, NOW + 70)
    assert await store.due.settle(due, None) == NOW
    (due,) = await store.due.claim(NOW, 1000, 10)
    assert await store.due.settle(due, NOW + 90_000) == NOW + 90_000
    assert await store.due.read_due_times([row.id, "nowhere"], NOW) == {row.id: NOW + 90_000}


async def test_entry_moves_a_later_due_time_but_not_an_earlier_one(store: SqlGameStore) -> None:
    row = await new_game(store)
    for seq, due, at in ((2, NOW + 500, NOW + 500), (3, NOW + 900, NOW + 500), (4, NOW + 100, NOW + 100)):
        await store.log.append(make_append(row, seq, due=due))
        assert await store.due.read_due_times([row.id], NOW) == {row.id: at}
    await store.log.append(make_append(row, 5))
    assert await store.due.read_due_times([row.id], NOW) == {row.id: NOW + 100}


async def test_second_claim_of_a_row_survives_settling_the_first(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.due.schedule(row.id, NOW)
    (slow,) = await store.due.claim(NOW, 1000, 10)
    (quick,) = await store.due.claim(NOW + 1001, 1000, 10)
    assert (
        await store.due.settle(slow, NOW + 90_000) == NOW
    )  # its lease had ended and another worker has claimed it
    assert await store.due.settle(quick, NOW + 5000) == NOW + 5000


async def test_concurrent_settles_share_a_transaction(store: SqlGameStore) -> None:
    games = [await new_game(store) for _ in range(40)]
    for row in games:
        await store.due.schedule(row.id, NOW)
    claimed = await store.due.claim(NOW, 1000, 50)
    await store.due.schedule(claimed[0].game, NOW + 7)  # this row has changed and stays due
    commits = 0

    def count(_: object) -> None:
        nonlocal commits
        commits += 1

    event.listen(Engine, "commit", count)
    ends = [NOW + 5000 if number % 2 else None for number in range(len(claimed))]
    try:
        found = await asyncio.gather(*map(store.due.settle, claimed, ends))
    finally:
        event.remove(Engine, "commit", count)
    assert found == [NOW, *ends[1:]]
    assert commits <= 2
    promised = await store.due.read_due_times([row.id for row in games], NOW)
    assert promised == {due.game: at for due, at in zip(claimed, found, strict=True) if at is not None}


async def test_row_that_an_uncommitted_entry_relies_on_cannot_be_claimed(postgres_url: str) -> None:
    """On PostgreSQL a claim could happen between the entry's check of the row and its commit."""
    database = open_database(postgres_url)
    await upgrade(database)
    async with open_store(postgres_url, lambda seconds, entries: None, database) as store:
        row = await new_game(store)
        await store.due.schedule(row.id, NOW)
        writer = PostgresWriter(postgres_url)
        conn = await writer._connect()
        async with conn.transaction():
            await PostgresWriter._write_rows(conn, [make_append(row, 2, due=NOW + 900)])
            assert await store.due.claim(NOW, 1000, 10) == []
        await writer.close()
        assert [due.game for due in await store.due.claim(NOW, 1000, 10)] == [row.id]
    await database.close()


async def test_worker_frozen_in_mid_batch_does_not_lock_the_game_forever(postgres_url: str) -> None:
    database = open_database(postgres_url)
    await upgrade(database)
    async with open_store(postgres_url, lambda seconds, entries: None, database) as store:
        row = await new_game(store)
        frozen, other = PostgresWriter(postgres_url), PostgresWriter(postgres_url)
        conn = await frozen._connect()
        await conn.execute("BEGIN")
        await PostgresWriter._write_rows(conn, [make_append(row, 2, "frozen-command")])
        # Waits for the row until PostgreSQL has ended the frozen session.
        assert await other.write([make_append(row, 2, "other-command")]) == [True]
        with pytest.raises(
            (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
        ):
            await conn.execute("COMMIT")
        assert [entry.command for entry in await store.log.read_entries(row.id, 1)] == ["other-command"]
        await frozen.close()
        await other.close()
    await database.close()


async def test_gap_between_heartbeats_is_recorded_once_as_an_outage(
    migrated_url: str, store: SqlGameStore
) -> None:
    assert await store.heartbeats.record(NOW, 8000) is None
    assert await store.heartbeats.record(NOW + 2000, 8000) is None
    async with open_store(migrated_url, lambda seconds, entries: None) as rival:
        found = await asyncio.gather(
            store.heartbeats.record(NOW + 60_000, 8000), rival.heartbeats.record(NOW + 60_001, 8000)
        )
    assert next(outage for outage in found if outage is not None).began == NOW + 2000
    noted = await store.heartbeats.read_outages(NOW)
    assert len(noted) == 1
    assert noted[0].began == NOW + 2000
    assert await store.heartbeats.read_outages(NOW + 70_000) == []
    assert isinstance(noted[0], Outage)


async def test_chat_numbers_are_contiguous_and_a_resent_line_is_stored_once(store: SqlGameStore) -> None:
    row = await new_game(store)
    lines = await asyncio.gather(*(store.chat.add_line(make_line(row, f"line-{n:04d}")) for n in range(8)))
    assert sorted(line.n for line in lines) == list(range(1, 9))
    again = await store.chat.add_line(make_line(row, "line-0003", "changed"))
    assert again.text == "ahoy"
    assert again.n == lines[3].n
    assert [line.n for line in await store.chat.read_lines(row.id, 0, 100)] == list(range(1, 9))
    assert [line.n for line in await store.chat.read_lines(row.id, 5, 100)] == [6, 7, 8]
    assert [line.n for line in await store.chat.read_lines(row.id, 0, 2)] == [7, 8]


async def test_mutes_are_stored_by_room_and_person(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.chat.set_mute(row.id, "p_ann", "p_bo", True)
    await store.chat.set_mute(row.id, "p_ann", "p_bo", True)
    assert await store.chat.read_mutes(row.id, "p_ann") == {"p_bo"}
    assert await store.chat.read_mutes(row.id, "p_cy") == frozenset()
    await store.chat.set_mute(row.id, "p_ann", "p_bo", False)
    assert await store.chat.read_mutes(row.id, "p_ann") == frozenset()


async def test_programming_error_is_not_treated_as_an_outage(
    store: SqlGameStore, caplog: pytest.LogCaptureFixture
) -> None:
    for transact in (store.database.read, store.database.write):
        with pytest.raises(DBAPIError):
            await transact(lambda conn: conn.execute(text("SELECT nothing FROM nowhere")))
    with pytest.raises(IntegrityError):
        await store.database.execute_write(insert(heads).values(game=None))
    row = await new_game(store)
    async with begin(store.database) as conn:
        await conn.execute(text("ALTER TABLE log RENAME TO elsewhere"))
    with pytest.raises(StoreUnavailable):  # nothing is stored, and nothing is acknowledged
        await store.log.append(make_append(row, 2))
    assert [record.levelname for record in caplog.records if record.name == "cartagena.store"] == ["ERROR"]


async def test_unresponsive_database_is_an_outage(migrated_url: str, store: SqlGameStore) -> None:
    is_sqlite = store.database.dialect.name == "sqlite"
    if is_sqlite:
        await store.database.write(lambda conn: conn.execute(text("PRAGMA busy_timeout = 1")).close())

    def wait_for_lock(conn: Connection) -> None:
        if not is_sqlite:
            conn.execute(text("SET LOCAL lock_timeout = 1"))
        conn.execute(text("UPDATE heads SET seq = seq" if is_sqlite else "LOCK TABLE heads"))

    async with begin(store.database) as rival:  # on a separate connection
        await rival.execute(text("UPDATE heads SET seq = seq"))
        with pytest.raises(StoreUnavailable):
            await store.database.write(wait_for_lock)
    if not is_sqlite:
        with pytest.raises(StoreUnavailable):
            await store.database.fetch_rows(text("SELECT pg_terminate_backend(pg_backend_pid())"))
