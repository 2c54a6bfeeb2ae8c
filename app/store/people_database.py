"""Reading and writing about people: one transaction each, an outage told apart from a mistake."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import exc
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.play.ports import StoreUnavailable
from app.store.engine import OUTAGES, STATEMENT_SECONDS

__all__ = ["reading", "writing"]

_OUTAGE_STATES = ("08", "25006", "53", "57", "58")  # classes of PostgreSQL's SQLSTATE


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection to read with; raises StoreUnavailable when the database does not answer."""
    try:
        async with asyncio.timeout(STATEMENT_SECONDS), engine.connect() as run:
            yield run
    except OUTAGES as problem:
        raise StoreUnavailable from problem
    except exc.DBAPIError as problem:
        if _is_outage(problem):
            raise StoreUnavailable from problem
        raise


@asynccontextmanager
async def writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A transaction that is committed at the end; raises StoreUnavailable when that cannot be known."""
    try:
        async with asyncio.timeout(STATEMENT_SECONDS), engine.begin() as run:
            if engine.dialect.name == "sqlite":
                # A transaction that reads first and writes later would fail at once with BUSY
                # when another writer came between, whatever the timeout.
                await run.exec_driver_sql("BEGIN IMMEDIATE")
            yield run
    except OUTAGES as problem:
        raise StoreUnavailable from problem
    except exc.DBAPIError as problem:
        if _is_outage(problem):
            raise StoreUnavailable from problem
        raise


def _is_outage(problem: exc.DBAPIError) -> bool:
    """Whether the database is to blame (cut off, read-only, full, shutting down), and not the statement."""
    state = getattr(problem.orig, "sqlstate", None) or ""
    return problem.connection_invalidated or state.startswith(_OUTAGE_STATES)
