"""Deals of the day: the deal of each day, tries of it, results and rankings.

A person's try number 1 of a day is the one that counts, and it stays number 1. `begin_try` assigns the next number
under a lock on the person's row. Claiming a guest (app/store/people/references.py) keeps the guest's number 1 only if
the account has no try of that day. The unique index on (day, person, n) enforces this.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import orjson
from sqlalchemy import Connection, and_, case, delete, exists, func, insert, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from app.play.deal.days import Deal, day_ends_at
from app.play.deal.par import Par
from app.play.deal.results import RESIGNED_SCORE, DealResult, Turn
from app.play.deal.statistics import DealStatistics, FinishedTry, summarise_tries
from app.store.database import Database
from app.store.people.player_rows import lock_present
from app.store.tables.deals import deal_tries as tries
from app.store.tables.deals import deals
from app.store.tables.games import games
from app.store.tables.people import players

MAX_COMPARED_TRIES = 1_000  # other tries that a try is compared with
MAX_STATISTICS_TRIES = 4_000  # the latest
MAX_TRIES_PER_DAY = 20  # of one person; the front page reads them all
_ENDED_STATUSES = ("finished", "aborted")
_owners = players.alias("deal_owners")
_tried_games = select(tries, games.c.status).outerjoin(games, games.c.id == tries.c.game)
_decode_par = msgspec.json.Decoder(Par).decode
decode_line = msgspec.json.Decoder(tuple[Turn, ...]).decode


class TooManyTries(Exception):
    """The person has used all their tries of the day."""


class Try(msgspec.Struct, frozen=True):
    """A try of a deal. `ended_at` is None until its result is stored; `n` is its number among the person's tries."""

    game: str
    day: str
    n: int
    person: str
    began_at: int
    ended_at: int | None
    score: int | None
    is_won: bool | None
    turns: int | None
    spaces: int | None
    line: tuple[Turn, ...]
    has_game: bool
    is_over: bool  # the game exists and has ended

    @property
    def is_late(self) -> bool:
        """Return whether it ended after its day, when the deal had been revealed."""
        return self.ended_at is not None and self.ended_at >= day_ends_at(self.day)

    @property
    def is_counted(self) -> bool:
        """Return whether this is the person's result of the day."""
        return self.n == 1 and not self.is_late


class DealStore:
    """Queries about deals and tries, for app/web/deals.py."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def find_deal(self, day: str) -> Deal | None:
        rows = await self.database.fetch_rows(select(deals).where(deals.c.day == day))
        return _decode_deal(rows[0]) if rows else None

    async def save_deal(self, deal: Deal) -> Deal:
        """Store the deal of a day and return it; if another worker stored one first, return that one."""
        row = {
            "day": deal.day,
            "server_seed": deal.server_seed,
            "commitment": deal.commitment,
            "options": orjson.dumps(deal.options).decode(),
            "opponents": orjson.dumps(deal.opponents).decode(),
            "made_at": deal.made_at,
        }
        try:
            await self.database.execute_write(insert(deals).values(**row))
        except IntegrityError:
            stored = await self.find_deal(deal.day)
            assert stored is not None
            return stored
        return deal

    # -- tries -------------------------------------------------------------------------------------

    async def list_tries(self, ids: Sequence[str], day: str) -> list[Try]:
        """Return a person's tries of a day, the one that counts first. Of the ids, the present one comes first."""
        return await self.database.read(lambda conn: _read_tries(conn, ids, day))

    async def begin_try(self, ids: Sequence[str], day: str, game: str, now: int) -> Try | None:
        """Return the person's unfinished try of a day, or record and return a new one with the id of its future game.

        Return None if the person was claimed or erased meanwhile; the caller may retry. Raise TooManyTries.
        """

        def write(conn: Connection) -> Try | None:
            if not lock_present(conn, ids[:1], unclaimed=True):
                return None
            own_tries = _read_tries(conn, ids, day)
            unfinished = next((attempt for attempt in own_tries if not attempt.is_over), None)
            if unfinished is not None:
                return unfinished
            if len(own_tries) >= MAX_TRIES_PER_DAY:
                raise TooManyTries
            is_of_person = (tries.c.day == day, tries.c.person.in_(ids))
            last = conn.execute(select(func.max(tries.c.n)).where(*is_of_person)).scalar() or 0
            row = {"game": game, "day": day, "person": ids[0], "n": last + 1, "began_at": now}
            conn.execute(insert(tries).values(**row))
            return next(attempt for attempt in _read_tries(conn, ids, day) if attempt.game == game)

        return await self.database.write(write)

    async def find_ended_tries(self, since: str, limit: int, skip: Collection[str] = ()) -> list[Try]:
        """Return tries of days from `since` on whose game has ended and whose result is not stored."""
        query = (
            _tried_games.where(tries.c.ended_at.is_(None), tries.c.day >= since, tries.c.game.not_in(skip))
            # An expression, so that SQLite does not start from the index on status and read every ended game.
            .where(func.coalesce(games.c.status, "").in_(_ENDED_STATUSES))
            .order_by(tries.c.day, tries.c.game)
            .limit(limit)
        )
        return [_decode_try(row) for row in await self.database.fetch_rows(query)]

    async def find_old_tries(self, after: tuple[str, str], before: str, limit: int) -> list[Try]:
        """Return the next tries without a result from days before `before`, in the order of (day, game).

        The caller checks whether their games exist and have ended, so that a page costs the same however many
        unfinished tries there are.
        """
        query = (
            _tried_games.where(tries.c.ended_at.is_(None), tries.c.day < before)
            .where(tuple_(tries.c.day, tries.c.game) > tuple_(*after))
            .order_by(tries.c.day, tries.c.game)
            .limit(limit)
        )
        return [_decode_try(row) for row in await self.database.fetch_rows(query)]

    async def delete_try(self, game: str) -> None:
        """Delete a try if it has neither a result nor a game."""
        no_game = ~exists().where(games.c.id == tries.c.game)
        await self.database.execute_write(
            delete(tries).where(tries.c.game == game, tries.c.ended_at.is_(None), no_game)
        )

    async def save_result(self, game: str, outcome: DealResult) -> None:
        """Store the result of a try. Idempotent."""
        await self.database.execute_write(
            update(tries)
            .where(tries.c.game == game)
            .values(
                ended_at=outcome.ended_at,
                score=outcome.score,
                is_won=outcome.is_won,
                turns=outcome.turns,
                spaces=outcome.spaces,
                line=msgspec.json.encode(outcome.line).decode(),
            )
        )

    async def read_statistics(self, ids: Sequence[str], today: str) -> DealStatistics:
        """Return a person's statistics over their latest tries."""
        query = (
            select(tries.c.day, tries.c.n, tries.c.ended_at, tries.c.score)
            .where(tries.c.person.in_(ids), tries.c.score.is_not(None), tries.c.ended_at.is_not(None))
            .order_by(tries.c.day.desc(), tries.c.n)
            .limit(MAX_STATISTICS_TRIES)
        )
        return await self.database.read(
            lambda conn: summarise_tries([FinishedTry(*row) for row in conn.execute(query)], today)
        )

    # -- par ---------------------------------------------------------------------------------------

    async def claim_pars(
        self, since: str, now: int, lease_until: int, limit: int, skip: Collection[str] = ()
    ) -> list[str]:
        """Lease days from `since` on that have been tried and have no par yet."""
        is_free = and_(deals.c.par.is_(None), func.coalesce(deals.c.par_lease_until, 0) <= now)
        is_tried = exists().where(tries.c.day == deals.c.day)
        query = select(deals.c.day).where(deals.c.day >= since, is_free, is_tried, deals.c.day.not_in(skip))
        found = [row.day for row in await self.database.fetch_rows(query.limit(limit))]
        lease = update(deals).where(is_free).values(par_lease_until=lease_until)
        return [
            day for day in found if await self.database.execute_write(lease.where(deals.c.day == day)) == 1
        ]

    async def end_par_lease(self, day: str) -> None:
        await self.database.execute_write(
            update(deals).where(deals.c.day == day).values(par_lease_until=None)
        )

    async def save_par(self, day: str, par: Par) -> None:
        """Store the par of a day. Idempotent."""
        values = {"par": msgspec.json.encode(par).decode(), "par_lease_until": None}
        await self.database.execute_write(update(deals).where(deals.c.day == day).values(**values))

    async def read_par(self, day: str) -> Par | None:
        rows = await self.database.fetch_rows(select(deals.c.par).where(deals.c.day == day))
        return _decode_par(rows[0].par) if rows and rows[0].par is not None else None

    # -- the ranking of a day ----------------------------------------------------------------------

    async def list_results(
        self, day: str, *, accounts: bool, limit: int, offset: int
    ) -> tuple[int, list[dict[str, Any]]]:
        """Return the number of first tries that ended within the day, and a page of them, best first."""
        first = _first_tries(day)
        counted = and_(first.c.ended_at < day_ends_at(day), first.c.is_account.is_(accounts))
        place = func.rank().over(order_by=first.c.score).label("place")
        columns = ("owner", "name", "game", "score", "is_won", "turns", "spaces")
        page = (
            select(place, *(first.c[name] for name in columns))
            .where(counted)
            .order_by(first.c.score, first.c.ended_at, first.c.game)
            .limit(limit)
            .offset(offset)
        )
        total = await self.database.fetch_rows(select(func.count()).select_from(first).where(counted))
        return total[0][0], await self.database.fetch_dicts(page)

    async def count_scores(self, day: str) -> dict[int, int]:
        """Return how often each score occurs among the results of a day, accounts and guests together."""
        first = _first_tries(day)
        query = (
            select(first.c.score, func.count())
            .where(first.c.ended_at < day_ends_at(day), first.c.score.is_not(None))
            .group_by(first.c.score)
        )
        rows = await self.database.fetch_rows(query)
        return {row[0]: row[1] for row in rows}

    async def list_lines(self, day: str) -> list[tuple[str, str]]:
        """Return owner and encoded line of the first tries that were completed within the day.

        The caller decodes the lines off the event loop.
        """
        first = _first_tries(day)
        query = (
            select(first.c.owner, first.c.line)
            .where(first.c.ended_at < day_ends_at(day), first.c.score < RESIGNED_SCORE)
            .order_by(first.c.ended_at, first.c.game)
            .limit(MAX_COMPARED_TRIES)
        )
        return [(owner, line) for owner, line in await self.database.fetch_rows(query)]


def _first_tries(day: str) -> Any:
    """Select each person's try that counts, whether it has ended or not.

    When a guest is claimed, tries move to the account, but workers of release 0.1.0 leave them with the guest. In that
    case the account's own number 1 counts, as in `_read_tries`.
    """
    owner = func.coalesce(players.c.claimed_by, players.c.id)
    is_from_guest = case((tries.c.person == owner, 0), else_=1)
    order = func.row_number().over(
        partition_by=owner, order_by=(tries.c.n, is_from_guest, tries.c.began_at, tries.c.game)
    )
    numbered = (
        select(
            tries,
            owner.label("owner"),
            func.coalesce(_owners.c.name, players.c.name).label("name"),
            func.coalesce(_owners.c.is_account, players.c.is_account).label("is_account"),
            order.label("number"),
        )
        .join(players, players.c.id == tries.c.person)
        .outerjoin(_owners, _owners.c.id == players.c.claimed_by)
        .where(tries.c.day == day, players.c.deleted_at.is_(None))
        .where(or_(_owners.c.id.is_(None), _owners.c.deleted_at.is_(None)))
        .subquery("numbered_tries")
    )
    return select(numbered).where(numbered.c.number == 1).subquery("first_tries")


def _read_tries(conn: Connection, ids: Sequence[str], day: str) -> list[Try]:
    """Return the person's tries in order, numbered from 1."""
    query = _tried_games.where(tries.c.day == day, tries.c.person.in_(ids))
    rows = sorted(conn.execute(query), key=lambda row: (row.n, row.person != ids[0], row.began_at, row.game))
    return [msgspec.structs.replace(_decode_try(row), n=number) for number, row in enumerate(rows, 1)]


def _decode_deal(row: Any) -> Deal:
    return Deal(
        row.day,
        row.server_seed,
        row.commitment,
        orjson.loads(row.options),
        tuple(orjson.loads(row.opponents)),
        row.made_at,
    )


def _decode_try(row: Any) -> Try:
    columns = {column.name: row._mapping[column.name] for column in tries.c}
    columns["line"] = decode_line(row.line) if row.line else ()
    is_over = row.status not in (None, "open", "running")
    return Try(**columns, has_game=row.status is not None, is_over=is_over)
