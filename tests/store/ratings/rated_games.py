"""Finished rated games as rows, and a writer that takes them in; for tests of the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, delete, insert, select, update

from app.play.queues import ClaimLoop, Failures
from app.play.tasks import Tasks
from app.ratings.ranks import rank_people
from app.store.database import Database
from app.store.games.queue_failures import SqlFailures
from app.store.ratings.projection import RatingProjection
from app.store.ratings.rebuild import Rebuild, RebuildReport
from app.store.tables.games import games, log, queue_failures, seats
from app.store.tables.people import erasures, players
from app.store.tables.ratings import rating_changes, rating_cursor, rating_settings, ratings
from app.web.ratings import RatingQueue
from tests.play.stage import START, ManualClock, RecordingMetrics

HOUR = 3_600_000
TABLES = (
    rating_changes, ratings, rating_cursor, rating_settings, log, seats, games, erasures, queue_failures, players,
)  # fmt: skip


def make_game(
    game: str,
    at: int,
    people: Sequence[str | None],
    places: Sequence[int],
    *,
    hands: str = "hidden",
    timed_out: Sequence[int] = (),
    kind: str = "none",
    **columns: Any,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the rows of a finished rated game and of its seats; None is a bot."""
    seated = [seat for seat, person in enumerate(people) if person is not None]
    result = {
        "winner": list(places).index(1),
        "places": list(places),
        "reason": "goal",
        "ranks": rank_people(places, seated, timed_out),
        **({"timed_out": list(timed_out)} if timed_out else {}),
    }
    options = {"preset": "jamaica", "players": len(people), "hands": hands}
    row = {
        "id": game,
        "rules_version": 4,
        "preset": "jamaica",
        "founded": "{}",
        "options": orjson.dumps(options).decode(),
        "terms": orjson.dumps({"clock": {"kind": kind}, "visibility": "open"}).decode(),
        "is_listed": True,
        "is_watchable": True,
        "server_seed": "",
        "commitment": "",
        "creator": "p_creator",
        "created_at": at - HOUR,
        "status": "finished",
        "players": len(people),
        "taken": len(people),
        "bots": len(people) - len(seated),
        "host": "p_creator",
        "started_at": at - HOUR,
        "ended_at": at,
        "result": orjson.dumps(result).decode(),
        "is_rated": True,
        **columns,
    }
    return row, [
        {
            "game": game,
            "seat": seat,
            "person": person,
            "name": "",
            "colour": "red",
            "bot": "mate" if person is None else None,
            "place": places[seat],
        }
        for seat, person in enumerate(people)
    ]


class RatingWorker:
    """One worker's queue of ratings, on a clock that is set by hand."""

    def __init__(self, database: Database, clock: ManualClock, name: str) -> None:
        self.projection = RatingProjection(database, name)
        self.results: dict[str, dict[str, Any]] = {}
        self.queue = RatingQueue(self.projection, self._read_result, clock)
        failures = Failures(SqlFailures(database), clock, RecordingMetrics())
        self.loop = ClaimLoop(self.queue, failures, Tasks(), poll_ms=1000, concurrency=1)

    async def _read_result(self, game: str) -> dict[str, Any]:
        return self.results.get(game, {})


class RatedSite:
    """A database with rated games."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.clock = ManualClock()
        self.clock.time = START
        self.worker = RatingWorker(database, self.clock, "first worker")

    async def empty(self) -> None:
        await self.write(*(delete(table) for table in TABLES))

    async def write(self, *statements: Any) -> None:
        def work(conn: Connection) -> None:
            for statement in statements:
                conn.execute(statement)

        await self.database.write(work)

    async def add_games(self, *made: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
        await self.write(
            *(insert(games).values(row) for row, _ in made),
            *(insert(seats).values(taken) for _, taken in made),
        )

    async def add_players(self, *people: str, is_account: bool = True, **columns: Any) -> None:
        rows = [
            {
                "id": person, "name": person, "skeleton": person, "is_account": is_account, "is_bot": False,
                "made_at": 1, "seen_at": 1, **columns,
            }
            for person in people
        ]  # fmt: skip
        await self.write(insert(players).values(rows))

    async def rebuild(self, *, writes: bool, page_size: int = 3) -> RebuildReport:
        projection = RatingProjection(self.database, "rebuild", is_command=True)
        run = Rebuild(
            projection, self.worker._read_result, self.clock.now, writes=writes, page_size=page_size
        )
        return await run.run()

    async def snapshot(self) -> dict[str, list[dict[str, Any]]]:
        """Everything that the ratings have stored, in a fixed order."""
        found = {}
        for table in (ratings, rating_changes):
            rows = await self.database.fetch_dicts(select(table))
            found[table.name] = sorted(rows, key=repr)
        cursor = await self.database.fetch_dicts(
            select(rating_cursor.c.ended_at, rating_cursor.c.game, rating_cursor.c.games)
        )
        marked = select(games.c.id).where(games.c.rated_at.is_not(None))
        return {
            **found,
            "cursor": cursor,
            "marked": sorted(await self.database.fetch_dicts(marked), key=repr),
        }

    async def figures(self, pool: str = "duel-hidden") -> dict[str, tuple[float, float, int]]:
        rows = await self.database.fetch_rows(select(ratings).where(ratings.c.pool == pool))
        return {row.person: (row.mu, row.sigma, row.games) for row in rows}

    async def change(self, game: str, person: str) -> Any:
        query = select(rating_changes).where(rating_changes.c.game == game, rating_changes.c.person == person)
        (row,) = await self.database.fetch_rows(query)
        return row

    async def forget_ratings(self) -> None:
        await self.write(
            delete(rating_changes),
            delete(ratings),
            delete(rating_cursor),
            update(games).values(rated_at=None),
        )


async def drain(worker: RatingWorker) -> None:
    """Take everything in that is pending."""
    while await worker.loop.run_once():
        pass
