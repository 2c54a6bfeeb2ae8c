"""Finished rated games as they are stored, and the order in which they are processed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson
from sqlalchemy import ColumnElement, Connection, and_, or_, select, text

from app.play.log.clocks import CLOCK_CLASSES
from app.ratings.parse import read_rated_game
from app.ratings.replay import RatedGame
from app.store.batcher import pad_to_power_of_two
from app.store.lock_order import lock_order
from app.store.tables.games import RATED_CLAUSE, UNRATED_CLAUSE, games, seats

Place = tuple[int, str]
"""A place in the order of processing: when a game ended, and its id, compared by code point."""
START: Place = (0, "")

# The clause as in the partial indexes, which SQLite uses for no other. Columns of other tables do not have these names.
is_rated = text(RATED_CLAUSE)
_sqlite_is_rated = text(RATED_CLAUSE.replace("TRUE", "1"))
_COLUMNS = (games.c.id, games.c.ended_at, games.c.options, games.c.result, games.c.terms, games.c.rated_at)


class StoredGame(NamedTuple):
    """A game as it is stored, with the people by seat. Nothing in it has been decoded."""

    id: str
    ended_at: int
    options: str
    result: str
    terms: str
    rated_at: int | None
    people: dict[int, str]

    @property
    def place(self) -> Place:
        return self.ended_at, self.id

    def decode(self, result: dict[str, Any] | None = None) -> RatedGame | None:
        """Return the game as the ratings see it; None if its result has no ranks. Raise if it cannot be read.

        `result` replaces the stored one.
        """
        kind = orjson.loads(self.terms).get("clock", {}).get("kind", "none")
        return read_rated_game(
            self.id,
            self.ended_at,
            orjson.loads(self.options),
            orjson.loads(self.result) if result is None else result,
            self.people,
            is_correspondence=CLOCK_CLASSES[kind].is_correspondence,
        )


def select_rated(conn: Connection, *columns: Any) -> Any:
    """Select from the finished rated games, in a form that uses their partial indexes."""
    return select(*columns).where(_sqlite_is_rated if conn.dialect.name == "sqlite" else is_rated)


def is_after(ended_at: ColumnElement[int], game: ColumnElement[str], place: Place) -> ColumnElement[bool]:
    """Return the condition that a row is after a place. The first part alone decides which index rows are read."""
    return and_(ended_at >= place[0], or_(ended_at > place[0], lock_order(game) > place[1]))


def in_order(ended_at: ColumnElement[int], game: ColumnElement[str]) -> tuple[ColumnElement[Any], ...]:
    return ended_at, lock_order(game)


def read_pending(conn: Connection, skip: Sequence[str]) -> Place | None:
    """Return the first game that was not processed yet, without those to skip."""
    query = (
        select(games.c.ended_at, games.c.id)
        .where(text(UNRATED_CLAUSE), games.c.id.not_in(skip))
        .order_by(*in_order(games.c.ended_at, games.c.id))
        .limit(1)
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else (row.ended_at, row.id)


def read_stored_game(conn: Connection, game: str) -> StoredGame | None:
    """Return a finished rated game."""
    found = _with_people(conn, conn.execute(select_rated(conn, *_COLUMNS).where(games.c.id == game)).all())
    return found[0] if found else None


def read_page(conn: Connection, after: Place, limit: int) -> list[StoredGame]:
    """Return the next finished rated games in their order, whether they were processed or not."""
    query = (
        select_rated(conn, *_COLUMNS)
        .where(is_after(games.c.ended_at, games.c.id, after))
        .order_by(*in_order(games.c.ended_at, games.c.id))
        .limit(limit)
    )
    return _with_people(conn, conn.execute(query).all())


def _with_people(conn: Connection, rows: Sequence[Any]) -> list[StoredGame]:
    people: dict[str, dict[int, str]] = {row.id: {} for row in rows}
    if people:
        of_games = select(seats.c.game, seats.c.seat, seats.c.person).where(
            seats.c.game.in_(pad_to_power_of_two(list(people))), seats.c.person.is_not(None)
        )
        for game, seat, person in conn.execute(of_games):
            people[game][seat] = person
    return [
        StoredGame(row.id, row.ended_at, row.options, row.result, row.terms, row.rated_at, people[row.id])
        for row in rows
    ]
