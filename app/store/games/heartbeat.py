"""The heartbeat of the servers, and the outages that its gaps tell of."""

from __future__ import annotations

from sqlalchemy import select, update

from app.play.log.entries import Outage
from app.store.games.database import GameDatabase
from app.store.games.tables import heartbeats, outages

__all__ = ["Heartbeat"]


class Heartbeat(GameDatabase):
    """A part of the GameStore port: the last heartbeat of any worker, and known outages."""

    async def heartbeat(self, now: int, gap: int) -> Outage | None:
        async with self.writing(durable=False) as run:
            last = (
                await run.execute(select(heartbeats.c.at).where(heartbeats.c.id == 1).with_for_update())
            ).scalar()
            if last is None:
                await run.execute(
                    self._upsert(heartbeats)
                    .values(id=1, at=now)
                    .on_conflict_do_nothing(index_elements=["id"])
                )
                return None
            done = await run.execute(
                update(heartbeats)
                .where(heartbeats.c.id == 1, heartbeats.c.at == last)
                .values(at=max(now, last))
            )
            if now - last <= gap or done.rowcount != 1:  # another worker was first to be back
                return None
            await run.execute(
                self._upsert(outages)
                .values(began=last, ended=now)
                .on_conflict_do_nothing(index_elements=["began"])
            )
            return Outage(last, now)

    async def outages(self, since: int) -> list[Outage]:
        query = select(outages).where(outages.c.ended > since).order_by(outages.c.began)
        async with self.reading() as run:
            return [Outage(row.began, row.ended) for row in await run.execute(query)]
