"""The PostgreSQL log writer: a batch is one statement, and each row's outcome is known or looked up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from app.play.log.entries import Append, Entry, GameRow, SeatRow
from app.store.database import open_database
from app.store.games.log_rows import BatchFailed, CommitUnknown
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.store import SqlGameStore, open_store
from app.store.migrate import upgrade
from tests.store.samples import NOW, make_append, make_seated, new_game


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[SqlGameStore]:
    database = open_database(postgres_url)
    await upgrade(database)
    async with open_store(postgres_url, lambda seconds, entries: None, database) as opened:
        yield opened
    await database.close()


@pytest.fixture
async def writer(postgres_url: str, store: SqlGameStore) -> AsyncIterator[PostgresWriter]:
    opened = PostgresWriter(postgres_url)
    yield opened
    await opened.close()


@asynccontextmanager
async def statements(writer: PostgresWriter) -> AsyncIterator[list[str]]:
    """Yield the list of statements that the writer sends."""
    found: list[str] = []
    with (await writer._connect()).query_logger(lambda record: found.append(record.query)):
        yield found
        await asyncio.sleep(0)  # the driver reports a statement one event-loop iteration later


def move(row: GameRow, seq: int, command: str | None = None, due: int | None = None) -> Append:
    entry = Entry(row.id, seq, "action", 0, {"say": 'a "\\" and a ☠'}, "person", NOW + seq, command, "p_ann")
    return Append(entry, "running", "1", NOW + 9, due)


async def test_batch_of_moves_is_one_statement(store: SqlGameStore, writer: PostgresWriter) -> None:
    rows = [await new_game(store) for _ in range(12)]
    batch = [move(row, 2, due=NOW + 5 if number % 2 else None) for number, row in enumerate(rows)]
    async with statements(writer) as asked:
        assert await writer.write(batch) == [True] * 12
    assert len(asked) == 1
    for append, row in zip(batch, rows, strict=True):
        assert await store.log.read_entries(row.id, 1) == [append.entry]
        head = await store.log.read_game(row.id)
        assert head is not None
        # A move does not change the status, whatever its `status` is.
        assert (head.seq, head.to_act, head.deadline, head.updated_at, head.status) == (
            *(2, "1", NOW + 9, NOW + 2),
            "open",
        )
    assert await store.due.read_due_times([row.id for row in rows], NOW) == {
        row.id: NOW + 5 for row in rows[1::2]
    }


async def test_batch_with_summaries_is_one_statement(store: SqlGameStore, writer: PostgresWriter) -> None:
    rows = [await new_game(store) for _ in range(4)]
    batch = [
        move(rows[0], 2),
        make_append(rows[1], 2),
        make_seated(rows[2], 2, "p_bo"),
        make_seated(rows[3], 2, "p_cy"),
    ]
    async with statements(writer) as asked:
        assert await writer.write(batch) == [True] * 4
    assert len(asked) == 1
    found = [await store.log.read_game(row.id) for row in rows]
    assert [game and game.status for game in found] == ["open", "open", "running", "running"]
    people = [[seat.person for seat in game.summary.seats] for game in found if game and game.summary]
    assert people == [[], [], ["p_bo"], ["p_cy"]]


async def test_seats_match_the_last_summary(store: SqlGameStore, writer: PostgresWriter) -> None:
    row, other = await new_game(store), await new_game(store)
    await writer.write([make_seated(other, 2, "p_di")])

    async def sit(seq: int, *seats: SeatRow) -> tuple[SeatRow, ...]:
        append = make_seated(row, seq, "p_bo")
        assert append.summary is not None
        summary = append.summary.__class__(
            **{field: getattr(append.summary, field) for field in append.summary.__struct_fields__}
            | {"seats": seats}
        )
        assert await writer.write([Append(append.entry, "open", "", None, None, summary)]) == [True]
        game = await store.log.read_game(row.id)
        assert game is not None
        assert game.summary is not None
        return game.summary.seats

    bo, bot = SeatRow(0, "p_bo", None, "red", None), SeatRow(1, None, "Anne", "blue", "easy")
    for seq, seats in enumerate(
        [(bo, bot), (bot,), (SeatRow(1, None, "Mary", "green", "hard", 1), bo), ()], 2
    ):
        assert await sit(seq, *seats) == tuple(sorted(seats, key=lambda seat: seat.seat))
    neighbour = await store.log.read_game(other.id)
    assert neighbour is not None
    assert neighbour.summary is not None
    assert [seat.person for seat in neighbour.summary.seats] == ["p_di"]


async def test_rows_that_lost_a_race_are_left_out_and_the_others_written(
    store: SqlGameStore, writer: PostgresWriter
) -> None:
    rows = [await new_game(store) for _ in range(6)]
    await writer.write([move(rows[1], 2, "theirs"), move(rows[4], 2, "theirs")])
    async with statements(writer) as asked:
        batch = [move(row, 2, "ours") for row in rows]
        assert await writer.write(batch) == [True, False, True, True, False, True]
    assert len(asked) == 3  # the failed attempt, the query for taken numbers, the retry
    heads = await store.log.read_heads([row.id for row in rows])
    assert [heads[row.id] for row in rows] == [2] * 6
    assert [entry.command for entry in await store.log.read_entries(rows[1].id, 1)] == ["theirs"]


async def test_two_entries_of_a_game_leave_the_later_head(
    store: SqlGameStore, writer: PostgresWriter
) -> None:
    row, other = await new_game(store), await new_game(store)
    assert await writer.write([move(row, 4), move(other, 2), move(row, 3), move(row, 2)]) == [True] * 4
    assert await store.log.read_heads([row.id, other.id]) == {row.id: 4, other.id: 2}
    assert [entry.seq for entry in await store.log.read_entries(row.id)] == [1, 2, 3, 4]


async def test_connection_lost_in_mid_statement_makes_the_outcome_unknown(
    postgres_url: str, store: SqlGameStore, writer: PostgresWriter
) -> None:
    row = await new_game(store)
    other = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    pid = (await writer._connect()).get_server_pid()
    async with other.transaction():
        await other.execute("SELECT 1 FROM heads WHERE game = $1 FOR UPDATE", row.id)
        writing = asyncio.ensure_future(writer.write([move(row, 2)]))
        for _ in range(2000):
            if await other.fetchval("SELECT 1 FROM pg_locks WHERE pid = $1 AND NOT granted", pid):
                break
            await asyncio.sleep(0.01)
        await other.execute("SELECT pg_terminate_backend($1)", pid)
        with pytest.raises(CommitUnknown):
            await writing
    await other.close()
    assert await writer.look_up([move(row, 2)]) == [None]
    assert await writer.write([move(row, 2)]) == [True]
    assert await writer.look_up([move(row, 2), move(row, 3)]) == [True, None]


async def test_rollback_by_postgresql_is_a_known_failure(
    postgres_url: str, store: SqlGameStore, writer: PostgresWriter
) -> None:
    row = await new_game(store)
    other = await asyncpg.connect(postgres_url.replace("+asyncpg", ""))
    await other.execute("ALTER TABLE heads ADD CHECK (to_act <> '1')")
    with pytest.raises(BatchFailed) as failed:
        await writer.write([move(row, 2)])
    assert failed.value.is_row_error
    await other.execute("ALTER TABLE heads DROP CONSTRAINT heads_to_act_check")
    await other.close()
    assert [entry.seq for entry in await store.log.read_entries(row.id)] == [1]
    assert await writer.write([move(row, 2)]) == [True]
