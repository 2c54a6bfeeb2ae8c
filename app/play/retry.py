"""At its start a server asks a slow store again: a database that takes its time is no reason not to open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from app.play.ports import StoreUnavailable

__all__ = ["wait_until_answered"]

LONGEST = 60.0  # seconds; whoever watches over the server may think further
_AGAIN = 0.5

_log = logging.getLogger("cartagena.start")


async def wait_until_answered(ask: Callable[[], Awaitable[None]], *, longest: float = LONGEST) -> None:
    """Asks until it is answered; StoreUnavailable when that takes longer than a start may."""
    loop = asyncio.get_running_loop()
    until = loop.time() + longest
    while True:
        try:
            return await ask()
        except StoreUnavailable:
            if loop.time() > until:
                raise
        _log.warning("the database does not answer; asked again")
        await asyncio.sleep(_AGAIN)
