"""Reading the ratings: leaderboards, a person's figures and history, what a game changed, results against bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, distinct, exists, func, literal, or_, select

from app.ratings.bot_strengths import BotResults
from app.ratings.display import MAX_LISTED_AGE_MS, MAX_LISTED_SIGMA, MIN_LISTED_GAMES
from app.ratings.model import INITIAL, Value
from app.ratings.pools import POOLS, Pool, pool_of
from app.store.database import Database
from app.store.tables.games import games, seats
from app.store.tables.people import bans, players
from app.store.tables.ratings import rating_changes as changes
from app.store.tables.ratings import ratings

MAX_PLACES = 1_000  # on a leaderboard; counting further would cost more the more people there are
MAX_POINTS = 400  # of a history
MAX_BOT_GAMES = 500  # that the estimate of a level is made from

_own, _bots = seats.alias("own"), seats.alias("bots")


class PoolStanding(NamedTuple):
    """A person's figures in a pool, and the place on the leaderboard, if any."""

    value: Value
    games: int
    best: int | None
    last_at: int
    place: int | None


class BotGames(NamedTuple):
    """A person's results against bots in a pool, and how many games they come from."""

    results: tuple[BotResults, ...]
    games: int


class RatingReader:
    """Queries for pages and the API. Times are milliseconds."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def list_leaders(self, pool: Pool, now: int, limit: int, offset: int) -> list[dict[str, Any]]:
        """Return a page of the leaderboard, best first."""
        query = (
            select(
                ratings.c.person, players.c.name, ratings.c.mu, ratings.c.sigma, ratings.c.games,
                ratings.c.last_at,
            )
            .join(players, players.c.id == ratings.c.person)
            .where(ratings.c.pool == pool, _is_listed(now))
            .order_by(ratings.c.mu.desc(), ratings.c.person)
            .limit(limit)
            .offset(offset)
        )  # fmt: skip
        return await self.database.fetch_dicts(query)

    async def read_person(self, person: str, now: int) -> dict[Pool, PoolStanding]:
        """Return a person's figures in each pool in which they have any."""
        is_listed = exists().where(players.c.id == ratings.c.person, _is_listed(now)).correlate(ratings)
        query = select(ratings, is_listed.label("is_listed")).where(ratings.c.person == person)

        def read(conn: Connection) -> dict[Pool, PoolStanding]:
            return {
                row.pool: PoolStanding(
                    Value(row.mu, row.sigma),
                    row.games,
                    row.best,
                    row.last_at,
                    _find_place(conn, row, now) if row.is_listed else None,
                )
                for row in conn.execute(query).all()
            }

        return await self.database.read(read)

    async def read_values(self, people: Sequence[str], pool: Pool) -> dict[str, Value]:
        """Return the values of these people in a pool; those of new people are the initial ones."""
        query = select(ratings.c.person, ratings.c.mu, ratings.c.sigma).where(
            ratings.c.person.in_(people), ratings.c.pool == pool
        )
        found = {row.person: Value(row.mu, row.sigma) for row in await self.database.fetch_rows(query)}
        return {person: found.get(person, INITIAL) for person in people}

    async def read_history(self, person: str, pool: Pool) -> list[tuple[int, Value]]:
        """Return end and value after at most MAX_POINTS games, spread evenly; the last game is one of them."""
        count_query = select(ratings.c.games).where(ratings.c.person == person, ratings.c.pool == pool)
        count = next((row.games for row in await self.database.fetch_rows(count_query)), 0)
        if not count:
            return []
        # Looked up by number, so that a long history costs no more than a short one.
        step = -(-count // MAX_POINTS)
        query = (
            select(changes.c.ended_at, changes.c.mu, changes.c.sigma)
            .where(changes.c.person == person, changes.c.pool == pool)
            .where(changes.c.games.in_(range(count, 0, -step)))
            .order_by(changes.c.games)
        )
        rows = await self.database.fetch_rows(query)
        return [(row.ended_at, Value(row.mu, row.sigma)) for row in rows]

    async def read_game(self, game: str) -> list[dict[str, Any]]:
        """Return what a game changed, by seat; empty while it has not been processed."""
        return await self.database.fetch_dicts(
            select(changes).where(changes.c.game == game).order_by(changes.c.seat)
        )

    async def read_bot_games(self, ids: Sequence[str]) -> dict[Pool, BotGames]:
        """Return a person's results against bots, from MAX_BOT_GAMES finished games chosen by their random ids.

        Games in which a bot played for the person are left out.
        """
        sample = (
            select(_own.c.game, _own.c.place)
            .where(_own.c.person.in_(ids), _own.c.place.is_not(None), _own.c.bot.is_(None))
            .order_by(_own.c.game)
            .limit(MAX_BOT_GAMES)
            .subquery("sample")
        )
        seat_count: ColumnElement[int] = case((games.c.players == 2, literal(2)), else_=literal(3))
        hands: ColumnElement[str] = case(
            (games.c.options.like('%"hands":"open"%'), literal("open")), else_=literal("hidden")
        )
        wins = case((sample.c.place < _bots.c.place, 1.0), (sample.c.place == _bots.c.place, 0.5), else_=0.0)
        met = (
            sample.join(games, games.c.id == sample.c.game)
            .join(_bots, and_(_bots.c.game == sample.c.game, _bots.c.person.is_(None)))
        )  # fmt: skip
        is_met = (games.c.status == "finished", _bots.c.bot.is_not(None), _bots.c.place.is_not(None))
        kind = (seat_count.label("seats"), hands.label("hands"))
        by_level = (
            select(*kind, _bots.c.bot, func.sum(wins).label("wins"), func.count().label("games"))
            .select_from(met)
            .where(*is_met)
            .group_by(seat_count, hands, _bots.c.bot)
        )
        by_pool = (
            select(*kind, func.count(distinct(sample.c.game)).label("games"))
            .select_from(met)
            .where(*is_met)
            .group_by(seat_count, hands)
        )
        results: dict[Pool, list[BotResults]] = {pool: [] for pool in POOLS}
        for row in await self.database.fetch_rows(by_level):
            results[pool_of(row.seats, row.hands)].append(BotResults(row.bot, float(row.wins), row.games))
        return {
            (pool := pool_of(row.seats, row.hands)): BotGames(tuple(results[pool]), row.games)
            for row in await self.database.fetch_rows(by_pool)
        }


def _find_place(conn: Connection, row: Any, now: int) -> int | None:
    """Return the place of a listed person; None beyond MAX_PLACES."""
    ahead = (
        select(ratings.c.person)
        .join(players, players.c.id == ratings.c.person)
        .where(ratings.c.pool == row.pool, ratings.c.mu > row.mu, _is_listed(now))
        .limit(MAX_PLACES)
        .subquery()
    )
    count = conn.execute(select(func.count()).select_from(ahead)).scalar_one()
    return count + 1 if count < MAX_PLACES else None


def _is_listed(now: int) -> ColumnElement[bool]:
    """Return whether a joined person is on the leaderboard of the row's pool."""
    is_banned = exists().where(
        bans.c.player == players.c.id, or_(bans.c.until.is_(None), bans.c.until > now // 1000)
    )
    return and_(
        ratings.c.games >= MIN_LISTED_GAMES,
        ratings.c.sigma <= MAX_LISTED_SIGMA,
        ratings.c.last_at >= now - MAX_LISTED_AGE_MS,
        players.c.is_account.is_(True),
        players.c.deleted_at.is_(None),
        ~is_banned,
    )
