"""Connections: so many and no more at SQLite; at PostgreSQL no round trips that nobody needs, and no dead ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store import engine as engines
from app.store.engine import make_engine
from app.store.transactions import Queries

ONE = text("SELECT 1")


async def test_a_crowd_shares_a_few_connections_that_stay_open(sqlite_url: str) -> None:
    engine = make_engine(sqlite_url)
    opened: list[object] = []
    event.listen(engine.sync_engine, "connect", lambda connection, _: opened.append(connection))

    async def ask(number: int) -> int:
        async with engine.connect() as run:
            return int((await run.execute(text("SELECT :number"), {"number": number})).scalar_one())

    try:
        for _ in range(3):
            assert await asyncio.gather(*map(ask, range(40))) == list(range(40))
        assert len(opened) <= 5
    finally:
        await engine.dispose()


@pytest.fixture
async def postgres_engine(postgres_url: str) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(postgres_url)
    yield engine
    await engine.dispose()


def unasked(engine: AsyncEngine) -> list[str]:
    """What goes to PostgreSQL beside the statements that somebody wrote."""
    found: list[str] = []

    def listen(connection: Any, _: object) -> None:
        connection.driver_connection.add_query_logger(lambda record: found.append(record.query))

    event.listen(engine.sync_engine, "connect", listen)
    return found


async def test_reading_is_one_round_trip(postgres_engine: AsyncEngine) -> None:
    queries = Queries(postgres_engine)
    await queries.rows(ONE)  # SQLAlchemy asks its first connection several things
    await postgres_engine.dispose()
    beside = unasked(postgres_engine)
    for _ in range(3):
        await queries.rows(ONE)
    await asyncio.sleep(0)
    assert beside == []
    async with queries.writing() as run:
        await run.execute(ONE)
    await asyncio.sleep(0)
    assert [words.rstrip(";").split()[0] for words in beside] == ["BEGIN", "COMMIT"]


async def test_a_transaction_after_a_read_is_still_one(postgres_engine: AsyncEngine) -> None:
    queries = Queries(postgres_engine)
    await queries.rows(ONE)

    async def half() -> None:
        async with queries.writing() as run:
            await run.execute(text("CREATE TABLE something (n int)"))
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        await half()
    assert (await queries.rows(text("SELECT to_regclass('something')")))[0][0] is None


async def test_connections_that_ended_are_not_used_again(postgres_engine: AsyncEngine) -> None:
    queries = Queries(postgres_engine)

    async def hold(barrier: asyncio.Barrier) -> int:
        async with queries.reading() as run:
            await barrier.wait()
            return int((await run.execute(text("SELECT pg_backend_pid()"))).scalar_one())

    several = asyncio.Barrier(3)
    pids = set(await asyncio.gather(*(hold(several) for _ in range(3))))
    assert len(pids) == 3
    other = make_engine(str(postgres_engine.url))
    async with other.connect() as run:
        for pid in pids:
            await run.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
    await other.dispose()
    assert not pids & set(await asyncio.gather(*(hold(several) for _ in range(3))))


async def test_one_that_was_idle_for_long_is_asked_whether_it_lives(
    postgres_engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = Queries(postgres_engine)
    await queries.rows(ONE)
    await postgres_engine.dispose()
    beside = unasked(postgres_engine)
    await queries.rows(ONE)
    await asyncio.sleep(0)
    assert beside == []
    monkeypatch.setattr(engines, "ASK_AFTER", -1.0)
    await queries.rows(ONE)
    await asyncio.sleep(0)
    assert beside != []
