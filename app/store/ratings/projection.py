"""The writer of the ratings: takes finished games in, one after the other, and undoes the newest where one was missing.

Each step is one transaction, which locks the row of `rating_cursor` and checks that the caller holds its lease. After a
crash between two steps, any worker continues: a game is either taken in with all its rows, or it is pending.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, delete, distinct, func, insert, or_, select, update

from app.ratings.model import MODEL_VERSION, Value
from app.ratings.replay import (
    COMPANY_WINDOW_MS,
    TIME_LOSS_WINDOW_MS,
    Change,
    CountedGame,
    KnownFacts,
    RatedGame,
    Standing,
    company_of,
    count_game,
)
from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.ratings.stored_games import (
    START,
    Place,
    StoredGame,
    is_after,
    read_pending,
    read_stored_game,
)
from app.store.tables.games import games
from app.store.tables.ratings import rating_changes as changes
from app.store.tables.ratings import rating_cursor as cursor
from app.store.tables.ratings import ratings
from app.store.upserts import upsert

_COMMAND_PREFIX = "command "
MAX_UNDONE_ROWS = 100  # of people's changes in one transaction


class LeaseLost(Exception):
    """Another worker, or a rebuild, has taken the lease."""


class OtherModel(Exception):
    """The figures were computed by another version of the model; `cartagena ratings rebuild` replaces them."""


class RatingProjection:
    """The writer of one worker; `holder` names the worker in the lease. Times are milliseconds.

    A command, which processes all games at once, takes the lease over from a worker: workers check in each transaction
    that they still have it.
    """

    def __init__(self, database: Database, holder: str, *, is_command: bool = False) -> None:
        self.database = database
        self.holder = _COMMAND_PREFIX + holder if is_command else holder
        self._is_command = is_command

    async def find_pending(self, skip: Collection[str] = ()) -> Place | None:
        """Return the first game that was not taken in yet."""
        return await self.database.read(lambda conn: read_pending(conn, sorted(skip)))

    async def read_game(self, game: str) -> StoredGame | None:
        return await self.database.read(lambda conn: read_stored_game(conn, game))

    async def take_lease(self, now: int, until: int) -> bool:
        """Take or extend the lease; return False if another writer has it. Raise OtherModel, but not for a command."""
        first = {"id": 1, "ended_at": 0, "game": "", "model": MODEL_VERSION, "games": 0}
        first |= {"lease_until": 0, "holder": ""}
        is_free = or_(cursor.c.lease_until <= now, cursor.c.holder == self.holder)
        if self._is_command:
            is_free = or_(is_free, cursor.c.holder.not_like(f"{_COMMAND_PREFIX}%"))

        def write(conn: Connection) -> tuple[bool, int]:
            conn.execute(upsert(conn, cursor).values(first).on_conflict_do_nothing())
            lease = update(cursor).where(is_free).values(lease_until=until, holder=self.holder)
            is_taken = conn.execute(lease).rowcount == 1
            return is_taken, conn.execute(select(cursor.c.model)).scalar_one()

        is_taken, model = await self.database.write(write, durable=False)
        if is_taken and model != MODEL_VERSION and not self._is_command:
            raise OtherModel
        return is_taken

    async def end_lease(self) -> None:
        """Let other writers go on at once."""
        is_own = cursor.c.holder == self.holder
        await self.database.execute_write(update(cursor).where(is_own).values(lease_until=0, holder=""))

    async def add(self, game: RatedGame, now: int) -> bool:
        """Take a game in; return False if games after it must be undone first. A game that is in already stays as it
        is. Raise LeaseLost.
        """

        def write(conn: Connection) -> bool:
            place = lock_cursor(conn, self.holder)
            if is_taken_in(conn, game.game):
                return True
            if place >= game.place:
                return False
            counted = count_game(game, read_facts(conn, game))
            insert_changes(conn, [counted])
            for change in counted.changes:
                if change.games is not None:
                    save_standing(conn, game, change)
            mark(conn, game.place, now)
            return True

        return await self.database.write(write)

    async def leave_out(self, place: Place, now: int) -> None:
        """Mark a game as processed that is not rated after all. Raise LeaseLost."""

        def write(conn: Connection) -> None:
            if lock_cursor(conn, self.holder) < place:
                mark(conn, place, now)
            else:
                conn.execute(update(games).where(games.c.id == place[1]).values(rated_at=now))

        await self.database.write(write)

    async def undo_newest(self, place: Place) -> None:
        """Undo some of the newest games after a place; they are pending again. Raise LeaseLost."""

        def write(conn: Connection) -> None:
            lock_cursor(conn, self.holder)
            undone = _find_newest(conn, place)
            if undone:
                ids = sorted({row.game for row in undone})
                conn.execute(delete(changes).where(changes.c.game.in_(ids)))
                conn.execute(update(games).where(games.c.id.in_(ids)).values(rated_at=None))
                for person, pool in sorted({(row.person, row.pool) for row in undone}):
                    restore_standing(conn, person, pool)
                conn.execute(update(cursor).values(games=cursor.c.games - len(ids)))
            last = conn.execute(_newest(changes.c.ended_at, changes.c.game).limit(1)).one_or_none()
            ended_at, game = START if last is None else last
            conn.execute(update(cursor).values(ended_at=ended_at, game=game))

        await self.database.write(write)


# -- steps of a transaction ------------------------------------------------------------------------


def lock_cursor(conn: Connection, holder: str) -> Place:
    """Lock the cursor until the transaction ends and return its place. Raise LeaseLost."""
    row = conn.execute(select(cursor).with_for_update()).one_or_none()
    if row is None or row.holder != holder:
        raise LeaseLost
    return row.ended_at, row.game


def is_taken_in(conn: Connection, game: str) -> bool:
    return conn.execute(select(games.c.rated_at).where(games.c.id == game)).scalar() is not None


def mark(conn: Connection, place: Place, now: int) -> None:
    """Move the cursor to a game and mark it as processed."""
    ended_at, game = place
    conn.execute(update(games).where(games.c.id == game).values(rated_at=now))
    conn.execute(update(cursor).values(ended_at=ended_at, game=game, games=cursor.c.games + 1))


def read_facts(conn: Connection, game: RatedGame) -> KnownFacts:
    """Return what the stored changes say about the people of a game."""
    people = [seat.person for seat in game.seats]
    rows = conn.execute(select(ratings).where(ratings.c.person.in_(people), ratings.c.pool == game.pool))
    of_company = select(func.count(distinct(changes.c.game))).where(
        changes.c.company == company_of(game),
        changes.c.ended_at >= game.ended_at - COMPANY_WINDOW_MS,
        changes.c.void.is_(None),
    )
    late = [seat.person for seat in game.seats if seat.timed_out]
    timed_out = select(changes.c.person).where(
        changes.c.person.in_(late),
        changes.c.timed_out.is_(True),
        changes.c.ended_at >= game.ended_at - TIME_LOSS_WINDOW_MS,
        changes.c.void.is_(None),
    )
    return KnownFacts(
        {row.person: Standing(Value(row.mu, row.sigma), row.games, row.best, row.last_at) for row in rows},
        conn.execute(of_company).scalar_one(),
        frozenset(conn.execute(timed_out).scalars()) if late else frozenset(),
    )


def insert_changes(conn: Connection, counted: Sequence[CountedGame]) -> None:
    rows = [row for each in counted for row in make_change_rows(each)]
    if rows:
        conn.execute(insert(changes), rows)


def make_change_rows(counted: CountedGame) -> list[dict[str, Any]]:
    """Return the rows of `rating_changes` of a game."""
    game = counted.game
    return [
        {
            "game": game.game,
            "person": change.seat.person,
            "seat": change.seat.seat,
            "pool": game.pool,
            "ended_at": game.ended_at,
            "company": counted.company,
            "rank": change.seat.rank,
            "timed_out": change.seat.timed_out,
            "weight": counted.weight,
            "void": counted.void,
            "mu_before": change.before.mu,
            "sigma_before": change.before.sigma,
            "mu": change.after.mu,
            "sigma": change.after.sigma,
            "games": change.games,
            "best": change.best,
        }
        for change in counted.changes
    ]


def save_standing(conn: Connection, game: RatedGame, change: Change) -> None:
    figures = {
        "mu": change.after.mu,
        "sigma": change.after.sigma,
        "games": change.games,
        "best": change.best,
        "last_at": game.ended_at,
    }
    _upsert_standing(conn, change.seat.person, game.pool, figures)


def restore_standing(conn: Connection, person: str, pool: str) -> None:
    """Set a person's figures to those after the latest game that is left; delete them if none is."""
    of_person = (changes.c.person == person, changes.c.pool == pool, changes.c.games.is_not(None))
    last = conn.execute(
        select(changes).where(*of_person).order_by(changes.c.games.desc()).limit(1)
    ).one_or_none()
    if last is None:
        conn.execute(delete(ratings).where(ratings.c.person == person, ratings.c.pool == pool))
        return
    figures = {name: getattr(last, name) for name in ("mu", "sigma", "games", "best")}
    _upsert_standing(conn, person, pool, {**figures, "last_at": last.ended_at})


def _upsert_standing(conn: Connection, person: str, pool: str, figures: dict[str, Any]) -> None:
    row = {"person": person, "pool": pool, **figures}
    conn.execute(
        upsert(conn, ratings)
        .values(row)
        .on_conflict_do_update(index_elements=["person", "pool"], set_=figures)
    )


def _newest(*columns: Any) -> Any:
    return select(*columns).order_by(changes.c.ended_at.desc(), lock_order(changes.c.game).desc())


def _find_newest(conn: Connection, place: Place) -> list[Any]:
    """Return the rows of some of the newest games after a place, all rows of each."""
    query = _newest(changes.c.game, changes.c.person, changes.c.pool).where(
        is_after(changes.c.ended_at, changes.c.game, place)
    )
    rows = list(conn.execute(query.limit(MAX_UNDONE_ROWS)))
    if len(rows) < MAX_UNDONE_ROWS:
        return rows
    return [row for row in rows if row.game != rows[-1].game]  # whose other rows may be missing
