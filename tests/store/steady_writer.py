"""A process that writes entries continuously until it is killed: python -m tests.store.steady_writer URL SECONDS.

Prints each entry as soon as it is acknowledged. SECONDS ends the process if the test that should kill it has died.
"""

from __future__ import annotations

import asyncio
import sys
import time

from app.store.database import SqliteDatabase
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import open_store
from app.store.migrate import upgrade
from tests.store.samples import make_append, new_game


async def write(url: str, seconds: float) -> None:
    database = SqliteDatabase(url)
    await upgrade(database)
    async with open_store(url, lambda seconds, entries: None, database) as store:
        rows = [await new_game(store) for _ in range(20)]
    writer = SqliteWriter(database)
    seq, deadline = 1, time.monotonic() + seconds
    while time.monotonic() < deadline:
        seq += 1
        batch = [make_append(row, seq, f"{row.id}-{seq}") for row in rows]
        assert all(await writer.write(batch))
        print(*(f"{row.id} {seq}" for row in rows), sep="\n", flush=True)


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], float(sys.argv[2])))
