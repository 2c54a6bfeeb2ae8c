"""Reading and writing about people: one transaction each, an outage told apart from a mistake."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.engine import STATEMENT_SECONDS
from app.store.outages import outages_as_unavailable

__all__ = ["reading", "writing"]


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection to read with; raises StoreUnavailable when the database does not answer."""
    with outages_as_unavailable():
        async with asyncio.timeout(STATEMENT_SECONDS), engine.connect() as run:
            yield run


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction that is committed at the end; raises StoreUnavailable when that cannot be known."""
    with outages_as_unavailable():
        async with asyncio.timeout(STATEMENT_SECONDS), engine.begin() as run:
            if engine.dialect.name == "sqlite":
                # A transaction that reads first and writes later would fail at once with BUSY
                # when another writer came between, whatever the timeout.
                await run.exec_driver_sql("BEGIN IMMEDIATE")
            yield run
