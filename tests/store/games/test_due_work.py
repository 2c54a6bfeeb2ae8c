"""Due work and its leases, heartbeat and outages, chat and mutes."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from app.play.log.entries import Outage
from app.play.ports import StoreUnavailable
from app.store.engine import make_engine
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.store import SqlGameStore, open_store
from app.store.games.tables import heads
from app.store.migrate import upgrade
from app.store.transactions import reading, writing
from tests.store.samples import NOW, append_of, line_of, new_game


async def test_a_due_row_is_claimed_by_one_worker_until_its_lease_ends(
    migrated_url: str, store: SqlGameStore
) -> None:
    rows = [await new_game(store) for _ in range(6)]
    for row in rows:
        await store.wake(row.id, NOW)
    async with open_store(migrated_url, lambda seconds, entries: None) as rival:
        ours, theirs = await asyncio.gather(store.claim_due(NOW, 30_000, 4), rival.claim_due(NOW, 30_000, 4))
        claimed = [due.game for due in ours + theirs]
        assert len(claimed) == len(set(claimed))
        rest = await rival.claim_due(NOW + 1, 30_000, 10)
        assert len(claimed) + len(rest) == 6
    assert await store.claim_due(NOW + 29_999, 30_000, 10) == []
    assert len(await store.claim_due(NOW + 60_000, 30_000, 10)) == 6


async def test_an_early_wake_wins_and_a_settled_row_comes_back_at_its_time(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.wake(row.id, NOW + 500)
    await store.wake(row.id, NOW + 100)
    await store.wake(row.id, NOW + 900)
    assert await store.next_due() == NOW + 100
    assert await store.claim_due(NOW + 99, 1000, 10) == []
    (due,) = await store.claim_due(NOW + 100, 1000, 10)
    await store.settle_due(due, NOW + 5000)
    assert await store.next_due() == NOW + 5000
    (due,) = await store.claim_due(NOW + 5000, 1000, 10)
    await store.settle_due(due, None)
    assert await store.next_due() is None


async def test_what_is_written_during_a_look_leaves_the_row_due(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.append(append_of(row, 2, due=NOW))
    (due,) = await store.claim_due(NOW, 1000, 10)
    assert await store.promised([row.id], NOW) == {row.id: NOW}  # somebody looks
    await store.append(append_of(row, 3, due=NOW + 50))
    assert await store.settle_due(due, NOW + 90_000) == NOW
    (due,) = await store.claim_due(NOW, 1000, 10)
    await store.wake(row.id, NOW + 70)
    assert await store.settle_due(due, None) == NOW
    (due,) = await store.claim_due(NOW, 1000, 10)
    assert await store.settle_due(due, NOW + 90_000) == NOW + 90_000
    assert await store.promised([row.id, "nowhere"], NOW) == {row.id: NOW + 90_000}


async def test_an_entry_moves_a_row_that_is_later_and_no_other(store: SqlGameStore) -> None:
    row = await new_game(store)
    for seq, due, at in ((2, NOW + 500, NOW + 500), (3, NOW + 900, NOW + 500), (4, NOW + 100, NOW + 100)):
        await store.append(append_of(row, seq, due=due))
        assert await store.promised([row.id], NOW) == {row.id: at}
    await store.append(append_of(row, 5))
    assert await store.promised([row.id], NOW) == {row.id: NOW + 100}


async def test_a_second_claim_of_a_row_outlives_the_first(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.wake(row.id, NOW)
    (slow,) = await store.claim_due(NOW, 1000, 10)
    (quick,) = await store.claim_due(NOW + 1001, 1000, 10)
    assert await store.settle_due(slow, NOW + 90_000) == NOW  # its lease had ended: another has looked since
    assert await store.settle_due(quick, NOW + 5000) == NOW + 5000


async def test_leases_that_end_together_are_written_together(store: SqlGameStore) -> None:
    games = [await new_game(store) for _ in range(40)]
    for row in games:
        await store.wake(row.id, NOW)
    claimed = await store.claim_due(NOW, 1000, 50)
    await store.wake(claimed[0].game, NOW + 7)  # this one has changed: it stays due
    commits = 0

    def count(_: object) -> None:
        nonlocal commits
        commits += 1

    for engine in (store.engine, store._relaxed):
        event.listen(engine.sync_engine, "commit", count)
    ends = [NOW + 5000 if number % 2 else None for number in range(len(claimed))]
    found = await asyncio.gather(*map(store.settle_due, claimed, ends))
    assert found == [NOW, *ends[1:]]
    assert commits <= 2
    promised = await store.promised([row.id for row in games], NOW)
    assert promised == {due.game: at for due, at in zip(claimed, found, strict=True) if at is not None}


async def test_nobody_claims_a_row_that_an_entry_on_its_way_relies_on(postgres_url: str) -> None:
    """On PostgreSQL a look could begin between the entry's look at the row and its commit."""
    engine = make_engine(postgres_url)
    await upgrade(engine)
    async with open_store(postgres_url, lambda seconds, entries: None, engine) as store:
        row = await new_game(store)
        await store.wake(row.id, NOW)
        writer = PostgresWriter(postgres_url)
        run = await writer._connect()
        async with run.transaction():
            await PostgresWriter._write_rows(run, [append_of(row, 2, due=NOW + 900)])
            assert await store.claim_due(NOW, 1000, 10) == []
        await writer.close()
        assert [due.game for due in await store.claim_due(NOW, 1000, 10)] == [row.id]
    await engine.dispose()


async def test_a_worker_frozen_in_mid_batch_does_not_hold_the_game_for_ever(postgres_url: str) -> None:
    engine = make_engine(postgres_url)
    await upgrade(engine)
    async with open_store(postgres_url, lambda seconds, entries: None, engine) as store:
        row = await new_game(store)
        frozen, other = PostgresWriter(postgres_url), PostgresWriter(postgres_url)
        run = await frozen._connect()
        await run.execute("BEGIN")
        await PostgresWriter._write_rows(run, [append_of(row, 2, "frozen-command")])
        # Waits for the other's row until PostgreSQL has ended that one's session.
        assert await other.write([append_of(row, 2, "other-command")]) == [True]
        with pytest.raises(
            (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
        ):
            await run.execute("COMMIT")
        assert [entry.command for entry in await store.entries(row.id, 1)] == ["other-command"]
        await frozen.close()
        await other.close()
    await engine.dispose()


async def test_a_gap_between_beats_is_an_outage_noted_once(migrated_url: str, store: SqlGameStore) -> None:
    assert await store.heartbeat(NOW, 8000) is None
    assert await store.heartbeat(NOW + 2000, 8000) is None
    async with open_store(migrated_url, lambda seconds, entries: None) as rival:
        found = await asyncio.gather(store.heartbeat(NOW + 60_000, 8000), rival.heartbeat(NOW + 60_001, 8000))
    assert next(outage for outage in found if outage is not None).began == NOW + 2000
    noted = await store.outages(NOW)
    assert len(noted) == 1
    assert noted[0].began == NOW + 2000
    assert await store.outages(NOW + 70_000) == []
    assert isinstance(noted[0], Outage)


async def test_chat_is_numbered_without_gaps_and_a_line_counts_once(store: SqlGameStore) -> None:
    row = await new_game(store)
    lines = await asyncio.gather(*(store.add_chat(line_of(row, f"line-{n:04d}")) for n in range(8)))
    assert sorted(line.n for line in lines) == list(range(1, 9))
    again = await store.add_chat(line_of(row, "line-0003", "changed"))
    assert again.text == "ahoy"
    assert again.n == lines[3].n
    assert [line.n for line in await store.chat(row.id, 0, 100)] == list(range(1, 9))
    assert [line.n for line in await store.chat(row.id, 5, 100)] == [6, 7, 8]
    assert [line.n for line in await store.chat(row.id, 0, 2)] == [7, 8]


async def test_mutes_are_kept_by_room_and_person(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.set_mute(row.id, "p_ann", "p_bo", True)
    await store.set_mute(row.id, "p_ann", "p_bo", True)
    assert await store.mutes(row.id, "p_ann") == {"p_bo"}
    assert await store.mutes(row.id, "p_cy") == frozenset()
    await store.set_mute(row.id, "p_ann", "p_bo", False)
    assert await store.mutes(row.id, "p_ann") == frozenset()


async def test_a_fault_of_ours_is_not_taken_for_an_outage(
    store: SqlGameStore, caplog: pytest.LogCaptureFixture
) -> None:
    for transaction in (store.reading, store.writing):
        with pytest.raises(DBAPIError):
            async with transaction() as run:
                await run.execute(text("SELECT nothing FROM nowhere"))
    with pytest.raises(IntegrityError):
        async with store.writing() as run:
            await run.execute(insert(heads).values(game=None))
    for of_people in (reading, writing):
        with pytest.raises(DBAPIError):
            async with of_people(store.engine) as run:
                await run.execute(text("SELECT nothing FROM nowhere"))
    row = await new_game(store)
    async with store.writing() as run:
        await run.execute(text("ALTER TABLE log RENAME TO elsewhere"))
    with pytest.raises(StoreUnavailable):  # nothing is stored, and so nobody is told it was
        await store.append(append_of(row, 2))
    assert [each.levelname for each in caplog.records if each.name == "cartagena.store"] == ["ERROR"]


async def test_a_database_that_cannot_answer_is_an_outage(migrated_url: str, store: SqlGameStore) -> None:
    is_sqlite = store.engine.dialect.name == "sqlite"
    patience = "PRAGMA busy_timeout = 1" if is_sqlite else "SET LOCAL lock_timeout = 1"
    waits = "UPDATE heads SET seq = seq" if is_sqlite else "LOCK TABLE heads IN ACCESS EXCLUSIVE MODE"

    async def stand_in_line() -> None:
        async with store.writing() as run:
            await run.execute(text(patience))
            await run.execute(text(waits))

    rival = make_engine(migrated_url)  # on SQLite our own transactions wait for their turn
    async with writing(rival) as other:
        await other.execute(text("UPDATE heads SET seq = seq"))
        with pytest.raises(StoreUnavailable):
            await stand_in_line()
    await rival.dispose()
    if not is_sqlite:
        with pytest.raises(StoreUnavailable):
            async with store.reading() as run:
                await run.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
