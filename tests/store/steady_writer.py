"""A process that writes entries without pause until it is killed: python -m tests.store.steady_writer URL SECONDS.

Prints every entry that was acknowledged, and its command, as soon as it was. The seconds only end it should the one
who was to kill it be gone.
"""

from __future__ import annotations

import asyncio
import sys
import time

from app.store.engine import make_engine, sqlite_file
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import open_store
from app.store.migrate import upgrade
from tests.store.samples import append_of, new_game


async def write(url: str, seconds: float) -> None:
    engine = make_engine(url)
    await upgrade(engine)
    async with open_store(url, lambda seconds, entries: None, engine) as store:
        rows = [await new_game(store) for _ in range(20)]
    writer = SqliteWriter(sqlite_file(url))
    seq, until = 1, time.monotonic() + seconds
    while time.monotonic() < until:
        seq += 1
        batch = [append_of(row, seq, f"{row.id}-{seq}") for row in rows]
        assert all(await writer.write(batch))
        print(*(f"{row.id} {seq}" for row in rows), sep="\n", flush=True)


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1], float(sys.argv[2])))
