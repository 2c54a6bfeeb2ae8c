"""Ends leases on due work: all that wait go into one transaction.

Hundreds of tables may come due in the same second (everybody sat down at eight), and mostly there is nothing to
do for them. A transaction each would cost more than the work itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from sqlalchemy import bindparam, case, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.play.log.entries import Due
from app.store.games.tables import due

__all__ = ["SettleDue"]

Waiting = tuple[Due, int | None, "asyncio.Future[int | None]"]

_IS_OURS = due.c.game == bindparam("claimed")
# Changed by somebody since the claim: the row stays due at once, for they may know what we did not.
_IS_SAME = due.c.n == bindparam("claimed_n")
_OVER = delete(due).where(_IS_OURS, _IS_SAME)
_FREE = update(due).where(_IS_OURS, due.c.n != bindparam("claimed_n")).values(lease_until=0)
_LATER = (
    update(due)
    .where(_IS_OURS)
    .values(lease_until=0, at=case((_IS_SAME, bindparam("next_at")), else_=due.c.at))
)


class SettleDue:
    """Gathers leases that end; while one batch is written the next one gathers."""

    def __init__(self, writing: Callable[[], AbstractAsyncContextManager[AsyncConnection]]) -> None:
        self._writing = writing
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    async def settle(self, claimed: Due, next_at: int | None) -> int | None:
        """When the row says to look again, after the lease has ended; None when there is no row any more."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[int | None] = loop.create_future()
        self._waiting.append((claimed, next_at, future))
        if self._task is None:
            self._task = loop.create_task(self._run())
        return await future

    async def _run(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                await self._write(batch)
        finally:
            self._task = None

    async def _write(self, batch: list[Waiting]) -> None:
        try:
            found = await self._settled(batch)
        except BaseException as problem:
            for _, _, future in batch:
                if not future.done():
                    future.set_exception(problem)
            if not isinstance(problem, Exception):
                raise
            return
        for claimed, _, future in batch:
            if not future.done():
                future.set_result(found.get(claimed.game))

    async def _settled(self, batch: list[Waiting]) -> dict[str, int]:
        """When each game that still has a row is to be looked at."""
        games = [claimed.game for claimed, _, _ in batch]
        rows = select(due.c.game, due.c.at).where(due.c.game.in_(games)).order_by(due.c.game)
        over = [_keys(claimed) for claimed, next_at, _ in batch if next_at is None]
        later = [{**_keys(claimed), "next_at": at} for claimed, at, _ in batch if at is not None]
        async with self._writing() as run:
            # PostgreSQL locks them here, in the order of the games, like whoever else writes several of these
            # rows: else two writers could each hold a row that the other one waits for.
            await run.execute(rows.with_for_update())
            if over:
                await run.execute(_OVER, over)
                await run.execute(_FREE, over)
            if later:
                await run.execute(_LATER, later)
            return {row.game: int(row.at) for row in await run.execute(rows)}


def _keys(claimed: Due) -> dict[str, Any]:
    return {"claimed": claimed.game, "claimed_n": claimed.n}
