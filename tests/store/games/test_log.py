"""The log: durable on return, one winner a number, every row with its own outcome, nothing lost unknown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.play.ports import StoreUnavailable
from app.store.engine import is_sqlite, sqlite_file
from app.store.games.group_commit import GroupCommit
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.rows import Batch, BatchFailed, BatchWriter, CommitUnknown, Outcome
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import SqlGameStore, open_store
from tests.store.samples import NOW, append_of, new_game, seated
from tests.store.statements import counted


def writer_for(url: str) -> BatchWriter:
    return SqliteWriter(sqlite_file(url)) if is_sqlite(url) else PostgresWriter(url)


async def test_what_was_appended_is_read_back_as_it_was(store: SqlGameStore) -> None:
    row = await new_game(store, title="Ann’s table")
    append = append_of(row, 2, "command-1", status="running", to_act="0,1", deadline=NOW + 5)
    assert await store.append(append) is True
    entries = await store.entries(row.id)
    assert [entry.kind for entry in entries] == ["created", "ready"]
    assert entries[1] == append.entry
    assert await store.entries(row.id, 1) == [append.entry]
    head = await store.game(row.id)
    assert head is not None
    assert (head.seq, head.status, head.to_act, head.deadline) == (2, "running", "0,1", NOW + 5)
    assert head.terms["title"] == "Ann’s table"
    assert await store.heads([row.id, "nowhere"]) == {row.id: 2}
    assert await store.heads([row.id, "nowhere"], [1, 7]) == {row.id: 2}
    assert await store.heads([row.id], [2]) == await store.heads([]) == {}
    assert await store.game("nowhere") is None


async def test_one_lost_race_fails_no_other_row(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(20)]
    assert await store.append(append_of(rows[3], 2)) is True
    outcomes = await asyncio.gather(*(store.append(append_of(row, 2)) for row in rows))
    assert [n for n, is_ours in enumerate(outcomes) if not is_ours] == [3]
    assert set((await store.heads([row.id for row in rows])).values()) == {2}


async def test_two_stores_racing_for_one_number_have_one_winner(
    migrated_url: str, store: SqlGameStore
) -> None:
    rows = [await new_game(store) for _ in range(10)]
    async with open_store(migrated_url, lambda seconds, entries: None) as rival:
        for seq in range(2, 8):
            ours, theirs = await asyncio.gather(
                asyncio.gather(*(store.append(append_of(row, seq, f"ours-{seq:04d}")) for row in rows)),
                asyncio.gather(*(rival.append(append_of(row, seq, f"theirs-{seq:04d}")) for row in rows)),
            )
            assert all(a != b for a, b in zip(ours, theirs, strict=True))
    for row in rows:
        assert [entry.seq for entry in await store.entries(row.id)] == list(range(1, 8))


async def test_a_summary_moves_what_lists_show(store: SqlGameStore) -> None:
    row = await new_game(store)
    await store.append(seated(row, 2, "p_bo"))
    found = await store.games_of(["p_bo"], unfinished=True, limit=10)
    assert [game.id for game in found] == [row.id]
    assert found[0].summary is not None
    assert [seat.person for seat in found[0].summary.seats] == ["p_bo"]
    assert await store.games_of(["p_bo"], unfinished=False, limit=10) == []
    assert [game.id for game in await store.games_listed("watch", 10)] == [row.id]
    assert await store.games_listed("open", 10) == []


async def test_comparing_many_heads_brings_back_those_that_are_behind(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(5)]
    await store.append(append_of(rows[3], 2))
    many = [row.id for row in rows] + [f"elsewhere{number}" for number in range(40_000)]
    with counted() as asked:
        assert await store.heads(many, [1] * len(many)) == {rows[3].id: 2}
    assert len(asked) == 1


async def test_closing_the_store_finishes_what_was_begun(migrated_url: str) -> None:
    async with open_store(migrated_url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        waiting = [asyncio.ensure_future(store.append(append_of(row, seq))) for seq in range(2, 6)]
        await asyncio.sleep(0)
    assert [await each for each in waiting] == [True] * 4


class Faulty:
    """A writer that loses the answer of a commit, or never sends it."""

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
            raise BatchFailed(ValueError("bad"), is_row=True)
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
async def faulty(url: str) -> AsyncIterator[tuple[GroupCommit, Faulty]]:
    writer = Faulty(writer_for(url))
    commit = GroupCommit(writer, lambda seconds, entries: None)
    try:
        yield commit, writer
    finally:
        await commit.close()


async def test_an_unknown_commit_is_looked_up_before_anyone_is_answered(
    migrated_url: str, store: SqlGameStore
) -> None:
    mine, theirs = await new_game(store), await new_game(store)
    await store.append(append_of(theirs, 2, "somebody-else"))
    async with faulty(migrated_url) as (commit, writer):
        writer.fault, writer.lookups_that_fail = "lost answer", 2
        outcomes = await asyncio.gather(
            commit.append(append_of(mine, 2, "my-command")), commit.append(append_of(theirs, 2, "my-command"))
        )
        assert list(outcomes) == [True, False]
        writer.fault = "lost commit"
        with pytest.raises(StoreUnavailable):
            await commit.append(append_of(mine, 3, "my-second"))
        writer.fault = ""
        assert await commit.append(append_of(mine, 3, "my-second")) is True


async def test_a_bad_row_fails_alone_and_a_dead_database_fails_all_at_once(
    migrated_url: str, store: SqlGameStore
) -> None:
    rows = [await new_game(store) for _ in range(4)]
    async with faulty(migrated_url) as (commit, writer):
        writer.fault = "bad row"
        names = ["good-one-1", "poisoned", "good-one-2", "good-one-3"]
        futures = [commit.append(append_of(row, 2, name)) for row, name in zip(rows, names, strict=True)]
        results = await asyncio.gather(*futures, return_exceptions=True)
        assert [result is True for result in results] == [True, False, True, True]
        assert isinstance(results[1], StoreUnavailable)
        writer.fault = "before"
        results = await asyncio.gather(
            *(commit.append(append_of(row, 3)) for row in rows), return_exceptions=True
        )
        assert all(isinstance(result, StoreUnavailable) for result in results)
        writer.fault = ""
        assert await commit.append(append_of(rows[0], 3)) is True


async def test_many_waiting_rooms_share_a_commit(migrated_url: str, store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(60)]
    sizes: list[int] = []
    commit = GroupCommit(writer_for(migrated_url), lambda seconds, entries: sizes.append(entries))
    await asyncio.gather(*(commit.append(append_of(row, 2)) for row in rows))
    await commit.close()
    assert sum(sizes) == 60
    assert len(sizes) <= 3
    with pytest.raises(StoreUnavailable):
        await commit.append(append_of(rows[0], 3))
