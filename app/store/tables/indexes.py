"""Partial indexes, for both databases."""

from __future__ import annotations

from sqlalchemy import Index, text


def make_partial_index(name: str, *columns: str, where: str) -> Index:
    """Return an index on the rows that match `where`.

    SQLite uses it only for queries that repeat the clause literally. SQLAlchemy writes FALSE and TRUE as 0 and 1 there.
    """
    return Index(
        name,
        *columns,
        sqlite_where=text(where.replace("FALSE", "0").replace("TRUE", "1")),
        postgresql_where=text(where),
    )
