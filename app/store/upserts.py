"""Inserts with ON CONFLICT, for both databases."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

from app.store.database import Database


def upsert(conn: Connection | Database, table: Table) -> Any:
    """Return the dialect's insert statement, which has `on_conflict_do_update` and `on_conflict_do_nothing`."""
    if conn.dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # 3 MB that a server on SQLite need not load

    return postgresql.insert(table)
