"""The last heartbeat of any worker, and outages: periods without a heartbeat."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from app.play.log.entries import Outage
from app.store.database import Database
from app.store.tables.games import heartbeats, outages
from app.store.upserts import upsert


class SqlHeartbeats:
    """Implements the Heartbeats port."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def record(self, now: int, gap: int) -> Outage | None:
        query = select(heartbeats.c.at).where(heartbeats.c.id == 1).with_for_update()

        def write(conn: Connection) -> Outage | None:
            last = conn.execute(query).scalar()
            if last is None:
                first = upsert(conn, heartbeats).values(id=1, at=now)
                conn.execute(first.on_conflict_do_nothing(index_elements=["id"]))
                return None
            same = (heartbeats.c.id == 1, heartbeats.c.at == last)
            updated = conn.execute(update(heartbeats).where(*same).values(at=max(now, last)))
            if now - last <= gap or updated.rowcount != 1:  # another worker has recorded the outage
                return None
            outage = upsert(conn, outages).values(began=last, ended=now)
            conn.execute(outage.on_conflict_do_nothing(index_elements=["began"]))
            return Outage(last, now)

        return await self.database.write(write, durable=False)

    async def read_outages(self, since: int) -> list[Outage]:
        query = select(outages).where(outages.c.ended > since).order_by(outages.c.began)
        return [Outage(row.began, row.ended) for row in await self.database.fetch_rows(query)]
