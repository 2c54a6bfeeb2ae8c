"""Failed rows of queues: how often each was attempted, when it is retried, and which are set aside."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, bindparam, delete, select

from app.play.ports import FailedRow
from app.store.database import Database
from app.store.tables.games import queue_failures as failures
from app.store.upserts import upsert

MAX_LISTED_FAILURES = 10_000
NEVER = 2**62  # `retry_at` of a row that is set aside

_IS_THE_ROW = (failures.c.queue == bindparam("in_queue"), failures.c.key == bindparam("of_row"))


class SqlFailures:
    """Implements the FailureStore port."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def record(
        self, queue: str, key: str, error: str, now: int, delay: Callable[[int], int | None]
    ) -> int:
        keys = {"in_queue": queue, "of_row": key}

        def write(conn: Connection) -> int:
            first = upsert(conn, failures).values(
                queue=queue, key=key, attempts=0, retry_at=now, error="", first_at=now
            )
            conn.execute(first.on_conflict_do_nothing(index_elements=["queue", "key"]))
            found = conn.execute(select(failures).where(*_IS_THE_ROW).with_for_update(), keys).one()
            if found.retry_at > now:  # another worker has just counted this failure
                return 0
            attempts = int(found.attempts) + 1
            wait = delay(attempts)
            values = {
                "attempts": attempts,
                "retry_at": NEVER if wait is None else now + wait,
                "set_aside_at": now if wait is None else None,
                "error": error,
            }
            conn.execute(failures.update().where(*_IS_THE_ROW).values(**values), keys)
            return attempts

        return await self.database.write(write)

    async def clear(self, queue: str, key: str) -> bool:
        same = (failures.c.queue == queue, failures.c.key == key)
        return bool(await self.database.execute_write(delete(failures).where(*same)))

    async def read_all(self, limit: int = MAX_LISTED_FAILURES) -> list[FailedRow]:
        query = select(failures).order_by(failures.c.retry_at.desc(), failures.c.first_at).limit(limit)
        return [FailedRow(**row._mapping) for row in await self.database.fetch_rows(query)]
