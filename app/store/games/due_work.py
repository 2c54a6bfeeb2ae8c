"""Due work and its leases: when each game is to be looked at next, and by which worker; the heartbeat of workers.

Leases that end, and times that somebody who came or went has changed, go into one transaction, all that wait: hundreds
of tables may come due in the same second (everybody sat down at eight), and mostly there is nothing to do for them. A
transaction each would cost more than the work itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, case, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.log.entries import Due, Outage
from app.store.batches import Batches, padded
from app.store.games.database import GameDatabase
from app.store.games.tables import due, heartbeats, outages

_ROWS = (
    select(due.c.game, due.c.at)
    .where(due.c.game.in_(bindparam("games", expanding=True)))
    .order_by(due.c.game)
)
_ROWS_LOCKED = _ROWS.with_for_update()
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


class DueWork(GameDatabase):
    """A part of the GameStore port: rows of the table `due`."""

    def __init__(self, engine: AsyncEngine, relaxed: AsyncEngine) -> None:
        super().__init__(engine, relaxed)
        self._settling = Batches(self._settle, is_for_newcomers=False)
        self._waking = Batches(self._wake, is_for_newcomers=False)
        new = self._upsert(due).values(game=bindparam("game"), at=bindparam("at"), lease_until=0, n=1)
        earlier = func.min if self._is_sqlite else func.least
        # As the writers do it: a row that is being looked at stays due, and the look's note gives way.
        self._upsert_due = new.on_conflict_do_update(
            index_elements=["game"],
            set_={"at": earlier(due.c.at, new.excluded.at), "n": due.c.n + 1},
            where=or_(due.c.lease_until > 0, due.c.at > new.excluded.at),
        )

    async def wake(self, game: str, at: int) -> None:
        await self._waking.get((game, at))

    async def _wake(self, batch: list[tuple[str, int]]) -> list[None]:
        # Sorted: whoever writes several of these rows does it in the order of the games, so that no two writers
        # each hold a row that the other one waits for.
        rows = [{"game": game, "at": at} for game, at in sorted(batch)]
        await self.write_relaxed(lambda run: run.execute(self._upsert_due, rows))
        return [None] * len(batch)

    async def settle_due(self, claimed: Due, next_at: int | None) -> int | None:
        return await self._settling.get((claimed, next_at))

    async def _settle(self, batch: list[tuple[Due, int | None]]) -> list[int | None]:
        """When each row says to look again, after the lease has ended; None when there is no row any more."""
        games = padded([claimed.game for claimed, _ in batch])
        over = [_keys(claimed) for claimed, next_at in batch if next_at is None]
        later = [{**_keys(claimed), "next_at": at} for claimed, at in batch if at is not None]

        def settle(run: Connection) -> dict[str, int]:
            # PostgreSQL locks them here, in the order of the games (see _wake).
            run.execute(_ROWS_LOCKED, {"games": games})
            if over:
                run.execute(_OVER, over)
                run.execute(_FREE, over)
            if later:
                run.execute(_LATER, later)
            return {row.game: int(row.at) for row in run.execute(_ROWS, {"games": games})}

        found = await self.write_relaxed(settle)
        return [found.get(claimed.game) for claimed, _ in batch]

    async def claim_due(
        self,
        now: int,
        lease: int,
        limit: int,
        is_anothers: Callable[[str, int], bool] = lambda game, at: False,
        skip: Collection[str] = (),
    ) -> list[Due]:
        """Rows that are due and leased to nobody, now leased to us; two workers never get the same row."""
        is_ready = (due.c.at <= now, due.c.lease_until <= now)
        ready = select(due.c.game, due.c.at).where(*is_ready).order_by(due.c.at).limit(limit + len(skip))
        rows = [row for row in await self.rows(ready) if row.game not in skip][:limit]
        games = [row.game for row in rows if not is_anothers(row.game, row.at)]
        if not games:
            return []  # mostly nothing is due: no write lock for that
        # SQLite, which has one writer, leaves the lock out.
        locked = (
            select(due.c.game)
            .where(due.c.game.in_(padded(games)), *is_ready)
            .with_for_update(skip_locked=True)
        )
        claim = (
            update(due)
            .where(due.c.game.in_(locked.scalar_subquery()), due.c.lease_until <= now)
            .values(lease_until=now + lease, n=due.c.n + 1)
            .returning(due.c.game, due.c.at, due.c.n)
        )
        claimed = await self.write_relaxed(lambda run: run.execute(claim).all())
        return [Due(row.game, row.at, row.n) for row in claimed]

    async def promised(self, games: Sequence[str], now: int) -> dict[str, int]:
        query = select(due.c.game, due.c.at, due.c.lease_until).where(due.c.game.in_(games))
        return {
            row.game: min(row.at, now) if row.lease_until > now else row.at for row in await self.rows(query)
        }

    async def end_leases(self) -> None:
        free = update(due).where(due.c.lease_until > 0).values(lease_until=0)
        await self.write_relaxed(lambda run: run.execute(free))

    async def next_due(self) -> int | None:
        async with self.reading() as run:
            found = (await run.execute(select(func.min(due.c.at)))).scalar()
            return int(found) if found is not None else None


def _keys(claimed: Due) -> dict[str, Any]:
    return {"claimed": claimed.game, "claimed_n": claimed.n}


class Heartbeat(GameDatabase):
    """A part of the GameStore port: the last heartbeat of any worker, and known outages."""

    async def heartbeat(self, now: int, gap: int) -> Outage | None:
        query = select(heartbeats.c.at).where(heartbeats.c.id == 1).with_for_update()

        def beat(run: Connection) -> Outage | None:
            last = run.execute(query).scalar()
            if last is None:
                first = self._upsert(heartbeats).values(id=1, at=now)
                run.execute(first.on_conflict_do_nothing(index_elements=["id"]))
                return None
            same = (heartbeats.c.id == 1, heartbeats.c.at == last)
            done = run.execute(update(heartbeats).where(*same).values(at=max(now, last)))
            if now - last <= gap or done.rowcount != 1:  # another worker was first to be back
                return None
            gone = self._upsert(outages).values(began=last, ended=now)
            run.execute(gone.on_conflict_do_nothing(index_elements=["began"]))
            return Outage(last, now)

        return await self.write_relaxed(beat)

    async def outages(self, since: int) -> list[Outage]:
        query = select(outages).where(outages.c.ended > since).order_by(outages.c.began)
        return [Outage(row.began, row.ended) for row in await self.rows(query)]
