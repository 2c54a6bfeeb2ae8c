"""Retention: finding and deleting what the settings say is not kept any longer.

Each rule is one query over an index that holds only what is still to be deleted, so a search that finds nothing costs
next to nothing however long the history is. Searching takes no write lock. Deleting checks the conditions again by
key: a guest may have come back between the two.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, exists, false, or_, select, true, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.expression import ColumnElement, FromClause, TableClause

from app.play.ports import StoreUnavailable
from app.store.games.tables import chat, due, games, heads, log, mutes, notice_checks, queue_failures, seats
from app.store.people.erasure import SOMEBODY, begin
from app.store.people.tables import (
    audit,
    bans,
    erasures,
    game_switches,
    invitations,
    notices,
    players,
    reports,
    resume_codes,
    sessions,
)
from app.store.transactions import Queries

MAX_BATCH_ROWS = 100  # deleted in one transaction, so that no move waits long behind it
MAX_BATCH_ROOMS = 5  # with their logs, which may have hundreds of entries before a start
DEAD_ROOM = "dead_room"
_DAY = 86_400
_UNFINISHED = ("open", "running")


@dataclass(frozen=True)
class Cutoffs:
    """What is older is deleted; None: kept for ever. Times are seconds, those of games are milliseconds."""

    now: int
    sessions: int
    guests: int | None
    chat_ms: int | None
    audit: int | None
    rooms_ms: int | None


class Expired(NamedTuple):
    """A row that is to be deleted: the name of its rule and its primary key."""

    rule: str
    key: tuple[str | int, ...]

    @property
    def name(self) -> str:
        return " ".join((self.rule, *map(str, self.key)))


Condition = ColumnElement[bool]
Forget = Callable[[AsyncConnection, Sequence[tuple[Any, ...]], Cutoffs], Awaitable[None]]


@dataclass(frozen=True)
class Rule:
    """Which rows are to be deleted, and how; `where` gives None if the setting says to keep them."""

    key: tuple[ColumnElement[Any], ...]
    where: Callable[[Cutoffs], tuple[Condition, ...] | None]
    forget: Forget | None  # None: not by the store alone
    source: FromClause | None = None
    batch: int = MAX_BATCH_ROWS
    oldest_first: ColumnElement[Any] | None = None  # makes PostgreSQL read the index instead of the table

    def search(self, conditions: Sequence[Condition]) -> Any:
        query = select(*self.key).where(*conditions).order_by(self.oldest_first)
        return query if self.source is None else query.select_from(self.source)


class RetentionStore(Queries):
    """Searches for expired rows and deletes them."""

    async def find_expired(self, cutoffs: Cutoffs, limit: int, skip: Collection[str] = ()) -> list[Expired]:
        """Return up to `limit` rows to be deleted, except those with the names in `skip`."""

        def search(run: Connection) -> list[Expired]:
            found: list[Expired] = []
            for name, rule in RULES.items():
                conditions = rule.where(cutoffs)
                if conditions is None:
                    continue
                query = rule.search(conditions).limit(limit - len(found) + len(skip))
                rows = (Expired(name, tuple(row)) for row in run.execute(query))
                found += [row for row in rows if row.name not in skip]
                if len(found) >= limit:
                    break
            return found[:limit]

        return await self.read(search)

    async def forget(self, rows: Sequence[Expired], cutoffs: Cutoffs) -> list[Exception | None]:
        """Delete rows and return the outcome of each.

        Rows of one rule are deleted in batches; if a batch fails, one by one, so that a bad row fails alone.
        """
        outcomes: dict[Expired, Exception | None] = {}
        for name, rule in RULES.items():
            mine = [row for row in rows if row.rule == name]
            for start in range(0, len(mine), rule.batch):
                batch = mine[start : start + rule.batch]
                problem = await self._forget(rule, batch, cutoffs)
                if problem is None or isinstance(problem, StoreUnavailable) or len(batch) == 1:
                    outcomes |= dict.fromkeys(batch, problem)
                else:
                    outcomes |= {row: await self._forget(rule, [row], cutoffs) for row in batch}
        return [outcomes[row] for row in rows]

    async def _forget(self, rule: Rule, rows: Sequence[Expired], cutoffs: Cutoffs) -> Exception | None:
        conditions = rule.where(cutoffs)
        assert rule.forget is not None
        assert conditions is not None
        these = tuple_(*rule.key).in_([row.key for row in rows])
        try:
            async with self.writing() as run:
                still = [tuple(row) for row in await run.execute(rule.search((*conditions, these)))]
                if still:
                    await rule.forget(run, still, cutoffs)
        except Exception as problem:  # noqa: BLE001 - the outcome of these rows, for the claim loop
            return problem
        return None

    async def find_erasures(self, limit: int, skip: Collection[str] = ()) -> list[str]:
        """Return the people whose erasure has not ended, the longest waiting first."""
        query = select(erasures.c.player).order_by(erasures.c.at, erasures.c.player).limit(limit + len(skip))
        return [row.player for row in await self.rows(query) if row.player not in skip][:limit]


def _delete(table: TableClause) -> Forget:
    async def forget(run: AsyncConnection, keys: Sequence[tuple[Any, ...]], cutoffs: Cutoffs) -> None:
        await run.execute(delete(table).where(tuple_(*table.primary_key).in_(keys)))

    return forget


def _blank(table: TableClause, **values: Any) -> Forget:
    async def forget(run: AsyncConnection, keys: Sequence[tuple[Any, ...]], cutoffs: Cutoffs) -> None:
        await run.execute(update(table).where(tuple_(*table.primary_key).in_(keys)).values(**values))

    return forget


async def _begin_erasing(run: AsyncConnection, keys: Sequence[tuple[Any, ...]], cutoffs: Cutoffs) -> None:
    await begin(run, [key for (key,) in keys], cutoffs.now, without_trace=True)


async def _delete_rooms(run: AsyncConnection, keys: Sequence[tuple[Any, ...]], cutoffs: Cutoffs) -> None:
    found = [key for (key,) in keys]
    for table in (chat, due, heads, log, mutes, notice_checks, seats):
        await run.execute(delete(table).where(table.c.game.in_(found)))
    await run.execute(delete(games).where(games.c.id.in_(found)))


def _make_rule(table: Any, where: Callable[[Cutoffs], tuple[Condition, ...] | None], **more: Any) -> Rule:
    return Rule(tuple(table.primary_key), where, **{"forget": _delete(table), **more})


_sits = exists().where(
    seats.c.person == players.c.id, games.c.id == seats.c.game, games.c.status.in_(_UNFINISHED)
)


def _match_old_games(
    status: Sequence[str], before: int | None, *heads_where: Condition
) -> tuple[Condition, ...] | None:
    """Games of this status that were last changed before, and so created before: `games_by_list` finds those.

    The head is a scalar subquery, one look-up for each game found: as a join, PostgreSQL would read all heads.
    """
    if before is None:
        return None
    updated_at = select(heads.c.updated_at).where(heads.c.game == games.c.id, *heads_where)
    return (
        games.c.status.in_(status),
        games.c.is_listed.in_((false(), true())),
        games.c.created_at < before,
        updated_at.scalar_subquery() < before,
    )


RULES: dict[str, Rule] = {
    # Devices that did not come back, codes that lapsed, bans that ended.
    "session": _make_rule(
        sessions, lambda cutoffs: (sessions.c.seen_at < cutoffs.sessions,), oldest_first=sessions.c.seen_at
    ),
    "resume_code": _make_rule(resume_codes, lambda cutoffs: (resume_codes.c.expires_at < cutoffs.now,)),
    "ban": _make_rule(bans, lambda cutoffs: (bans.c.until < cutoffs.now,)),
    # E-mail addresses that were never confirmed: they may be a stranger's.
    "address": _make_rule(
        notices,
        lambda cutoffs: (
            notices.c.email.is_not(None),
            notices.c.email_confirmed_at.is_(None),
            notices.c.confirm_sent_at < cutoffs.now - 7 * _DAY,
        ),
        forget=_blank(notices, email=None, confirm_hash=None),
    ),
    # Invitations that were not accepted, and switches of games that are over.
    "invitation": _make_rule(invitations, lambda cutoffs: (invitations.c.at < cutoffs.now - 30 * _DAY,)),
    "game_switch": _make_rule(
        game_switches,
        lambda cutoffs: (
            game_switches.c.at < cutoffs.now - 30 * _DAY,
            or_(games.c.id.is_(None), games.c.status.not_in(_UNFINISHED)),
        ),
        source=game_switches.outerjoin(games, games.c.id == game_switches.c.game),
    ),
    # Guests who did not come back and sit at no unfinished table; the queue `erasures` does the rest.
    "guest": _make_rule(
        players,
        lambda cutoffs: (
            None
            if cutoffs.guests is None
            else (
                players.c.is_account.is_(False),
                players.c.claimed_by.is_(None),
                players.c.deleted_at.is_(None),
                players.c.seen_at < cutoffs.guests,
                ~_sits,
            )
        ),
        forget=_begin_erasing,
        oldest_first=players.c.seen_at,
    ),
    # Words of the chat; the numbered lines stay, empty, so that no counter goes back.
    "chat": _make_rule(
        chat,
        lambda cutoffs: (
            None if cutoffs.chat_ms is None else (chat.c.at < cutoffs.chat_ms, chat.c.is_deleted.is_(False))
        ),
        forget=_blank(chat, text=None, preset=None, name=SOMEBODY, is_deleted=True),
        oldest_first=chat.c.at,
    ),
    "audit": _make_rule(
        audit,
        lambda cutoffs: None if cutoffs.audit is None else (audit.c.at < cutoffs.audit,),
        oldest_first=audit.c.at,
    ),
    "report": _make_rule(
        reports,
        lambda cutoffs: None if cutoffs.audit is None else (reports.c.settled_at < cutoffs.audit,),
        oldest_first=reports.c.settled_at,
    ),
    # Failures of rows that have vanished since: nothing retries them. Rows that are set aside stay listed.
    "queue_failure": _make_rule(
        queue_failures, lambda cutoffs: (queue_failures.c.retry_at < (cutoffs.now - 90 * _DAY) * 1000,)
    ),
    # Unfinished rooms that no clock will ever move: closed by the game server.
    DEAD_ROOM: _make_rule(
        games,
        lambda cutoffs: _match_old_games(_UNFINISHED, cutoffs.rooms_ms, heads.c.deadline.is_(None)),
        forget=None,
    ),
    # Rooms that were closed before they ever started: there was no game, nothing is worth keeping.
    "closed_room": _make_rule(
        games,
        lambda cutoffs: _match_old_games(("closed",), cutoffs.rooms_ms),
        forget=_delete_rooms,
        batch=MAX_BATCH_ROOMS,
    ),
}
