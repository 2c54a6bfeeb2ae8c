"""The order in which rows are locked. All transactions use the same order, so that they cannot deadlock.

PostgreSQL sorts text by locale, Python by code point: under en_US.UTF-8, "a" < "B" in the database but "B" < "a" here.
Rows that are written one by one are sorted in Python. A query that locks several rows sorts by `lock_order`, which is
Python's order. Code that can do without a row, such as a claim, skips locked rows instead of waiting.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

__all__ = ["lock_order"]


class LockOrder(FunctionElement[str]):
    """A text column, compared by code point."""

    type = String()
    inherit_cache = True


def lock_order(column: ColumnElement[str]) -> ColumnElement[str]:
    """Return the column for ORDER BY in a query that locks rows; it sorts as Python's `sorted` does."""
    return LockOrder(column)


@compiles(LockOrder)
def _compile_column(element: LockOrder, compiler: SQLCompiler, **options: Any) -> str:
    # SQLite compares the bytes of UTF-8, which sort like code points.
    return compiler.process(element.clauses, **options)


@compiles(LockOrder, "postgresql")
def _compile_with_collation(element: LockOrder, compiler: SQLCompiler, **options: Any) -> str:
    return f'{compiler.process(element.clauses, **options)} COLLATE "C"'
