"""The games of the public file, page by page in the order of processing."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, select

from app.ratings.model import MODEL_VERSION, Value
from app.ratings.public_file import PublicGame, PublicSeat, make_opaque_id
from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.ratings.stored_games import START, Place, is_after
from app.store.tables.games import games
from app.store.tables.ratings import rating_changes as changes
from app.store.tables.ratings import rating_cursor as cursor
from app.store.tables.ratings import rating_settings as settings

ROWS_PER_PAGE = 300  # of people's changes; reading and writing them takes about 5 ms
SETTLED_AFTER_MS = 3_600_000  # later games may still be undone for a moment, because an earlier one turned up

_QUERY = (
    select(
        changes,
        and_(games.c.is_listed, games.c.is_watchable).label("is_public"),
        func.coalesce(settings.c.is_withheld, False).label("is_withheld"),
    )
    .outerjoin(games, games.c.id == changes.c.game)
    .outerjoin(settings, settings.c.person == changes.c.person)
    .order_by(changes.c.ended_at, lock_order(changes.c.game), changes.c.seat)
)


class GamePage(NamedTuple):
    """Rows of whole games, where the next page begins, and how far the ratings had got when it was read.

    `is_current` is false if the figures are those of another model, or a rebuild is writing them.
    """

    rows: tuple[Any, ...]
    place: Place
    cursor: Place
    is_current: bool
    is_last: bool


class PublicGames:
    """Queries for the public file."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def read_page(self, after: Place, until: int, limit: int = ROWS_PER_PAGE) -> GamePage:
        """Return the next games after a place that ended before `until`."""
        query = _QUERY.where(is_after(changes.c.ended_at, changes.c.game, after), changes.c.ended_at < until)

        def read(conn: Connection) -> GamePage:
            rows = conn.execute(query.limit(limit)).all()
            is_last = len(rows) < limit
            if not is_last:  # the last game may have more rows
                rows = [row for row in rows if row.game != rows[-1].game]
            row = conn.execute(select(cursor.c.ended_at, cursor.c.game, cursor.c.model)).one_or_none()
            reached = START if row is None else (row.ended_at, row.game)
            is_current = row is None or row.model == MODEL_VERSION
            place = (rows[-1].ended_at, rows[-1].game) if rows else after
            return GamePage(tuple(rows), place, reached, is_current, is_last)

        return await self.database.read(read)


def make_public_games(rows: tuple[Any, ...], secret: str) -> list[PublicGame]:
    """Return the games of a page as the file shows them. CPU work for the offload thread."""
    found = []
    for game, of_game in groupby(rows, key=attrgetter("game")):
        seats = list(of_game)
        first = seats[0]
        is_shown = first.is_public and not any(seat.is_withheld for seat in seats)
        found.append(
            PublicGame(
                game if is_shown else None,
                first.ended_at,
                first.pool,
                first.weight,
                first.void,
                tuple(_make_seat(seat, secret) for seat in seats),
            )
        )
    return found


def _make_seat(row: Any, secret: str) -> PublicSeat:
    return PublicSeat(
        None if row.is_withheld else make_opaque_id(secret, row.person),
        row.rank,
        row.timed_out,
        Value(row.mu_before, row.sigma_before),
        Value(row.mu, row.sigma),
    )
