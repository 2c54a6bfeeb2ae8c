"""Reading a log without holding up the loop: a page at a time from the store, a slice at a time to fold.

A log may be long, and everybody's moves wait behind whatever one task does without a pause.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from app.play.log.entries import Entry
from app.play.ports import GameStore

__all__ = ["PAGE", "SLICE", "log_slices", "whole_log"]

PAGE = 256  # entries a query: some 2 ms to make them of their rows
SLICE = 64  # entries folded without a pause: some 2 ms where all are actions


async def log_slices(store: GameStore, game: str, after: int = 0) -> AsyncIterator[list[Entry]]:
    """The entries after that one, a few at a time; between two slices others have their turn."""
    while True:
        page = await store.entries(game, after, PAGE)
        for start in range(0, len(page), SLICE):
            yield page[start : start + SLICE]
            await asyncio.sleep(0)
        if len(page) < PAGE:
            return
        after = page[-1].seq


async def whole_log(store: GameStore, game: str) -> list[Entry]:
    """All of it, for whoever folds it in another thread."""
    return [entry async for some in log_slices(store, game) for entry in some]
