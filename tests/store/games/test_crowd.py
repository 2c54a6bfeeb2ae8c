"""Concurrent creation and loading of many games."""

from __future__ import annotations

import asyncio

from app.play.create import new_table
from app.play.engines import CURRENT_RULES_VERSION
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import MAX_CONCURRENT_LOG_READS
from app.play.log.terms import Terms
from app.play.ports import GameExists
from app.store.games.store import SqlGameStore
from tests.store.samples import NOW, make_append, make_line, new_game, read_next_due
from tests.store.statements import captured_statements

CROWD = 50


def new_table_rows(creator: str, game: str | None = None) -> tuple[GameRow, Entry]:
    terms = Terms()
    return new_table(
        creator, {"preset": "jamaica", "players": 2}, terms, ["mate"], NOW, CURRENT_RULES_VERSION, game
    )


async def test_fifty_new_tables_take_few_statements(store: SqlGameStore) -> None:
    new = [new_table_rows(f"p{n}") for n in range(CROWD)]
    with captured_statements() as statements:
        made = await asyncio.gather(
            *(store.log.create(row, entry, ((row.creator,), 3), NOW + 5) for row, entry in new)
        )
    assert made == [True] * CROWD
    assert len(statements) <= 8, statements
    for row, entry in new:
        assert await store.log.read_game(row.id) == row
        assert await store.log.read_entries(row.id) == [entry]
    assert await read_next_due(store) == NOW + 5


async def test_limit_holds_for_tables_created_concurrently(store: SqlGameStore) -> None:
    """A person with two ids, one of which has a table already, and another person in the same batch."""
    await new_game(store, "old")
    limit = (("new", "old"), 3)
    rows = [new_table_rows("new") for _ in range(4)]
    made = await asyncio.gather(
        *(store.log.create(row, entry, limit) for row, entry in rows),
        store.log.create(*new_table_rows("other"), (("other",), 3)),
    )
    assert made == [True, True, False, False, True]
    assert await store.log.read_game(rows[3][0].id) is None


async def test_concurrent_creation_with_one_id_creates_one_table(store: SqlGameStore) -> None:
    first, second, other = new_table_rows("a", "same"), new_table_rows("a", "same"), new_table_rows("b")
    made = await asyncio.gather(
        *(store.log.create(row, entry) for row, entry in (first, second, other)), return_exceptions=True
    )
    assert made[0] is True
    assert isinstance(made[1], GameExists)
    assert made[2] is True
    assert await store.log.read_game("same") == first[0]


async def test_concurrent_reads_of_rooms_chat_and_mutes_are_batched(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(CROWD)]
    for row in rows[:3]:
        await store.log.append(make_append(row, 2, "c2"))
        await store.chat.add_line(make_line(row, "one"))
        await store.chat.add_line(make_line(row, "two"))
    await store.chat.set_mute(rows[1].id, "p_ann", "p_bo", True)
    with captured_statements() as statements:
        games = await asyncio.gather(
            *(store.log.read_game(row.id) for row in rows), store.log.read_game("nowhere")
        )
        logs = await asyncio.gather(*(store.log.read_entries(row.id, 0, 256) for row in rows))
        lines = await asyncio.gather(*(store.chat.read_lines(row.id, 0, 60) for row in rows))
        mutes = await asyncio.gather(*(store.chat.read_mutes(row.id, "p_ann") for row in rows))
    assert [game and game.id for game in games] == [*(row.id for row in rows), None]
    assert [len(log) for log in logs] == [2, 2, 2, *[1] * (CROWD - 3)]
    assert [[line.n for line in of_room] for of_room in lines] == [[1, 2]] * 3 + [[]] * (CROWD - 3)
    assert [bool(muted) for muted in mutes] == [False, True, *[False] * (CROWD - 2)]
    assert len(statements) <= 4 + -(-CROWD // MAX_CONCURRENT_LOG_READS), statements


async def test_pages_of_different_logs_are_not_mixed_up(store: SqlGameStore) -> None:
    row, other = await new_game(store), await new_game(store)
    for each in (row, other):
        for seq in range(2, 8):
            await store.log.append(make_append(each, seq))
    asked = ((row.id, 0, 3), (row.id, 3, 3), (other.id, 5, 10), (other.id, 0, 3), (row.id, 7, 3))
    pages = await asyncio.gather(*(store.log.read_entries(*page) for page in asked))
    assert [[entry.seq for entry in page] for page in pages] == [[1, 2, 3], [4, 5, 6], [6, 7], [1, 2, 3], []]
    assert [page[0].game for page in pages[:4]] == [row.id, row.id, other.id, other.id]


async def test_scheduling_fifty_rooms_is_one_statement(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(CROWD)]
    with captured_statements() as statements:
        await asyncio.gather(
            *(store.due.schedule(row.id, NOW + at) for at, row in enumerate(rows, 1)),
            store.due.schedule(rows[9].id, NOW),
        )
    assert sum(statement.startswith("INSERT") for statement in statements) == 1, statements
    assert await read_next_due(store) == NOW
