"""People's mistakes, when they come back as puzzles, and the queue of games to search for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, or_, select, tuple_, update

from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.people.player_rows import lock_present
from app.store.tables.games import queue_failures
from app.store.tables.practice import mistake_searches as searches
from app.store.tables.practice import mistakes
from app.store.upserts import upsert

QUEUE = "mistakes"
"""Name of the queue of searches."""
DAY_SECONDS = 86_400
INTERVAL_DAYS = (1, 3, 10)
"""Days until a puzzle comes back after it was solved once, twice and three times; then it is done."""
MAX_OPEN_SEARCHES = 10
"""Games of a person that wait to be searched."""
MAX_OPEN_GUEST_SEARCHES = 3
"""The same for a guest, because guests cost nothing to create."""


class Mistake(msgspec.Struct, frozen=True):
    """A turn to play again. `best` and `played` are chances in 1/10,000."""

    person: str
    game: str
    step: int
    seat: int
    best: int
    played: int
    found_at: int
    due_at: int | None
    stage: int
    tries: int


class Search(msgspec.Struct, frozen=True):
    """A game to be searched for a person's mistakes."""

    person: str
    game: str


class Overview(msgspec.Struct, frozen=True):
    """How a person's practice stands. `next_at` is when the next puzzle is due, if any waits."""

    due: int
    waiting: int
    done: int
    searching: int
    searched: int
    next_at: int | None


class MistakeStore:
    """Queries about mistakes, for app/web/mistakes.py. Times are seconds."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # -- puzzles -----------------------------------------------------------------------------------

    async def list_due(self, person: str, now: int, limit: int) -> list[Mistake]:
        """Return the puzzles that are due, longest waiting first."""
        query = (
            select(mistakes)
            .where(mistakes.c.person == person, mistakes.c.due_at <= now)
            .order_by(mistakes.c.due_at, mistakes.c.game, mistakes.c.step)
            .limit(limit)
        )
        return [Mistake(**row._mapping) for row in await self.database.fetch_rows(query)]

    async def find(self, person: str, game: str, step: int) -> Mistake | None:
        query = select(mistakes).where(_is_mistake(person, game, step))
        rows = await self.database.fetch_rows(query)
        return Mistake(**rows[0]._mapping) if rows else None

    async def read_overview(self, person: str, now: int) -> Overview:
        """Count a person's puzzles and the games that wait to be searched, without searches that are set aside."""
        due_at = mistakes.c.due_at
        of_person = select(
            func.count().filter(due_at <= now),
            func.count().filter(due_at > now),
            func.count().filter(due_at.is_(None)),
            func.min(due_at).filter(due_at > now),
        ).where(mistakes.c.person == person)
        is_open = and_(searches.c.done_at.is_(None), ~_is_set_aside())
        games_of_person = select(
            func.count().filter(is_open), func.count().filter(searches.c.done_at.is_not(None))
        ).where(searches.c.person == person)

        def read(conn: Connection) -> Overview:
            due, waiting, done, next_at = conn.execute(of_person).one()
            searching, searched = conn.execute(games_of_person).one()
            return Overview(due, waiting, done, searching, searched, next_at)

        return await self.database.read(read)

    async def record_try(self, mistake: Mistake, now: int, *, is_right: bool) -> None:
        """Set when the puzzle comes back: later each time it is solved, the next day if it is not.

        Only a try of a puzzle that is due counts.
        """
        stage = mistake.stage + 1 if is_right else 0
        days = INTERVAL_DAYS[max(0, stage - 1)] if stage <= len(INTERVAL_DAYS) else None
        await self.database.execute_write(
            update(mistakes)
            .where(_is_mistake(mistake.person, mistake.game, mistake.step), mistakes.c.due_at <= now)
            .values(
                stage=stage,
                tries=mistakes.c.tries + 1,
                due_at=None if days is None else now + days * DAY_SECONDS,
            )
        )

    # -- searches ----------------------------------------------------------------------------------

    async def request_searches(
        self, person: str, games: Sequence[str], now: int, limit: int = MAX_OPEN_SEARCHES
    ) -> bool:
        """Queue games that were not searched for this person yet; return whether any was queued.

        A no-op for a person who was erased or claimed meanwhile, and for games beyond `limit` that wait. Searches
        that are set aside take no place.
        """
        is_waiting = and_(searches.c.done_at.is_(None), ~_is_set_aside())
        known = select(searches.c.game, is_waiting.label("is_waiting")).where(searches.c.person == person)
        of_games = known.where(or_(searches.c.game.in_(games), is_waiting))
        found = {row.game: row.is_waiting for row in await self.database.fetch_rows(of_games)}
        room = limit - sum(map(bool, found.values()))
        new = [game for game in dict.fromkeys(games) if game not in found][: max(0, room)]
        if not new:
            return False

        def write(conn: Connection) -> bool:
            if not lock_present(conn, (person,), unclaimed=True):
                return False
            rows = [
                {"person": person, "game": game, "asked_at": now, "lease_until": 0} for game in sorted(new)
            ]
            conn.execute(upsert(conn, searches).on_conflict_do_nothing(), rows)
            return True

        return await self.database.write(write)

    async def claim(self, now: int, lease_seconds: int, limit: int, skip: Collection[str]) -> list[Search]:
        """Lease games to be searched, except those whose keys are in `skip`.

        Longest waiting first; `finish` moves the other games of a person to the end, so that people take turns.
        """
        ready = (
            select(searches.c.person, searches.c.game)
            .where(searches.c.done_at.is_(None), searches.c.lease_until <= now)
            .order_by(searches.c.asked_at, lock_order(searches.c.person), lock_order(searches.c.game))
            .limit(limit + len(skip))
        )

        def without_skipped(rows: Sequence[Search]) -> list[Search]:
            return [row for row in rows if search_key(row) not in skip][:limit]

        if not without_skipped([Search(*row) for row in await self.database.fetch_rows(ready)]):
            return []  # usually nothing is due: take no write lock

        def write(conn: Connection) -> list[Search]:
            locked = conn.execute(ready.with_for_update(skip_locked=True))
            found = without_skipped([Search(*row) for row in locked])
            keys = tuple_(searches.c.person, searches.c.game).in_([(row.person, row.game) for row in found])
            conn.execute(update(searches).where(keys).values(lease_until=now + lease_seconds))
            return found

        return await self.database.write(write)

    async def finish(self, search: Search, found: Sequence[Mistake], now: int) -> None:
        """Store what a search found and end it; the person's other searches go to the end of the queue.

        A person who was erased or claimed has no rows. Those that remain were left by a worker of an older release,
        which does not know these tables; they are deleted.
        """
        rows = [msgspec.structs.asdict(each) for each in sorted(found, key=lambda each: each.step)]
        is_search = and_(searches.c.person == search.person, searches.c.game == search.game)

        def write(conn: Connection) -> None:
            if not lock_present(conn, (search.person,), unclaimed=True):
                for table in (mistakes, searches):
                    conn.execute(delete(table).where(table.c.person == search.person))
                return
            if rows:
                conn.execute(upsert(conn, mistakes).on_conflict_do_nothing(), rows)
            conn.execute(update(searches).where(is_search).values(done_at=now))
            waits = and_(searches.c.person == search.person, searches.c.done_at.is_(None))
            conn.execute(update(searches).where(waits, searches.c.asked_at < now).values(asked_at=now))

        await self.database.write(write)

    async def release(self, search: Search) -> None:
        """End the lease of a search that failed."""
        is_search = and_(searches.c.person == search.person, searches.c.game == search.game)
        await self.database.execute_write(update(searches).where(is_search).values(lease_until=0))

    async def drop_search(self, search: Search) -> None:
        """Delete a search, so that the game can be queued again."""
        await self.database.execute_write(
            delete(searches).where(searches.c.person == search.person, searches.c.game == search.game)
        )


def search_key(search: Search) -> str:
    """Return the name of a search in logs and in the table of failures."""
    return f"{search.person} {search.game}"


def _is_set_aside() -> ColumnElement[bool]:
    """Return whether a search has failed so often that it is not retried (app/play/queues.py)."""
    key = searches.c.person + " " + searches.c.game  # as in `search_key`
    return exists().where(
        queue_failures.c.queue == QUEUE,
        queue_failures.c.key == key,
        queue_failures.c.set_aside_at.is_not(None),
    )


def _is_mistake(person: str, game: str, step: int) -> ColumnElement[bool]:
    return and_(mistakes.c.person == person, mistakes.c.game == game, mistakes.c.step == step)
