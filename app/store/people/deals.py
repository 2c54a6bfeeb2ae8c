"""Deals of the day as they are stored: fixed once a day by whichever worker is first; tries, results and lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec
import orjson
from sqlalchemy import and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from app.play.deal.days import Deal, ends_at
from app.play.deal.results import GIVEN_UP, Outcome, Turn
from app.store.games.tables import games
from app.store.people.deal_tables import deal_tries as tries
from app.store.people.deal_tables import deals
from app.store.people.tables import players
from app.store.transactions import Queries

COMPARED = 1_000  # other tries that one is compared with
_owners = players.alias("deal_owners")
_STEP = 100
_DAYS = 4_000  # of somebody's streak that are looked at
read_line = msgspec.json.Decoder(tuple[Turn, ...]).decode


class Try(msgspec.Struct, frozen=True):
    """One try of somebody; without `ended_at` its result is not known yet."""

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
    is_over: bool  # and has ended

    @property
    def is_late(self) -> bool:
        """Whether it ended after its day, when everything was shown."""
        return self.ended_at is not None and self.ended_at >= ends_at(self.day)


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
        """Somebody's tries of a day, the first one first."""
        query = (
            select(tries, games.c.status)
            .outerjoin(games, games.c.id == tries.c.game)
            .where(tries.c.day == day, tries.c.person.in_(ids))
            .order_by(tries.c.began_at, tries.c.n)
        )
        return [_try(row) for row in await self.rows(query)]

    async def begin(self, game: str, day: str, person: str, n: int, now: int) -> bool:
        """Notes a try before its game is made; False when this person's n-th try is there already."""
        row = {"game": game, "day": day, "person": person, "n": n, "began_at": now}
        try:
            await self.change(insert(tries).values(**row))
        except IntegrityError:
            return False
        return True

    async def unsettled(self, since: str, limit: int, skip: Collection[str] = ()) -> list[Try]:
        """Tries of days from that one on whose game is over and whose result is not written down."""
        query = (
            select(tries, games.c.status)
            .join(games, games.c.id == tries.c.game)
            .where(tries.c.ended_at.is_(None), tries.c.day >= since, tries.c.game.not_in(skip))
            .where(games.c.status.in_(("finished", "aborted")))
            .limit(limit)
        )
        return [_try(row) for row in await self.rows(query)]

    async def settle(self, game: str, outcome: Outcome) -> None:
        """Writes the result of a try down; whoever does it again writes the same."""
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
            .limit(_DAYS)
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

    async def forget_orphans(self, before: str) -> int:
        """Tries of long ago that never got a game, or whose game was forgotten."""
        gone = (
            select(tries.c.game)
            .outerjoin(games, games.c.id == tries.c.game)
            .where(tries.c.ended_at.is_(None), tries.c.day < before, games.c.id.is_(None))
            .limit(_STEP)
        )
        return await self.change(delete(tries).where(tries.c.game.in_(gone)))


def _first_tries(day: str) -> Any:
    """Of everybody the first try of that day, whether it is over or not: a guest who became an account is one."""
    owner = func.coalesce(players.c.claimed_by, players.c.id)
    order = func.row_number().over(partition_by=owner, order_by=(tries.c.began_at, tries.c.n, tries.c.game))
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
