"""A SQLite file with very many games: one is played on a real server, the others are copies of its rows."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

from bench.scaling.servers import alone
from bench.scaling.table_group import TableGroup

__all__ = ["ENTRIES", "game_id", "stock"]

ENTRIES = 100  # of a stored game; bots that play well need about 25 turns, 60 to 90 entries


def game_id(number: int) -> str:
    return f"scale{number:08d}"


def stock(folder: Path, games: int, file: str = "bench.db", entries: int = ENTRIES) -> Path:
    """The file, with so many games of so many entries; one in a hundred still runs."""
    with alone(folder, file) as server:
        asyncio.run(_play_one(server.port, entries))
    path = folder / file
    with sqlite3.connect(path) as run:
        run.execute("PRAGMA journal_mode=OFF")
        run.execute("PRAGMA synchronous=OFF")
        run.execute("PRAGMA cache_size=-500000")  # half a gigabyte: the indexes stay in memory
        run.execute("CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY)")
        run.executemany("INSERT INTO numbers VALUES (?)", ((n,) for n in range(games)))
        (played,) = run.execute("SELECT id FROM games").fetchone()
        for table, key in (("games", "id"), ("heads", "game"), ("seats", "game"), ("log", "game")):
            columns = [row[1] for row in run.execute(f"PRAGMA table_info({table})")]
            names = ", ".join(f'"{name}"' for name in columns)
            values = ", ".join(
                "printf('scale%08d', numbers.n)" if name == key else f't."{name}"' for name in columns
            )
            # From a copy: SQLite would gather all rows of a table that it reads and writes at once.
            run.execute(f"CREATE TEMP TABLE one_{table} AS SELECT * FROM {table} WHERE {key} = ?", (played,))
            run.execute(
                f"INSERT INTO {table} ({names}) SELECT {values} FROM numbers CROSS JOIN one_{table} t"
            )
        run.execute("UPDATE games SET status = 'finished' WHERE id LIKE 'scale%' AND id NOT LIKE '%00'")
    run.close()
    return path


async def _play_one(port: int, entries: int) -> None:
    group = TableGroup([port])
    await group.open_tables(1, 2)
    await group.play(entries - group.tables[0].seq)
    group.close()
