"""Everything kept about a person: exported for them, or erased."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.people.erasure import begin, step
from app.store.people.references import exports
from app.store.transactions import Queries

_ROWS_WITHOUT_PAUSE = 200


class DataStore(Queries):
    """A person's own data: download and erasure."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self._downloading = asyncio.Lock()

    async def download(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return all that is kept under these ids, except secrets.

        One download at a time, and a connection for one query at a time, so that other work finds one free.
        """
        async with self._downloading:
            return {name: await self._section(name, query) for name, query in exports(ids).items()}

    async def _section(self, name: str, query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for row in await self.rows(query):
            values = {str(key): value for key, value in row._mapping.items()}
            if name == "tables":  # of the terms, the words that the person wrote
                values["title"] = orjson.loads(values.pop("terms")).get("title", "")
            found.append(values)
            if len(found) % _ROWS_WITHOUT_PAUSE == 0:
                await asyncio.sleep(0)  # a person may have thousands of games
        return found

    async def begin_erasure(self, ids: Sequence[str], now: int) -> None:
        """Remove account, sessions and name; words and names in games are removed by the steps after it."""
        async with self.writing() as run:
            await begin(run, ids, now)

    async def erase_step(self, ids: Sequence[str] | None = None) -> bool:
        """Take one short step of erasing these people, or the one who has waited longest; False: nothing is left."""
        return await step(self.engine, ids)

    async def erase(self, ids: Sequence[str], now: int) -> None:
        """Erase a person to the end."""
        await self.begin_erasure(ids, now)
        while await self.erase_step(ids):
            pass
