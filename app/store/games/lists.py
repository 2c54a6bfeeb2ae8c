"""Lists of games and statistics of results, for the lobby, profiles and matchmaking."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, union

from app.play.deal.days import DAY_MS, day_of, day_starts_at
from app.play.engines import ALL_DEAL_RULES_VERSIONS
from app.play.log.entries import GameRow, OwnTurn
from app.store.database import Database
from app.store.games.game_rows import GAMES_WITH_HEADS, decode_game, read_games
from app.store.tables.deals import deal_tries as tries
from app.store.tables.games import games, heads, seats

_log = logging.getLogger("cartagena.store")

_IS_PUBLIC = and_(games.c.status == "finished", games.c.is_listed, games.c.is_watchable)


def _is_shown_deal(now: int) -> ColumnElement[bool]:
    """Select finished games of a deal of the day whose day is over, so that anyone can see them.

    They are unlisted, because they are not for the lobby. Only the try that counts is shown: later tries are made with
    the deal already known.
    """
    is_past = games.c.created_at < day_starts_at(day_of(now))
    # A result without `ended_at` is stored within seconds.
    ended_at = func.coalesce(tries.c.ended_at, tries.c.began_at)
    is_in_time = ended_at // DAY_MS == tries.c.began_at // DAY_MS
    is_counted = exists().where(tries.c.game == games.c.id, tries.c.n == 1, is_in_time)
    return and_(
        games.c.rules_version.in_(sorted(ALL_DEAL_RULES_VERSIONS)),
        games.c.status == "finished",
        is_past,
        is_counted,
    )


class SqlGameLists:
    """Implements the GameLists port."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def list_games(self, which: str, limit: int, offset: int = 0) -> list[GameRow]:
        if which == "open":
            # A table without people is not listed: it is closed soon unless its host returns.
            has_people = games.c.taken > games.c.bots
            wanted = and_(games.c.status == "open", games.c.taken < games.c.players, has_people)
        else:
            wanted = and_(games.c.status == "running", games.c.is_watchable)
        query = (
            GAMES_WITH_HEADS.where(games.c.is_listed, wanted)
            .order_by(games.c.created_at.desc(), games.c.id)
            .limit(limit)
            .offset(offset)
        )
        return await self._games(query)

    async def list_open_tables(
        self, preset: str | None, seats: int | None, limit: int, offset: int
    ) -> list[GameRow]:
        wanted = and_(
            games.c.taken < games.c.players,
            *(() if preset is None else (games.c.preset == preset,)),
            *(() if seats is None else (games.c.players == seats,)),
        )
        query = (
            GAMES_WITH_HEADS.where(games.c.status == "open", games.c.is_listed, wanted)
            .order_by(games.c.created_at.desc(), games.c.id)
            .limit(limit)
            .offset(offset)
        )
        return await self._games(query)

    async def list_games_of(
        self,
        people: Sequence[str],
        *,
        unfinished: bool,
        limit: int,
        offset: int = 0,
        public_at: int | None = None,
    ) -> list[GameRow]:
        seated = select(seats.c.game).where(seats.c.person.in_(people))
        if unfinished:  # uses an index of seats without a place
            seated = seated.where(seats.c.place.is_(None))
        opened = select(games.c.id).where(games.c.creator.in_(people), games.c.status == "open")
        # Join from the ids to the games. With a condition on games, SQLite would scan all games of that status.
        game_ids = union(seated, opened).subquery()
        status = ("open", "running") if unfinished else ("finished", "aborted")
        query = (
            GAMES_WITH_HEADS.join(game_ids, game_ids.c.game == games.c.id)
            .where(games.c.status.in_(status))
            .order_by(heads.c.updated_at.desc())
            .limit(limit)
            .offset(offset)
        )
        if public_at is not None:
            is_public = and_(games.c.is_listed, games.c.is_watchable)
            query = query.where(or_(is_public, _is_shown_deal(public_at)))
        return await self._games(query)

    async def list_turns_of(self, people: Sequence[str], limit: int) -> list[OwnTurn]:
        # No decoded options and names: every page asks for this.
        query = (
            select(seats.c.game, seats.c.seat, seats.c.bot, heads.c.to_act)
            .select_from(
                seats.join(games, games.c.id == seats.c.game).join(heads, heads.c.game == seats.c.game)
            )
            .where(seats.c.person.in_(people), seats.c.place.is_(None))
            .where(games.c.status.in_(("open", "running")))
            .limit(limit)
        )
        return [
            OwnTurn(row.game, row.bot is None and str(row.seat) in row.to_act.split(","))
            for row in await self.database.fetch_rows(query)
        ]

    async def count_results(self, people: Sequence[str], now: int) -> list[tuple[str, int, int]]:
        # Counted by the database, off the event loop: thousands of games give a few rows.
        query = (
            select(games.c.preset, seats.c.place, func.count())
            .select_from(seats.join(games, games.c.id == seats.c.game))
            .where(seats.c.person.in_(people), seats.c.place.is_not(None))
            .where(or_(_IS_PUBLIC, _is_shown_deal(now)))
            .group_by(games.c.preset, seats.c.place)
        )
        return [(row[0], row[1], row[2]) for row in await self.database.fetch_rows(query)]

    async def count_colours(self, people: Sequence[str], now: int) -> list[tuple[str, int]]:
        query = (
            select(seats.c.colour, func.count())
            .select_from(seats.join(games, games.c.id == seats.c.game))
            .where(seats.c.person.in_(people), or_(_IS_PUBLIC, _is_shown_deal(now)))
            .group_by(seats.c.colour)
            .order_by(func.count().desc(), seats.c.colour)
        )
        return [(row[0], row[1]) for row in await self.database.fetch_rows(query)]

    async def count_results_between(
        self, people: Sequence[str], others: Sequence[str]
    ) -> tuple[int, int, int]:
        other_seats = seats.alias("other_seats")
        both = seats.join(other_seats, other_seats.c.game == seats.c.game)
        query = (
            select(seats.c.place, other_seats.c.place, func.count())
            .select_from(both)
            .where(seats.c.person.in_(people), other_seats.c.person.in_(others))
            .where(seats.c.place.is_not(None), other_seats.c.place.is_not(None))
            .group_by(seats.c.place, other_seats.c.place)
        )
        counted = [(row[0], row[1], row[2]) for row in await self.database.fetch_rows(query)]
        return (
            sum(count for _, _, count in counted),
            sum(count for place, other_place, count in counted if place < other_place),
            sum(count for place, other_place, count in counted if place > other_place),
        )

    async def _games(self, query: Any) -> list[GameRow]:
        found = await self.database.read(lambda conn: read_games(conn, query))
        games_found: list[GameRow] = []
        for row, seated in found:
            try:
                games_found.append(decode_game(row, seated))
            except ValueError:
                # One bad row must not hide all other games.
                _log.exception("game %s cannot be listed: its row cannot be decoded", row.id)
        return games_found
