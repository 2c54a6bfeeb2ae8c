"""Reading and writing about people: one transaction each, an outage told apart from a mistake."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import exc
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.play.ports import StoreUnavailable

__all__ = ["reading", "writing"]

_OUTAGE = (exc.OperationalError, exc.InterfaceError, exc.TimeoutError, OSError, TimeoutError)


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection to read with; raises StoreUnavailable when the database does not answer."""
    try:
        async with engine.connect() as run:
            yield run
    except _OUTAGE as problem:
        raise StoreUnavailable from problem
    except exc.DBAPIError as problem:
        if problem.connection_invalidated:
            raise StoreUnavailable from problem
        raise


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction that is committed at the end; raises StoreUnavailable when that cannot be known."""
    try:
        async with engine.begin() as run:
            if engine.dialect.name == "sqlite":
                # A transaction that reads first and writes later would fail at once with BUSY
                # when another writer came between, whatever the timeout.
                await run.exec_driver_sql("BEGIN IMMEDIATE")
            yield run
    except _OUTAGE as problem:
        raise StoreUnavailable from problem
    except exc.DBAPIError as problem:
        if problem.connection_invalidated:
            raise StoreUnavailable from problem
        raise
