"""Rows of queues that failed: attempts, the time of the next one, and rows that are set aside."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, bindparam, delete, select

from app.play.ports import Failure
from app.store.games.database import GameDatabase
from app.store.games.tables import queue_failures as failures

MAX_READ_FAILURES = 10_000
NEVER = 2**62  # `retry_at` of a row that is set aside

_THIS_ONE = (failures.c.queue == bindparam("in_queue"), failures.c.key == bindparam("of_row"))


class QueueFailures(GameDatabase):
    """Implements the FailureStore port."""

    async def record_failure(
        self, queue: str, key: str, error: str, now: int, delay: Callable[[int], int | None]
    ) -> int:
        same = {"in_queue": queue, "of_row": key}

        def record(run: Connection) -> int:
            first = self._upsert(failures).values(
                queue=queue, key=key, attempts=0, retry_at=now, error="", first_at=now
            )
            run.execute(first.on_conflict_do_nothing(index_elements=["queue", "key"]))
            found = run.execute(select(failures).where(*_THIS_ONE).with_for_update(), same).one()
            if found.retry_at > now:  # another worker failed at the same row a moment ago
                return 0
            attempts = int(found.attempts) + 1
            wait = delay(attempts)
            values = {
                "attempts": attempts,
                "retry_at": NEVER if wait is None else now + wait,
                "set_aside_at": now if wait is None else None,
                "error": error,
            }
            run.execute(failures.update().where(*_THIS_ONE).values(**values), same)
            return attempts

        return await self.write(record)

    async def clear_failure(self, queue: str, key: str) -> bool:
        this_one = (failures.c.queue == queue, failures.c.key == key)
        return bool(await self.change(delete(failures).where(*this_one)))

    async def queue_failures(self, limit: int = MAX_READ_FAILURES) -> list[Failure]:
        query = select(failures).order_by(failures.c.retry_at.desc(), failures.c.first_at).limit(limit)
        return [Failure(**row._mapping) for row in await self.rows(query)]
