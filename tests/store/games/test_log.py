"""The log: durable on return, one winner per seq, an outcome for every row."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import delete, insert, update

from app.play.ports import StoreUnavailable
from app.store.database import SqliteDatabase
from app.store.games.group_commit import GroupCommit
from app.store.games.log_rows import Batch, BatchFailed, BatchWriter, CommitUnknown, Outcome
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import SqlGameStore, open_store
from app.store.tables.games import games
from app.store.tables.people import players
from tests.databases import begin
from tests.store.samples import NOW, make_append, make_seated, new_game
from tests.store.statements import captured_statements


def writer_for(store: SqlGameStore, url: str) -> BatchWriter:
    database = store.database
    return SqliteWriter(database) if isinstance(database, SqliteDatabase) else PostgresWriter(url)


async def test_appended_entries_are_read_back_unchanged(store: SqlGameStore) -> None:
    row = await new_game(store, title="Ann’s table")
    append = make_append(row, 2, "command-1", status="running", to_act="0,1", deadline=NOW + 5)
    assert await store.log.append(append) is True
    entries = await store.log.read_entries(row.id)
    assert [entry.kind for entry in entries] == ["created", "ready"]
    assert entries[1] == append.entry
    assert await store.log.read_entries(row.id, 1) == [append.entry]
    head = await store.log.read_game(row.id)
    assert head is not None
    assert (head.seq, head.status, head.to_act, head.deadline) == (2, "running", "0,1", NOW + 5)
    assert head.terms["title"] == "Ann’s table"
    assert await store.log.read_heads([row.id, "nowhere"]) == {row.id: 2}
    assert await store.log.read_heads([row.id, "nowhere"], [1, 7]) == {row.id: 2}
    assert await store.log.read_heads([row.id], [2]) == await store.log.read_heads([]) == {}
    assert await store.log.read_game("nowhere") is None


async def test_a_game_is_read_with_the_present_names_and_last_visits_of_its_players(
    store: SqlGameStore,
) -> None:
    row = await new_game(store)
    assert await store.log.append(make_seated(row, 2, "p_guest"))
    common = {"is_bot": False, "made_at": 1}
    account = {"id": "p_ann", "name": "Ann", "skeleton": "ann", "is_account": True, "seen_at": 900, **common}
    guest = {
        "id": "p_guest",
        "name": "Guest",
        "skeleton": "guest",
        "is_account": False,
        "seen_at": 7,
        **common,
    }
    for claimed_by, expected in ((None, ("Guest", 7)), ("p_ann", ("Ann", 900))):
        async with begin(store.database) as run:
            await run.execute(delete(players))
            await run.execute(insert(players).values(**account))
            await run.execute(insert(players).values(**guest, claimed_by=claimed_by))
        game = await store.log.read_game(row.id)
        assert game is not None
        assert game.summary is not None
        assert (game.summary.seats[0].name, game.summary.seats[0].seen_at) == expected


async def test_lost_race_for_a_seq_fails_only_that_row(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(20)]
    assert await store.log.append(make_append(rows[3], 2)) is True
    outcomes = await asyncio.gather(*(store.log.append(make_append(row, 2)) for row in rows))
    assert [n for n, is_ours in enumerate(outcomes) if not is_ours] == [3]
    assert set((await store.log.read_heads([row.id for row in rows])).values()) == {2}


async def test_race_of_two_stores_for_a_seq_has_one_winner(migrated_url: str, store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(10)]
    async with open_store(migrated_url, lambda seconds, entries: None) as rival:
        for seq in range(2, 8):
            ours, theirs = await asyncio.gather(
                asyncio.gather(*(store.log.append(make_append(row, seq, f"ours-{seq:04d}")) for row in rows)),
                asyncio.gather(
                    *(rival.log.append(make_append(row, seq, f"theirs-{seq:04d}")) for row in rows)
                ),
            )
            assert all(a != b for a, b in zip(ours, theirs, strict=True))
    for row in rows:
        assert [entry.seq for entry in await store.log.read_entries(row.id)] == list(range(1, 8))


async def test_summary_updates_lists(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.log.append(make_seated(row, 2, "p_bo"))
    found = await store.lists.list_games_of(["p_bo"], unfinished=True, limit=10)
    assert [game.id for game in found] == [row.id]
    assert found[0].summary is not None
    assert [seat.person for seat in found[0].summary.seats] == ["p_bo"]
    assert await store.lists.list_games_of(["p_bo"], unfinished=False, limit=10) == []
    assert [game.id for game in await store.lists.list_games("watch", 10)] == [row.id]
    assert await store.lists.list_games("open", 10) == []


async def test_a_row_that_cannot_be_decoded_is_missing_from_lists(
    store: SqlGameStore, caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = await new_game(store), await new_game(store)
    for row in (good, bad):
        await store.log.append(make_seated(row, 2, "p_bo"))
    async with begin(store.database) as conn:
        await conn.execute(update(games).where(games.c.id == bad.id).values(terms="{"))
    found = await store.lists.list_games_of(["p_bo"], unfinished=True, limit=10)
    assert [game.id for game in found] == [good.id]
    assert bad.id in caplog.text


async def test_turns_of_a_person_are_found_without_reading_finished_games(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(3)]
    for row in rows:
        await store.log.append(make_seated(row, 2, "p_bo"))
    await store.log.append(make_append(rows[1], 3, "command-1", status="running", to_act="1"))
    turns = await store.lists.list_turns_of(["p_bo", "p_other"], 10)
    assert {turn.game: turn.is_waiting for turn in turns} == dict(
        zip((row.id for row in rows), (True, False, True), strict=True)
    )
    assert len(await store.lists.list_turns_of(["p_bo"], 2)) == 2
    assert await store.lists.list_turns_of(["p_ann"], 10) == []
    if isinstance(store.database, SqliteDatabase):
        async with begin(store.database) as conn:  # figures for the planner: most seats have a place
            await conn.exec_driver_sql(
                "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)"
                " INSERT INTO seats (game, seat, person, name, colour, place)"
                f" SELECT '{rows[0].id}', 10 + n, 'p_bo', 'x', 'x', 1 FROM numbers"
            )
            await conn.exec_driver_sql("ANALYZE")
        with captured_statements() as seen:
            await store.lists.list_turns_of(["p_bo"], 10)
        plan = await store.database.read(
            lambda conn: conn.exec_driver_sql(
                f"EXPLAIN QUERY PLAN {seen[-1]}", ("p_bo", "open", "running", 10, 0)[: seen[-1].count("?")]
            ).all()
        )
        assert "seats_without_place" in str(plan)


async def test_reading_heads_returns_only_newer_ones(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(5)]
    await store.log.append(make_append(rows[3], 2))
    many = [row.id for row in rows] + [f"elsewhere{number}" for number in range(40_000)]
    with captured_statements() as asked:
        assert await store.log.read_heads(many, [1] * len(many)) == {rows[3].id: 2}
    assert len(asked) == 1


async def test_closing_the_store_writes_pending_appends(migrated_url: str) -> None:
    async with open_store(migrated_url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        waiting = [asyncio.ensure_future(store.log.append(make_append(row, seq))) for seq in range(2, 6)]
        await asyncio.sleep(0)
    assert [await pending for pending in waiting] == [True] * 4


class FaultyWriter:
    """A writer that loses the reply to a commit, or never sends it."""

    def __init__(self, real: BatchWriter) -> None:
        self.real = real
        self.fault = ""
        self.lookups_that_fail = 0

    async def write(self, batch: Batch) -> Outcome:
        if self.fault == "before":
            raise BatchFailed(OSError("gone"))
        if self.fault == "lost commit":
            raise CommitUnknown("gone")
        if self.fault == "bad row" and any(append.entry.command == "poisoned" for append in batch):
            raise BatchFailed(ValueError("bad"), is_row_error=True)
        outcome = await self.real.write(batch)
        if self.fault == "lost answer":
            raise CommitUnknown("gone")
        return outcome

    async def look_up(self, batch: Batch) -> list[bool | None]:
        if self.lookups_that_fail:
            self.lookups_that_fail -= 1
            raise BatchFailed(OSError("still gone"))
        return await self.real.look_up(batch)

    async def close(self) -> None:
        await self.real.close()


@asynccontextmanager
async def faulty(store: SqlGameStore, url: str) -> AsyncIterator[tuple[GroupCommit, FaultyWriter]]:
    writer = FaultyWriter(writer_for(store, url))
    commit = GroupCommit(writer, lambda seconds, entries: None)
    try:
        yield commit, writer
    finally:
        await commit.close()


async def test_commit_with_unknown_outcome_is_looked_up_before_callers_get_a_result(
    migrated_url: str, store: SqlGameStore
) -> None:
    mine, theirs = await new_game(store), await new_game(store)
    await store.log.append(make_append(theirs, 2, "somebody-else"))
    async with faulty(store, migrated_url) as (commit, writer):
        writer.fault, writer.lookups_that_fail = "lost answer", 2
        outcomes = await asyncio.gather(
            commit.append(make_append(mine, 2, "my-command")),
            commit.append(make_append(theirs, 2, "my-command")),
        )
        assert list(outcomes) == [True, False]
        writer.fault = "lost commit"
        with pytest.raises(StoreUnavailable):
            await commit.append(make_append(mine, 3, "my-second"))
        writer.fault = ""
        assert await commit.append(make_append(mine, 3, "my-second")) is True


async def test_bad_row_fails_alone_and_an_outage_fails_the_whole_batch(
    migrated_url: str, store: SqlGameStore
) -> None:
    rows = [await new_game(store) for _ in range(4)]
    async with faulty(store, migrated_url) as (commit, writer):
        writer.fault = "bad row"
        names = ["good-one-1", "poisoned", "good-one-2", "good-one-3"]
        futures = [commit.append(make_append(row, 2, name)) for row, name in zip(rows, names, strict=True)]
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert [result is True for result in results] == [True, False, True, True]
        assert isinstance(results[1], StoreUnavailable)
        writer.fault = "before"
        results = await asyncio.gather(
            *(commit.append(make_append(row, 3)) for row in rows), return_exceptions=True
        )
        assert all(isinstance(result, StoreUnavailable) for result in results)
        writer.fault = ""
        assert await commit.append(make_append(rows[0], 3)) is True


async def test_waiting_rooms_share_a_commit(migrated_url: str, store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(60)]
    sizes: list[int] = []
    commit = GroupCommit(writer_for(store, migrated_url), lambda seconds, entries: sizes.append(entries))
    await asyncio.gather(*(commit.append(make_append(row, 2)) for row in rows))
    await commit.close()
    assert sum(sizes) == 60
    assert len(sizes) <= 3
    with pytest.raises(StoreUnavailable):
        await commit.append(make_append(rows[0], 3))
