"""The connections of the game store: transactions that wait for the disk, and others that need not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.transactions import Found, Queries, in_one_go, writing


class GameDatabase(Queries):
    """What every part of the game store reads and writes with."""

    def __init__(self, engine: AsyncEngine, relaxed: AsyncEngine) -> None:
        super().__init__(engine)
        self._relaxed = relaxed  # for leases and heartbeats, which may be lost with the power
        self._is_sqlite = engine.dialect.name == "sqlite"

    def writing(self, *, durable: bool = True) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction; a database that does not answer comes out as StoreUnavailable, a fault as it is."""
        return writing(self.engine if durable else self._relaxed, at_once=False)

    async def write_relaxed(self, work: Callable[[Connection], Found]) -> Found:
        """A transaction in one go that need not wait for the disk."""
        return await in_one_go(self._relaxed, work, is_write=True)

    def _upsert(self, table: Any) -> Any:
        if self._is_sqlite:
            return sqlite_insert(table)
        from sqlalchemy.dialects.postgresql import insert  # 3 MB that a server on SQLite need not load

        return insert(table)
