"""Capture of the SQL statements that are sent to a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine


@contextmanager
def captured_statements() -> Iterator[list[str]]:
    """Yield the list of statements of all engines; the log writers bypass them."""
    seen: list[str] = []

    def record(conn: Any, cursor: Any, statement: str, values: Any, context: Any, is_many: bool) -> None:
        seen.append(" ".join(statement.split()))

    event.listen(Engine, "before_cursor_execute", record)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", record)
