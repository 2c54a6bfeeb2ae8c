"""Personal data: export and erasure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson

from app.store.database import Database
from app.store.people.erasure import begin_erasure, run_erasure_step
from app.store.people.references import make_export_queries

_ROWS_PER_ITERATION = 200


class PersonalDataStore:
    """Export and erasure of a person's data."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._export_lock = asyncio.Lock()

    async def export(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return everything stored under these ids, except secrets.

        Only one export runs at a time, and it holds a connection for one query at a time, so that others stay free.
        """
        async with self._export_lock:
            return {
                name: await self._read_section(name, query)
                for name, query in make_export_queries(ids).items()
            }

    async def _read_section(self, name: str, query: Any) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for row in await self.database.fetch_rows(query):
            values = {str(key): value for key, value in row._mapping.items()}
            if name == "tables":  # of the terms, only the title was written by the person
                values["title"] = orjson.loads(values.pop("terms")).get("title", "")
            rows.append(values)
            if len(rows) % _ROWS_PER_ITERATION == 0:
                await asyncio.sleep(0)  # a person may have thousands of games
        return rows

    async def begin_erasure(self, ids: Sequence[str], now: int) -> None:
        """Delete account, sessions and name. The following steps remove names and chat lines from games."""
        await self.database.write(lambda conn: begin_erasure(conn, ids, now))

    async def run_erasure_step(self, ids: Sequence[str] | None = None) -> bool:
        """Run one short step of erasing these people, or the one waiting longest; return False if nothing is left."""
        return await run_erasure_step(self.database, ids)

    async def erase(self, ids: Sequence[str], now: int) -> None:
        """Erase a person completely."""
        await self.begin_erasure(ids, now)
        while await self.run_erasure_step(ids):
            pass
