"""Rebuild of all ratings from the first game on, or a check that a rebuild would change nothing.

The games are streamed in their order and counted in memory, and each page is compared with what is stored. Only what
differs is written, so a rebuild of figures that are right writes nothing, and the site shows them all the while. Memory
follows from the number of people. The lease is held from the first page to the last; games that end meanwhile wait.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, exists, func, insert, select, tuple_, update

from app.play.queues import describe_error
from app.ratings.model import MODEL_VERSION
from app.ratings.replay import CountedGame, Replay
from app.store.lock_order import lock_order
from app.store.ratings.projection import (
    RatingProjection,
    insert_changes,
    lock_cursor,
    make_change_rows,
)
from app.store.ratings.stored_games import START, Place, StoredGame, read_page
from app.store.tables.games import games
from app.store.tables.ratings import rating_changes as changes
from app.store.tables.ratings import rating_cursor as cursor
from app.store.tables.ratings import ratings

PAGE_SIZE = 200  # games in one transaction, which takes SQLite's writers some 30 ms
LEASE_MS = 120_000
_STANDING_COLUMNS = ("mu", "sigma", "games", "best", "last_at")
_UNFINISHED_MODEL = 0  # in the cursor while a rebuild writes: after a crash, the figures are not continued

ReadResult = Callable[[str], Awaitable[dict[str, Any]]]
"""Folds the log of a game whose stored result has no ranks, and returns its result."""
Json = dict[str, Any]


class WriterBusy(Exception):
    """Another rebuild or check is running."""


class RebuildReport(msgspec.Struct):
    """What a rebuild has found. `different`: games whose rows were wrong; `standings`: figures that were wrong."""

    games: int = 0
    rows: int = 0
    different: int = 0
    standings: int = 0
    orphans: int = 0
    pending: int = 0
    unreadable: list[str] = msgspec.field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not (self.different or self.standings or self.orphans)


class Rebuild:
    """One run. `writes` False only compares, and leaves out games that the queue has not processed yet."""

    def __init__(
        self,
        projection: RatingProjection,
        read_result: ReadResult,
        clock: Callable[[], int],
        *,
        writes: bool,
        page_size: int = PAGE_SIZE,
        on_page: Callable[[RebuildReport], None] = lambda report: None,
    ) -> None:
        self._projection = projection
        self._database = projection.database
        self._read_result = read_result
        self._clock = clock
        self._writes = writes
        self._page_size = page_size
        self._on_page = on_page
        self._replay = Replay()
        self._last = START
        self._expected_rows = 0
        self.report = RebuildReport()

    async def run(self) -> RebuildReport:
        """Go through all games. Raise WriterBusy, or LeaseLost if the run was interrupted for too long."""
        await self._extend_lease()
        try:
            place = START
            while page := await self._read_page(place):
                await self._process(page)
                place = page[-1][0].place
                await self._extend_lease()
                self._on_page(self.report)
            await self._compare_orphans()
            await self._compare_standings()
            if self._writes:
                await self._finish()
        finally:
            await self._projection.end_lease()
        return self.report

    async def _extend_lease(self) -> None:
        now = self._clock()
        if not await self._projection.take_lease(now, now + LEASE_MS):
            raise WriterBusy

    async def _read_page(self, after: Place) -> list[tuple[StoredGame, list[Json]]]:
        """Return the next games, each with the rows that are stored for it, by person."""

        def read(conn: Connection) -> list[tuple[StoredGame, list[Json]]]:
            page = read_page(conn, after, self._page_size)
            rows: dict[str, list[Json]] = {game.id: [] for game in page}
            for row in conn.execute(select(changes).where(changes.c.game.in_(list(rows)))):
                rows[row.game].append(dict(row._mapping))
            return [(game, sorted(rows[game.id], key=itemgetter("person"))) for game in page]

        return await self._database.read(read)

    async def _process(self, page: Sequence[tuple[StoredGame, list[Json]]]) -> None:
        wrong: list[tuple[StoredGame, CountedGame | None, bool]] = []
        for stored, rows in page:
            self.report.rows += len(rows)
            if stored.rated_at is None and not self._writes:
                self.report.pending += 1
                self.report.different += bool(rows)
                continue
            is_read, counted = await self._count(stored)
            expected = [] if counted is None else make_change_rows(counted)
            self._expected_rows += len(expected)
            is_marked = (stored.rated_at is not None) == is_read
            if is_read:
                self._last = stored.place
            if rows != sorted(expected, key=itemgetter("person")) or not is_marked:
                self.report.different += 1
                wrong.append((stored, counted, is_read))
        if wrong and self._writes:
            await self._database.write(lambda conn: self._correct(conn, wrong))

    async def _count(self, stored: StoredGame) -> tuple[bool, CountedGame | None]:
        """Return whether the game could be read, and what it changes; None if it is not rated after all."""
        try:
            game = stored.decode() or stored.decode(await self._read_result(stored.id))
        except Exception as problem:  # noqa: BLE001 - one bad game must not stop the others
            self.report.unreadable.append(f"{stored.id}: {describe_error(problem)}")
            return False, None
        self.report.games += 1
        return True, None if game is None else self._replay.count(game)

    def _correct(
        self, conn: Connection, wrong: Sequence[tuple[StoredGame, CountedGame | None, bool]]
    ) -> None:
        lock_cursor(conn, self._projection.holder)
        conn.execute(update(cursor).values(model=_UNFINISHED_MODEL))
        ids = [stored.id for stored, _, _ in wrong]
        conn.execute(delete(changes).where(changes.c.game.in_(ids)))
        insert_changes(conn, [counted for _, counted, _ in wrong if counted is not None])
        now = self._clock()
        for is_read, found in groupby(sorted(wrong, key=itemgetter(2)), key=itemgetter(2)):
            marked = [stored.id for stored, _, _ in found]
            mark = update(games).where(games.c.id.in_(sorted(marked)))
            conn.execute(mark.values(rated_at=now if is_read else None))

    async def _compare_orphans(self) -> None:
        """Find rows of games that are not rated games; a page has shown all others."""
        total = (await self._database.fetch_rows(select(func.count()).select_from(changes)))[0][0]
        expected = self._expected_rows if self._writes else self.report.rows
        self.report.orphans = total - expected
        if self.report.orphans and self._writes:
            of_rated = exists().where(
                games.c.id == changes.c.game, games.c.is_rated.is_(True), games.c.status == "finished"
            )
            await self._database.execute_write(delete(changes).where(~of_rated))

    async def _compare_standings(self) -> None:
        """Compare the present figures with those in memory, page by page."""
        expected = self._replay.standings
        key = ("", "")
        while rows := await self._database.fetch_rows(_select_standings(key, self._page_size)):
            key = (rows[-1].person, rows[-1].pool)
            wrong: list[Json] = []
            surplus: list[tuple[str, str]] = []
            for row in rows:
                standing = expected.pop((row.person, row.pool), None)
                if standing is None:
                    surplus.append((row.person, row.pool))
                elif (figures := _make_figures(standing)) != {n: row._mapping[n] for n in _STANDING_COLUMNS}:
                    wrong.append({"person": row.person, "pool": row.pool, **figures})
            await self._correct_standings(wrong, [(row["person"], row["pool"]) for row in wrong] + surplus)
        missing = [
            {"person": person, "pool": pool, **_make_figures(standing)}
            for (person, pool), standing in expected.items()
        ]
        for start in range(0, len(missing), self._page_size):
            await self._correct_standings(missing[start : start + self._page_size], [])

    async def _correct_standings(self, rows: list[Json], deleted: list[tuple[str, str]]) -> None:
        self.report.standings += max(len(rows), len(deleted))
        if not self._writes or not (rows or deleted):
            return

        def write(conn: Connection) -> None:
            lock_cursor(conn, self._projection.holder)
            if deleted:
                conn.execute(delete(ratings).where(tuple_(ratings.c.person, ratings.c.pool).in_(deleted)))
            if rows:
                conn.execute(insert(ratings), rows)

        await self._database.write(write)

    async def _finish(self) -> None:
        ended_at, game = self._last
        place = {"ended_at": ended_at, "game": game, "games": self.report.games, "model": MODEL_VERSION}

        def write(conn: Connection) -> None:
            lock_cursor(conn, self._projection.holder)
            conn.execute(update(cursor).values(**place))

        await self._database.write(write)


def _select_standings(after: tuple[str, str], limit: int) -> Any:
    person, pool = lock_order(ratings.c.person), lock_order(ratings.c.pool)
    query = select(ratings).where(tuple_(person, pool) > tuple_(*after)).order_by(person, pool)
    return query.limit(limit)


def _make_figures(standing: Any) -> Json:
    return {
        "mu": standing.value.mu,
        "sigma": standing.value.sigma,
        "games": standing.games,
        "best": standing.best,
        "last_at": standing.last_at,
    }
