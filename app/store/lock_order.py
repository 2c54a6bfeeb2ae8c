"""One order in which rows are locked, so that two transactions never wait for each other.

PostgreSQL sorts text by its locale, Python by code point: under en_US.UTF-8 "a" < "B" in the database, "B" < "a" here.
Rows that are written one after the other are sorted in Python; a query that locks several sorts by `lock_order`, which
is the same order. Code that can do without a row (a claim, a note) skips locked rows instead of waiting.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

__all__ = ["lock_order"]


class LockOrder(FunctionElement[str]):
    """A text column in the order of its code points."""

    type = String()
    inherit_cache = True


def lock_order(column: ColumnElement[str]) -> ColumnElement[str]:
    """The column as Python's `sorted` compares it, for ORDER BY of a query that locks its rows."""
    return LockOrder(column)


@compiles(LockOrder)
def _compile_column(element: LockOrder, compiler: SQLCompiler, **given: Any) -> str:
    """SQLite compares bytes, and UTF-8 keeps the order of code points."""
    return compiler.process(element.clauses, **given)


@compiles(LockOrder, "postgresql")
def _compile_with_collation(element: LockOrder, compiler: SQLCompiler, **given: Any) -> str:
    return f'{compiler.process(element.clauses, **given)} COLLATE "C"'
