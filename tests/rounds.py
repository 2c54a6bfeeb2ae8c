"""A server's rounds on a database without a row: the first ones, which have nothing to do there, are left out.

Each server starts about nine of them (retention, notices, deals, ...), which cost more than the rest of most tests. The
next ones come when they are due; on a database that was used before, the first ones run as usual.
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

_are_left_out: ContextVar[bool] = ContextVar("first rounds are left out", default=False)


@contextmanager
def first_rounds(*, are_left_out: bool) -> Iterator[None]:
    """For servers whose start begins in here; several may start at once."""
    before = _are_left_out.set(are_left_out)
    try:
        yield
    finally:
        _are_left_out.reset(before)


async def _from_the_second(
    seconds: float, work: Callable[[], Awaitable[None]], stopping: asyncio.Event
) -> None:
    if _are_left_out.get():
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), seconds)
    await run_every(seconds, work, stopping)


pytest.MonkeyPatch().setattr(maintenance, "run_every", _from_the_second)
