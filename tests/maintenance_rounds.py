"""Skip a server's first maintenance rounds on an empty database, where they have nothing to do.

Each server starts about nine of them (retention, notices, deals, ...), which cost more than most tests. Later rounds
run when they are due; on a database with rows the first ones run as usual.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

import pytest

from app.play.tasks import run_every
from app.web import maintenance

__all__ = ["first_rounds"]

_is_skipping: ContextVar[bool] = ContextVar("skip first rounds", default=False)


@contextmanager
def first_rounds(*, skip: bool) -> Iterator[None]:
    """Apply to servers that start inside the block; several may start at once."""
    before = _is_skipping.set(skip)
    try:
        yield
    finally:
        _is_skipping.reset(before)


async def _skip_first_round(
    seconds: float, work: Callable[[], Awaitable[None]], stopping: asyncio.Event
) -> None:
    if _is_skipping.get():
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), seconds)
    await run_every(seconds, work, stopping)


pytest.MonkeyPatch().setattr(maintenance, "run_every", _skip_first_round)
