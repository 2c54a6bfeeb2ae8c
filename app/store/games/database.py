"""The connections of the game store: transactions that wait for the disk, and others that need not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.engine import STATEMENT_SECONDS
from app.store.outages import outages_as_unavailable

__all__ = ["GameDatabase"]


class GameDatabase:
    """What every part of the game store reads and writes with."""

    def __init__(self, engine: AsyncEngine, relaxed: AsyncEngine) -> None:
        self.engine = engine
        self._relaxed = relaxed  # for leases and heartbeats, which may be lost with the power
        self._is_sqlite = engine.dialect.name == "sqlite"

    @asynccontextmanager
    async def writing(self, *, durable: bool = True) -> AsyncIterator[AsyncConnection]:
        """A transaction; a database that does not answer comes out as StoreUnavailable, a fault as it is."""
        with outages_as_unavailable():
            async with (
                asyncio.timeout(STATEMENT_SECONDS),
                (self.engine if durable else self._relaxed).begin() as run,
            ):
                yield run

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        with outages_as_unavailable():
            async with asyncio.timeout(STATEMENT_SECONDS), self.engine.connect() as run:
                yield run

    def _upsert(self, table: Any) -> Any:
        if self._is_sqlite:
            return sqlite_insert(table)
        from sqlalchemy.dialects.postgresql import insert  # 3 MB that a server on SQLite need not load

        return insert(table)
