"""Queries about deals of the day: the deal of each day, tries of it, results and lists.

A person's try number 1 of a day is the one that counts, and it stays number 1: `begin` gives the next free number
under a lock on the person's row, and claiming a guest (app/store/people/references.py) takes over the guest's number 1
only if the account has no try of that day. The unique index on (day, person, n) enforces it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import orjson
from sqlalchemy import Connection, and_, case, delete, exists, func, insert, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from app.play.deal.days import Deal, ends_at
from app.play.deal.results import GIVEN_UP, Outcome, Turn
from app.store.games.tables import games
from app.store.people.deal_tables import deal_tries as tries
from app.store.people.deal_tables import deals
from app.store.people.player_rows import lock_present
from app.store.people.tables import players
from app.store.transactions import Queries

COMPARED = 1_000  # other tries that one is compared with
MAX_STREAK_DAYS = 4_000
_ENDED = ("finished", "aborted")
_owners = players.alias("deal_owners")
_tried_games = select(tries, games.c.status).outerjoin(games, games.c.id == tries.c.game)
read_line = msgspec.json.Decoder(tuple[Turn, ...]).decode


class Try(msgspec.Struct, frozen=True):
    """One try of a deal; `ended_at` is None until its result is stored. `n` is its number among the person's tries."""

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
    is_made: bool  # its game exists
    is_over: bool  # its game exists and has ended

    @property
    def is_late(self) -> bool:
        """Whether it ended after its day, when everything was shown."""
        return self.ended_at is not None and self.ended_at >= ends_at(self.day)

    @property
    def counts(self) -> bool:
        """Whether this is the person's result of the day."""
        return self.n == 1 and not self.is_late


class DealStore(Queries):
    """Implements what app/web/deals.py needs."""

    async def deal(self, day: str) -> Deal | None:
        rows = await self.rows(select(deals).where(deals.c.day == day))
        return _deal(rows[0]) if rows else None

    async def keep(self, deal: Deal) -> Deal:
        """Fixes the deal of a day; the one that was first, if somebody else's was."""
        row = {
            "day": deal.day,
            "server_seed": deal.server_seed,
            "commitment": deal.commitment,
            "options": orjson.dumps(deal.options).decode(),
            "opponents": orjson.dumps(deal.opponents).decode(),
            "made_at": deal.made_at,
        }
        try:
            await self.change(insert(deals).values(**row))
        except IntegrityError:
            kept = await self.deal(deal.day)
            assert kept is not None
            return kept
        return deal

    # -- tries -------------------------------------------------------------------------------------

    async def tries_of(self, ids: Sequence[str], day: str) -> list[Try]:
        """Return the tries of a day of the person with these ids (their own id first), the one that counts first."""
        return await self.read(lambda run: _tries_of(run, ids, day))

    async def begin(self, ids: Sequence[str], day: str, game: str, now: int) -> Try | None:
        """Return the person's unfinished try of a day, or record a new one with the id of its future game.

        None: the person was claimed or erased meanwhile, or a worker of an older release took the number; ask again.
        """

        def write(run: Connection) -> Try | None:
            if not lock_present(run, ids[:1], unclaimed=True):
                return None
            mine = _tries_of(run, ids, day)
            unfinished = next((each for each in mine if not each.is_over), None)
            if unfinished is not None:
                return unfinished
            mine_of_day = (tries.c.day == day, tries.c.person.in_(ids))
            last = run.execute(select(func.max(tries.c.n)).where(*mine_of_day)).scalar() or 0
            row = {"game": game, "day": day, "person": ids[0], "n": last + 1, "began_at": now}
            run.execute(insert(tries).values(**row))
            return next(each for each in _tries_of(run, ids, day) if each.game == game)

        try:
            return await self.write(write)
        except IntegrityError:
            return None

    async def ended_tries(self, since: str, limit: int, skip: Collection[str] = ()) -> list[Try]:
        """Return tries of days from `since` on whose game has ended and whose result is not stored."""
        query = (
            _tried_games.where(tries.c.ended_at.is_(None), tries.c.day >= since, tries.c.game.not_in(skip))
            # As an expression, or SQLite would begin with the index of games by status and read all that ever ended.
            .where(func.coalesce(games.c.status, "").in_(_ENDED))
            .order_by(tries.c.day, tries.c.game)
            .limit(limit)
        )
        return [_try(row) for row in await self.rows(query)]

    async def old_tries(self, after: tuple[str, str], before: str, limit: int) -> list[Try]:
        """Return the next tries without a result of days before `before`, in the order of (day, game).

        Whether their games have ended, or exist, is for the caller to check: a page costs the same however many
        unfinished tries there are.
        """
        query = (
            _tried_games.where(tries.c.ended_at.is_(None), tries.c.day < before)
            .where(tuple_(tries.c.day, tries.c.game) > tuple_(*after))
            .order_by(tries.c.day, tries.c.game)
            .limit(limit)
        )
        return [_try(row) for row in await self.rows(query)]

    async def forget(self, game: str) -> None:
        """Delete a try that has no result and no game."""
        no_game = ~exists().where(games.c.id == tries.c.game)
        await self.change(delete(tries).where(tries.c.game == game, tries.c.ended_at.is_(None), no_game))

    async def settle(self, game: str, outcome: Outcome) -> None:
        """Store the result of a try; repeating it stores the same."""
        await self.change(
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

    async def days_played(self, ids: Sequence[str]) -> list[str]:
        """The days whose deal somebody has played to the end, newest first."""
        query = (
            select(tries.c.day)
            .where(tries.c.person.in_(ids), tries.c.score < GIVEN_UP)
            .distinct()
            .order_by(tries.c.day.desc())
            .limit(MAX_STREAK_DAYS)
        )
        return [row.day for row in await self.rows(query)]

    # -- the table of a day ------------------------------------------------------------------------

    async def results(
        self, day: str, *, accounts: bool, limit: int, offset: int
    ) -> tuple[int, list[dict[str, Any]]]:
        """First tries that ended within the day, the best first; how many there are, and some of them."""
        first = _first_tries(day)
        counted = and_(first.c.ended_at < ends_at(day), first.c.is_account.is_(accounts))
        place = func.rank().over(order_by=first.c.score).label("place")
        columns = ("owner", "name", "score", "is_won", "turns", "spaces")
        some = (
            select(place, *(first.c[name] for name in columns))
            .where(counted)
            .order_by(first.c.score, first.c.ended_at, first.c.game)
            .limit(limit)
            .offset(offset)
        )
        total = await self.rows(select(func.count()).select_from(first).where(counted))
        return total[0][0], await self.dicts(some)

    async def lines(self, day: str) -> list[tuple[str, str]]:
        """Whose first tries were played to the end within the day, and their lines as they are kept: reading them is
        for whoever compares, off the loop."""
        first = _first_tries(day)
        query = (
            select(first.c.owner, first.c.line)
            .where(first.c.ended_at < ends_at(day), first.c.score < GIVEN_UP)
            .order_by(first.c.ended_at, first.c.game)
            .limit(COMPARED)
        )
        return [(owner, line) for owner, line in await self.rows(query)]


def _first_tries(day: str) -> Any:
    """Select each person's try that counts, whether it has ended or not.

    Tries move to the account when a guest is claimed, but a worker of an older release leaves them with the guest:
    then the account's own number 1 counts, as in `_tries_of`.
    """
    owner = func.coalesce(players.c.claimed_by, players.c.id)
    is_guests = case((tries.c.person == owner, 0), else_=1)
    order = func.row_number().over(
        partition_by=owner, order_by=(tries.c.n, is_guests, tries.c.began_at, tries.c.game)
    )
    every = (
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
        .subquery("every_try")
    )
    return select(every).where(every.c.number == 1).subquery("first_tries")


def _tries_of(run: Connection, ids: Sequence[str], day: str) -> list[Try]:
    """Return the person's tries, numbered, the one that counts first."""
    query = _tried_games.where(tries.c.day == day, tries.c.person.in_(ids))
    rows = sorted(run.execute(query), key=lambda row: (row.n, row.person != ids[0], row.began_at, row.game))
    return [msgspec.structs.replace(_try(row), n=number) for number, row in enumerate(rows, 1)]


def _deal(row: Any) -> Deal:
    return Deal(
        row.day,
        row.server_seed,
        row.commitment,
        orjson.loads(row.options),
        tuple(orjson.loads(row.opponents)),
        row.made_at,
    )


def _try(row: Any) -> Try:
    return Try(
        game=row.game,
        day=row.day,
        n=row.n,
        person=row.person,
        began_at=row.began_at,
        ended_at=row.ended_at,
        score=row.score,
        is_won=row.is_won,
        turns=row.turns,
        spaces=row.spaces,
        line=read_line(row.line) if row.line else (),
        is_made=row.status is not None,
        is_over=row.status not in (None, "open", "running"),
    )
