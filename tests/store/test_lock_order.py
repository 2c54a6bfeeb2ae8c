"""Rows are locked in one order under every collation, so transactions do not deadlock.

The test server sorts "a" < "B" (tools/services/collation.py), Python "B" < "a".
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import AsyncIterator, Callable, Coroutine

import asyncpg
import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from app.play.log.entries import DueRow
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.store import SqlGameStore, open_store
from app.store.people.players import Name, PeopleStore, hash_secret
from tests.databases import at_head
from tests.store.samples import NOW, make_append, new_game
from tools.services import Postgres

FIRST, LAST = "B" * 20, "a" * 20  # in lock order
GAMES = tuple("".join(letters) * 5 for letters in itertools.product("aBcD", repeat=3))
TIMEOUT_SECONDS = 30
_IN_GAMES = "SELECT game FROM due WHERE game = '{}' FOR UPDATE"


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[SqlGameStore]:
    await at_head(postgres_url)
    async with open_store(postgres_url, lambda seconds, entries: None) as opened:
        yield opened


@pytest.fixture
async def rival(store: SqlGameStore, postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of another worker, opened after the tables exist."""
    connection = await asyncpg.connect(make_url(postgres_url).set(drivername="postgresql").render_as_string())
    yield connection
    await connection.close()


async def add_due(store: SqlGameStore, games: tuple[str, ...]) -> dict[str, DueRow]:
    """Add due rows of these games and lease them."""
    for game in games:
        await store.due.schedule(game, NOW)
    return {claimed.game: claimed for claimed in await store.due.claim(NOW, 10**9, len(games))}


async def wait_for_lock(rival: asyncpg.Connection) -> None:
    """Return when a transaction waits for a lock."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not await rival.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110 (another process)
            await asyncio.sleep(0.01)


async def is_locked(rival: asyncpg.Connection, query: str) -> bool:
    try:
        async with rival.transaction():  # a savepoint
            await rival.fetch(f"{query} NOWAIT")
    except asyncpg.LockNotAvailableError:
        return True
    return False


def test_the_test_server_sorts_by_locale(postgres: Postgres) -> None:
    assert postgres.sql("SELECT 'a' < 'B'") == "t"
    assert sorted(["a", "B"]) == ["B", "a"]


async def settle_both(store: SqlGameStore, claimed: dict[str, DueRow]) -> None:
    await asyncio.gather(*(store.due.settle(claimed[game], NOW + 1) for game in (LAST, FIRST)))


async def schedule_both(store: SqlGameStore, claimed: dict[str, DueRow]) -> None:
    await asyncio.gather(*(store.due.schedule(game, NOW - 1) for game in (LAST, FIRST)))


async def append_to_both(store: SqlGameStore, claimed: dict[str, DueRow]) -> None:
    row = await new_game(store)
    appends = [make_append(replace(row, id=game), 2, due=NOW - 1) for game in (LAST, FIRST)]
    assert await asyncio.gather(*map(store.log.append, appends)) == [True, True]


@pytest.mark.parametrize("write", [settle_both, schedule_both, append_to_both])
async def test_due_rows_are_locked_in_the_same_order_by_every_writer(
    store: SqlGameStore,
    rival: asyncpg.Connection,
    write: Callable[[SqlGameStore, dict[str, DueRow]], Coroutine[None, None, None]],
) -> None:
    claimed = await add_due(store, (FIRST, LAST))
    async with rival.transaction():
        await rival.fetch(_IN_GAMES.format(FIRST))
        writing = asyncio.create_task(write(store, claimed))
        await wait_for_lock(rival)
        assert not await is_locked(rival, _IN_GAMES.format(LAST))
    await asyncio.wait_for(writing, TIMEOUT_SECONDS)


async def test_updating_seen_times_waits_for_no_lock(store: SqlGameStore, rival: asyncpg.Connection) -> None:
    people = PeopleStore(store.database)
    made = [
        await people.add_guest(Name(name, name, name, (name,)), "", 1000)
        for name in ("bonny", "read", "teach")
    ]
    sessions = [session for _, session in made]
    held_session, held_player = hash_secret(sessions[0]), made[1][0].id
    async with rival.transaction():
        await rival.fetch("SELECT 1 FROM sessions WHERE hash = $1 FOR UPDATE", held_session)
        await rival.fetch("SELECT 1 FROM players WHERE id = $1 FOR UPDATE", held_player)
        looks = [people.find_by_session(session, 9000, 0) for session in sessions]
        found = await asyncio.wait_for(asyncio.gather(*looks), TIMEOUT_SECONDS)
    assert [player.name for player in found if player is not None] == ["bonny", "read", "teach"]
    seen = {
        row["player"]: row["seen_at"] for row in await rival.fetch("SELECT player, seen_at FROM sessions")
    }
    assert [seen[player.id] for player, _ in made] == [1000, 9000, 9000]
    seen = {row["id"]: row["seen_at"] for row in await rival.fetch("SELECT id, seen_at FROM players")}
    assert [seen[player.id] for player, _ in made] == [9000, 1000, 9000]


async def stress(store: SqlGameStore, rounds: int) -> None:
    """Settle, schedule and append on the same rows concurrently, as two workers would."""
    row = await new_game(store)
    games = [replace(row, id=game) for game in GAMES]
    claimed = await add_due(store, GAMES)

    async def settle() -> None:
        for number in range(rounds):
            mixed = GAMES[number % 7 :] + GAMES[: number % 7]
            await asyncio.gather(*(store.due.settle(claimed[game], NOW + number) for game in mixed))

    async def append() -> None:
        for number in range(rounds):
            # Every row is leased or due later, so each append locks and writes one.
            batch = [make_append(game, 2 + number, due=NOW - number) for game in games]
            assert all(await asyncio.gather(*map(store.log.append, batch)))

    async def schedule() -> None:
        for number in range(rounds):
            await asyncio.gather(
                *(store.due.schedule(game, NOW - rounds - number) for game in reversed(GAMES))
            )

    async with asyncio.timeout(4 * TIMEOUT_SECONDS):
        await asyncio.gather(settle(), append(), schedule())


async def count_deadlocks(rival: asyncpg.Connection) -> int:
    await rival.execute("SELECT pg_stat_force_next_flush()")
    return int(
        await rival.fetchval("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    )


async def test_writers_of_the_same_games_do_not_deadlock(
    store: SqlGameStore, rival: asyncpg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    await stress(store, 40)
    assert await count_deadlocks(rival) == 0
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_database_that_sorts_by_bytes_works_too(postgres: Postgres) -> None:
    name = "sorted_by_bytes"
    postgres.sql(f"CREATE DATABASE {name} TEMPLATE template0 LC_COLLATE 'C'")
    try:
        assert postgres.sql("SELECT 'a' < 'B'", name) == "f"
        await at_head(postgres.url(name))
        async with open_store(postgres.url(name), lambda seconds, entries: None) as store:
            await stress(store, 5)
    finally:
        postgres.drop_database(name)


async def test_batch_rolled_back_by_a_deadlock_is_retried(
    store: SqlGameStore, rival: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In case another program locks rows in another order."""
    row = await new_game(store)
    write_rows = PostgresWriter._write_rows
    failed: list[object] = []

    async def fail_once(conn: object, part: object) -> None:
        if not failed:
            failed.append(part)
            raise asyncpg.DeadlockDetectedError("deadlock detected")
        await write_rows(conn, part)  # type: ignore[arg-type]

    monkeypatch.setattr(PostgresWriter, "_write_rows", staticmethod(fail_once))
    assert await store.log.append(make_append(row, 2)) is True
    assert len(failed) == 1


async def test_transaction_rolled_back_by_a_deadlock_is_retried(
    store: SqlGameStore, rival: asyncpg.Connection
) -> None:
    """A real deadlock: `work` and the rival lock two rows in opposite order, and PostgreSQL aborts `work`."""
    await add_due(store, (FIRST, LAST))
    attempts = 0
    has_first = asyncio.Event()
    loop = asyncio.get_running_loop()

    def work(conn: Connection) -> int:
        nonlocal attempts
        attempts += 1
        conn.execute(
            text("SET LOCAL deadlock_timeout = '10ms'")
        )  # this transaction detects the deadlock first
        conn.execute(text(_IN_GAMES.format(FIRST)))
        loop.call_soon(has_first.set)
        conn.execute(text(_IN_GAMES.format(LAST)))
        return attempts

    async with rival.transaction():
        await rival.fetch(_IN_GAMES.format(LAST))
        working = asyncio.create_task(store.database.write(work))
        await has_first.wait()
        await rival.fetch(_IN_GAMES.format(FIRST))
    assert await asyncio.wait_for(working, TIMEOUT_SECONDS) == 2
