"""Many tables opened, and many rooms loaded, in the same moment."""

from __future__ import annotations

import asyncio

from app.play.create import new_table
from app.play.engines import CURRENT
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import ROOMS_AT_ONCE
from app.play.log.terms import Terms
from app.play.ports import GameExists
from app.store.games.store import SqlGameStore
from tests.store.samples import NOW, append_of, line_of, new_game
from tests.store.statements import counted

CROWD = 50


def opened(creator: str, game: str | None = None) -> tuple[GameRow, Entry]:
    terms = Terms()
    return new_table(creator, {"preset": "jamaica", "players": 2}, terms, ["mate"], NOW, CURRENT, game)


async def test_fifty_new_tables_are_a_few_statements(store: SqlGameStore) -> None:
    new = [opened(f"p{n}") for n in range(CROWD)]
    with counted() as statements:
        made = await asyncio.gather(
            *(store.create(row, entry, ((row.creator,), 3), NOW + 5) for row, entry in new)
        )
    assert made == [True] * CROWD
    assert len(statements) <= 8, statements
    for row, entry in new:
        assert await store.game(row.id) == row
        assert await store.entries(row.id) == [entry]
    assert await store.next_due() == NOW + 5


async def test_the_limit_holds_for_tables_of_one_moment(store: SqlGameStore) -> None:
    """A person with two ids, of which one has a table already; and somebody else among them."""
    await new_game(store, "old")
    limit = (("new", "old"), 3)
    rows = [opened("new") for _ in range(4)]
    made = await asyncio.gather(
        *(store.create(row, entry, limit) for row, entry in rows),
        store.create(*opened("other"), (("other",), 3)),
    )
    assert made == [True, True, False, False, True]
    assert await store.game(rows[3][0].id) is None


async def test_one_id_twice_in_one_moment_is_one_table(store: SqlGameStore) -> None:
    first, second, other = opened("a", "same"), opened("a", "same"), opened("b")
    made = await asyncio.gather(
        *(store.create(row, entry) for row, entry in (first, second, other)), return_exceptions=True
    )
    assert made[0] is True
    assert isinstance(made[1], GameExists)
    assert made[2] is True
    assert await store.game("same") == first[0]


async def test_rooms_chat_and_mutes_of_a_crowd_are_read_in_batches(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(CROWD)]
    for row in rows[:3]:
        await store.append(append_of(row, 2, "c2"))
        await store.add_chat(line_of(row, "one"))
        await store.add_chat(line_of(row, "two"))
    await store.set_mute(rows[1].id, "p_ann", "p_bo", True)
    with counted() as statements:
        games = await asyncio.gather(*(store.game(row.id) for row in rows), store.game("nowhere"))
        logs = await asyncio.gather(*(store.entries(row.id, 0, 256) for row in rows))
        lines = await asyncio.gather(*(store.chat(row.id, 0, 60) for row in rows))
        mutes = await asyncio.gather(*(store.mutes(row.id, "p_ann") for row in rows))
    assert [game and game.id for game in games] == [*(row.id for row in rows), None]
    assert [len(log) for log in logs] == [2, 2, 2, *[1] * (CROWD - 3)]
    assert [[line.n for line in each] for each in lines] == [[1, 2]] * 3 + [[]] * (CROWD - 3)
    assert [bool(each) for each in mutes] == [False, True, *[False] * (CROWD - 2)]
    assert len(statements) <= 4 + -(-CROWD // ROOMS_AT_ONCE), statements


async def test_pages_of_different_logs_are_not_mixed_up(store: SqlGameStore) -> None:
    row, other = await new_game(store), await new_game(store)
    for each in (row, other):
        for seq in range(2, 8):
            await store.append(append_of(each, seq))
    asked = ((row.id, 0, 3), (row.id, 3, 3), (other.id, 5, 10), (other.id, 0, 3), (row.id, 7, 3))
    pages = await asyncio.gather(*(store.entries(*each) for each in asked))
    assert [[entry.seq for entry in page] for page in pages] == [[1, 2, 3], [4, 5, 6], [6, 7], [1, 2, 3], []]
    assert [page[0].game for page in pages[:4]] == [row.id, row.id, other.id, other.id]


async def test_fifty_rooms_that_wake_the_sweeper_are_one_statement(store: SqlGameStore) -> None:
    rows = [await new_game(store) for _ in range(CROWD)]
    with counted() as statements:
        await asyncio.gather(
            *(store.wake(row.id, NOW + at) for at, row in enumerate(rows, 1)), store.wake(rows[9].id, NOW)
        )
    assert sum(statement.startswith("INSERT") for statement in statements) == 1, statements
    assert await store.next_due() == NOW
