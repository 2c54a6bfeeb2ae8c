"""Due work and its leases: when each game is to be looked at next, and by which worker."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.log.entries import Due
from app.store.games.database import GameDatabase
from app.store.games.settle_due import SettleDue
from app.store.games.tables import due

__all__ = ["DueWork"]


class DueWork(GameDatabase):
    """A part of the GameStore port: rows of the table `due`."""

    def __init__(self, engine: AsyncEngine, relaxed: AsyncEngine) -> None:
        super().__init__(engine, relaxed)
        self._settle_due = SettleDue(lambda: self.writing(durable=False))

    async def wake(self, game: str, at: int) -> None:
        new = self._upsert(due).values(game=game, at=at, lease_until=0, n=1)
        earlier = (
            func.min(due.c.at, new.excluded.at) if self._is_sqlite else func.least(due.c.at, new.excluded.at)
        )
        # As the writers do it: a row that is being looked at stays due, and the look's note gives way.
        upsert = new.on_conflict_do_update(
            index_elements=["game"],
            set_={"at": earlier, "n": due.c.n + 1},
            where=or_(due.c.lease_until > 0, due.c.at > new.excluded.at),
        )
        async with self.writing(durable=False) as run:
            await run.execute(upsert)

    async def claim_due(self, now: int, lease: int, limit: int) -> list[Due]:
        """Rows that are due and leased to nobody, now leased to us; two workers never get the same row."""
        ready = select(due.c.game).where(due.c.at <= now, due.c.lease_until <= now).order_by(due.c.at)
        async with self.reading() as run:
            if (await run.execute(ready.limit(1))).first() is None:
                return []  # mostly nothing is due: no write lock for that
        locked = ready.limit(limit).with_for_update(
            skip_locked=True
        )  # SQLite has one writer, leaves this out
        claim = (
            update(due)
            .where(due.c.game.in_(locked.scalar_subquery()), due.c.lease_until <= now)
            .values(lease_until=now + lease, n=due.c.n + 1)
            .returning(due.c.game, due.c.at, due.c.n)
        )
        async with self.writing(durable=False) as run:
            return [Due(row.game, row.at, row.n) for row in await run.execute(claim)]

    async def settle_due(self, claimed: Due, next_at: int | None) -> int | None:
        return await self._settle_due.settle(claimed, next_at)

    async def promised(self, games: Sequence[str], now: int) -> dict[str, int]:
        query = select(due.c.game, due.c.at, due.c.lease_until).where(due.c.game.in_(games))
        async with self.reading() as run:
            return {
                row.game: min(row.at, now) if row.lease_until > now else row.at
                for row in await run.execute(query)
            }

    async def end_leases(self) -> None:
        async with self.writing(durable=False) as run:
            await run.execute(update(due).where(due.c.lease_until > 0).values(lease_until=0))

    async def next_due(self) -> int | None:
        async with self.reading() as run:
            found = (await run.execute(select(func.min(due.c.at)))).scalar()
            return int(found) if found is not None else None
