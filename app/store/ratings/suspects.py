"""Pairs of people whose rated games an operator may want to look at. Nothing follows from them automatically."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import and_, case, distinct, func, select

from app.store.database import Database
from app.store.tables.games import games, heads
from app.store.tables.people import players, sessions
from app.store.tables.ratings import rating_changes

WINDOW_MS = 30 * 86_400_000
MIN_LOPSIDED_GAMES = 10
MIN_LOPSIDED_SHARE = 0.9  # of the games between them in which the same one was ahead
MIN_SHORT_GAMES = 3
MAX_SHORT_ENTRIES = 40  # in the log of a resigned game: some ten turns
MIN_GAMES_FROM_SAME_ADDRESS = 3


class SuspectPair(NamedTuple):
    """Two people, how often each finished ahead of the other, and why they are listed."""

    one: str
    one_name: str | None
    other: str
    other_name: str | None
    games: int
    one_ahead: int
    other_ahead: int
    short_resigned: int
    shared_origins: int

    def list_reasons(self) -> list[str]:
        """Return why the pair is listed, as sentences for the operator; empty if there is no reason."""
        found = []
        most = max(self.one_ahead, self.other_ahead)
        if self.games >= MIN_LOPSIDED_GAMES and most >= MIN_LOPSIDED_SHARE * self.games:
            found.append(f"the same one was ahead in {most} of {self.games} games")
        if self.short_resigned >= MIN_SHORT_GAMES:
            found.append(f"{self.short_resigned} games were resigned after a few turns")
        if self.shared_origins and self.games >= MIN_GAMES_FROM_SAME_ADDRESS:
            found.append("both were seen from the same address")
        return found


class SuspectFinder:
    """Finds pairs among the rated games of the last 30 days."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def find(self, now: int, limit: int) -> list[SuspectPair]:
        """Return the pairs with the most reasons first, then those with the most games. `now` in milliseconds."""
        rows = await self.database.fetch_rows(_select_pairs(now - WINDOW_MS))
        pairs = [pair for row in rows if (pair := SuspectPair(*row)).list_reasons()]
        return sorted(pairs, key=lambda pair: (-len(pair.list_reasons()), -pair.games, pair.one))[:limit]


def _select_pairs(since: int) -> Any:
    """Select the pairs with at least three common games; the database counts, so that few rows come back."""
    one, other = rating_changes.alias("one"), rating_changes.alias("other")
    one_player, other_player = players.alias("one_player"), players.alias("other_player")
    one_session, other_session = sessions.alias("one_session"), sessions.alias("other_session")
    is_short = and_(games.c.result.like('%"reason":"resigned"%'), heads.c.seq <= MAX_SHORT_ENTRIES)
    both = and_(other.c.game == one.c.game, other.c.person > one.c.person)
    shared = (
        select(func.count(distinct(one_session.c.came_from)))
        .where(one_session.c.player == one.c.person, other_session.c.player == other.c.person)
        .where(one_session.c.came_from == other_session.c.came_from)
        .correlate(one, other)
        .scalar_subquery()
    )
    least = min(MIN_SHORT_GAMES, MIN_GAMES_FROM_SAME_ADDRESS, MIN_LOPSIDED_GAMES)
    return (
        select(
            one.c.person,
            func.max(one_player.c.name),
            other.c.person,
            func.max(other_player.c.name),
            func.count(),
            func.sum(case((one.c.rank < other.c.rank, 1), else_=0)),
            func.sum(case((one.c.rank > other.c.rank, 1), else_=0)),
            func.sum(case((is_short, 1), else_=0)),
            shared,
        )
        .select_from(
            one.join(other, both)
            .join(games, games.c.id == one.c.game)
            .join(heads, heads.c.game == one.c.game)
            .outerjoin(one_player, one_player.c.id == one.c.person)
            .outerjoin(other_player, other_player.c.id == other.c.person)
        )
        .where(one.c.ended_at >= since)
        .group_by(one.c.person, other.c.person)
        .having(func.count() >= least)
    )
