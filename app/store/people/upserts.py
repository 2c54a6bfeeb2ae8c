"""Inserts that say what happens to a row that exists already, for both databases."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine


def upsert(run: Connection | AsyncConnection | AsyncEngine, table: Any) -> Any:
    """Return the dialect's insert, which has `on_conflict_do_update` and `on_conflict_do_nothing`."""
    return sqlite.insert(table) if run.dialect.name == "sqlite" else postgresql.insert(table)
