"""Due work and its leases: when the sweeper checks each game next, and which worker does it.

Concurrent calls of `schedule` and `settle` share a transaction. Hundreds of games may become due in the same second,
and most of them need nothing, so a transaction each would cost more than the work itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, case, delete, func, or_, select, update

from app.play.log.entries import DueRow
from app.store.batcher import Batcher, pad_to_power_of_two
from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.tables.games import due
from app.store.upserts import upsert

_SELECT_TIMES = select(due.c.game, due.c.at).where(due.c.game.in_(bindparam("games", expanding=True)))
_LOCK_ROWS = _SELECT_TIMES.order_by(lock_order(due.c.game)).with_for_update()
_IS_CLAIMED = due.c.game == bindparam("claimed")
# A row that was changed since the claim keeps its time: the lease holder may not have seen the cause of the change.
_IS_UNCHANGED = due.c.n == bindparam("claimed_n")
_DELETE_UNCHANGED = delete(due).where(_IS_CLAIMED, _IS_UNCHANGED)
_RELEASE_CHANGED = update(due).where(_IS_CLAIMED, due.c.n != bindparam("claimed_n")).values(lease_until=0)
_RESCHEDULE = (
    update(due)
    .where(_IS_CLAIMED)
    .values(lease_until=0, at=case((_IS_UNCHANGED, bindparam("next_at")), else_=due.c.at))
)


class SqlDueWork:
    """Implements the DueWork port."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._settle_batcher = Batcher(self._settle_batch, limit_admission=False)
        self._schedule_batcher = Batcher(self._schedule_batch, limit_admission=False)
        new = upsert(database, due).values(game=bindparam("game"), at=bindparam("at"), lease_until=0, n=1)
        earlier = func.min if database.dialect.name == "sqlite" else func.least
        # As in the log writers: a row under an active lease stays due, and its `settle` does not change the time.
        self._upsert_due = new.on_conflict_do_update(
            index_elements=["game"],
            set_={"at": earlier(due.c.at, new.excluded.at), "n": due.c.n + 1},
            where=or_(due.c.lease_until > 0, due.c.at > new.excluded.at),
        )

    async def schedule(self, game: str, at: int) -> None:
        await self._schedule_batcher.get((game, at))

    async def _schedule_batch(self, batch: list[tuple[str, int]]) -> list[None]:
        # Sorted: all code that writes several of these rows locks them in this order (lock_order.py).
        rows = [{"game": game, "at": at} for game, at in sorted(batch)]
        await self.database.write(lambda conn: conn.execute(self._upsert_due, rows), durable=False)
        return [None] * len(batch)

    async def settle(self, claimed: DueRow, next_at: int | None) -> int | None:
        return await self._settle_batcher.get((claimed, next_at))

    async def _settle_batch(self, batch: list[tuple[DueRow, int | None]]) -> list[int | None]:
        """End the leases; return the new time of each row, or None if the row is gone."""
        games = pad_to_power_of_two([claimed.game for claimed, _ in batch])

        def settle(conn: Connection) -> dict[str, int]:
            # Write only rows locked here: one inserted meanwhile would be locked out of order.
            locked = {row.game for row in conn.execute(_LOCK_ROWS, {"games": games})}
            ours = [(claimed, at) for claimed, at in batch if claimed.game in locked]
            finished = [_make_keys(claimed) for claimed, at in ours if at is None]
            rescheduled = [{**_make_keys(claimed), "next_at": at} for claimed, at in ours if at is not None]
            if finished:
                conn.execute(_DELETE_UNCHANGED, finished)
                conn.execute(_RELEASE_CHANGED, finished)
            if rescheduled:
                conn.execute(_RESCHEDULE, rescheduled)
            return {row.game: int(row.at) for row in conn.execute(_SELECT_TIMES, {"games": games})}

        found = await self.database.write(settle, durable=False)
        return [found.get(claimed.game) for claimed, _ in batch]

    async def claim(
        self,
        now: int,
        lease: int,
        limit: int,
        is_for_other_worker: Callable[[str, int], bool] = lambda game, at: False,
        skip: Collection[str] = (),
    ) -> list[DueRow]:
        """Lease and return rows that are due and not leased; two workers never get the same row."""
        is_ready = (due.c.at <= now, due.c.lease_until <= now)
        ready = select(due.c.game, due.c.at).where(*is_ready).order_by(due.c.at).limit(limit + len(skip))
        rows = [row for row in await self.database.fetch_rows(ready) if row.game not in skip][:limit]
        games = [row.game for row in rows if not is_for_other_worker(row.game, row.at)]
        if not games:
            return []  # usually nothing is due: take no write lock
        # SQLite has one writer and ignores FOR UPDATE.
        locked = (
            select(due.c.game)
            .where(due.c.game.in_(pad_to_power_of_two(games)), *is_ready)
            .with_for_update(skip_locked=True)
        )
        claim = (
            update(due)
            .where(due.c.game.in_(locked.scalar_subquery()), due.c.lease_until <= now)
            .values(lease_until=now + lease, n=due.c.n + 1)
            .returning(due.c.game, due.c.at, due.c.n)
        )
        claimed = await self.database.write(lambda conn: conn.execute(claim).all(), durable=False)
        return [DueRow(row.game, row.at, row.n) for row in claimed]

    async def read_due_times(self, games: Sequence[str], now: int) -> dict[str, int]:
        query = select(due.c.game, due.c.at, due.c.lease_until).where(due.c.game.in_(games))
        return {
            row.game: min(row.at, now) if row.lease_until > now else row.at
            for row in await self.database.fetch_rows(query)
        }

    async def end_leases(self) -> None:
        end_all = update(due).where(due.c.lease_until > 0).values(lease_until=0)
        await self.database.write(lambda conn: conn.execute(end_all), durable=False)


def _make_keys(claimed: DueRow) -> dict[str, Any]:
    return {"claimed": claimed.game, "claimed_n": claimed.n}
