"""A crowd at a SQLite database: so many connections and no more, and everybody has their turn."""

from __future__ import annotations

import asyncio

from sqlalchemy import event, text

from app.store.engine import make_engine


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
