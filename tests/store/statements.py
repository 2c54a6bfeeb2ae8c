"""Counting the statements that reach a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine


@contextmanager
def counted() -> Iterator[list[str]]:
    """The statements of every engine while the block runs; those of the writer of the log go past them."""
    seen: list[str] = []

    def note(run: Any, cursor: Any, statement: str, values: Any, context: Any, is_many: bool) -> None:
        seen.append(" ".join(statement.split()))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", note)
