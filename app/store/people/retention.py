"""Retention: finding and deleting rows that have expired according to the settings.

Each rule is one query on an index that contains only rows yet to be deleted, so a search that finds nothing is cheap
however long the history is. Searching takes no write lock. Deleting checks the conditions again by key, because a
guest may have returned in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, exists, false, or_, select, true, tuple_, update
from sqlalchemy.sql.expression import ColumnElement, FromClause, TableClause

from app.play.ports import StoreUnavailable
from app.store.database import Database
from app.store.people.erasure import ERASED_NAME, begin_erasure
from app.store.tables.friends import friend_requests, friend_settings
from app.store.tables.games import chat, due, games, heads, log, mutes, notice_checks, queue_failures, seats
from app.store.tables.people import (
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
from app.store.tables.practice import mistake_searches, mistakes

MAX_BATCH_ROWS = 100  # deleted per transaction, so that moves do not wait long behind it
MAX_BATCH_ROOMS = 5  # with their logs, which may have hundreds of entries even before the start
DEAD_ROOM = "dead_room"
_DAY_SECONDS = 86_400
_UNFINISHED = ("open", "running")
FRIEND_REQUEST_DAYS = 90  # then an unanswered or declined request may be repeated
LAST_SEEN_DAYS = 30


@dataclass(frozen=True)
class Cutoffs:
    """Rows older than these times are deleted; 0 keeps them forever. Seconds since 1970, or milliseconds (`_ms`)."""

    now: int
    sessions: int
    guests: int
    chat_ms: int
    audit: int
    rooms_ms: int


class ExpiredRow(NamedTuple):
    """A row to be deleted: the name of its rule and its primary key."""

    rule: str
    key: tuple[str | int, ...]

    @property
    def name(self) -> str:
        return " ".join((self.rule, *map(str, self.key)))


Condition = ColumnElement[bool]
Keys = Sequence[tuple[Any, ...]]
Delete = Callable[[Connection, Keys, int], object]


@dataclass(frozen=True)
class Rule:
    """Which rows expire, and how they are deleted."""

    key: tuple[ColumnElement[Any], ...]
    where: Callable[[Cutoffs], tuple[Condition, ...]]
    delete: Delete | None  # None: deleted by the game server
    source: FromClause | None = None
    batch: int = MAX_BATCH_ROWS
    oldest_first: ColumnElement[Any] | None = None  # makes PostgreSQL use the index

    def make_query(self, conditions: Sequence[Condition]) -> Any:
        query = select(*self.key).where(*conditions).order_by(self.oldest_first)
        return query if self.source is None else query.select_from(self.source)


class RetentionStore:
    """Searches for expired rows and deletes them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def find_expired(
        self, cutoffs: Cutoffs, limit: int, skip: Collection[str] = ()
    ) -> list[ExpiredRow]:
        """Return up to `limit` expired rows, except those whose names are in `skip`."""

        def search(conn: Connection) -> list[ExpiredRow]:
            found: list[ExpiredRow] = []
            for name, rule in RULES.items():
                query = rule.make_query(rule.where(cutoffs)).limit(limit - len(found) + len(skip))
                rows = (ExpiredRow(name, tuple(row)) for row in conn.execute(query))
                found += [row for row in rows if row.name not in skip]
                if len(found) >= limit:
                    break
            return found[:limit]

        return await self.database.read(search)

    async def delete_expired(self, rows: Sequence[ExpiredRow], cutoffs: Cutoffs) -> list[Exception | None]:
        """Delete rows; return an exception or None for each.

        Rows of a rule are deleted in batches. If a batch fails, they are deleted one by one, so that a bad row fails
        alone.
        """
        outcomes: dict[ExpiredRow, Exception | None] = {}
        for name, rule in RULES.items():
            of_rule = [row for row in rows if row.rule == name]
            for start in range(0, len(of_rule), rule.batch):
                batch = of_rule[start : start + rule.batch]
                problem = await self._delete(rule, batch, cutoffs)
                if problem is None or isinstance(problem, StoreUnavailable) or len(batch) == 1:
                    outcomes |= dict.fromkeys(batch, problem)
                else:
                    outcomes |= {row: await self._delete(rule, [row], cutoffs) for row in batch}
        return [outcomes[row] for row in rows]

    async def _delete(self, rule: Rule, rows: Sequence[ExpiredRow], cutoffs: Cutoffs) -> Exception | None:
        assert rule.delete is not None
        in_batch = tuple_(*rule.key).in_([row.key for row in rows])
        query, delete_rows = rule.make_query((*rule.where(cutoffs), in_batch)), rule.delete

        def write(conn: Connection) -> None:
            keys = [tuple(row) for row in conn.execute(query)]
            if keys:
                delete_rows(conn, keys, cutoffs.now)

        try:
            await self.database.write(write)
        except Exception as problem:  # noqa: BLE001 - returned to the claim loop
            return problem
        return None

    async def find_erasures(self, limit: int, skip: Collection[str] = ()) -> list[str]:
        """Return the people whose erasure has not ended, longest waiting first."""
        query = select(erasures.c.player).order_by(erasures.c.at, erasures.c.player).limit(limit + len(skip))
        return [row.player for row in await self.database.fetch_rows(query) if row.player not in skip][:limit]


def _delete_from(table: TableClause) -> Delete:
    return lambda conn, keys, now: conn.execute(delete(table).where(tuple_(*table.primary_key).in_(keys)))


def _blank(table: TableClause, **values: Any) -> Delete:
    blank = update(table).values(**values)
    return lambda conn, keys, now: conn.execute(blank.where(tuple_(*table.primary_key).in_(keys)))


def _begin_erasures(conn: Connection, keys: Keys, now: int) -> None:
    begin_erasure(conn, [key for (key,) in keys], now, without_trace=True)


def _delete_rooms(conn: Connection, keys: Keys, now: int) -> None:
    game_ids = [key for (key,) in keys]
    for table in (chat, due, heads, log, mutes, notice_checks, seats):
        conn.execute(delete(table).where(table.c.game.in_(game_ids)))
    conn.execute(delete(games).where(games.c.id.in_(game_ids)))


def _make_rule(table: Any, where: Callable[[Cutoffs], tuple[Condition, ...]], **options: Any) -> Rule:
    return Rule(tuple(table.primary_key), where, **{"delete": _delete_from(table), **options})


_has_unfinished_game = exists().where(
    seats.c.person == players.c.id, games.c.id == seats.c.game, games.c.status.in_(_UNFINISHED)
)


def _match_old_games(status: Sequence[str], before: int, *heads_where: Condition) -> tuple[Condition, ...]:
    """Match games of this status that were last changed before then.

    They were also created before then, so the index `games_by_list` applies. The head is a scalar subquery, one
    look-up per game found; with a join, PostgreSQL would scan all heads.
    """
    updated_at = select(heads.c.updated_at).where(heads.c.game == games.c.id, *heads_where)
    return (
        games.c.status.in_(status),
        games.c.is_listed.in_((false(), true())),
        games.c.created_at < before,
        updated_at.scalar_subquery() < before,
    )


RULES: dict[str, Rule] = {
    # Sessions not seen for long, expired codes, bans that have ended.
    "session": _make_rule(
        sessions, lambda cutoffs: (sessions.c.seen_at < cutoffs.sessions,), oldest_first=sessions.c.seen_at
    ),
    "resume_code": _make_rule(resume_codes, lambda cutoffs: (resume_codes.c.expires_at < cutoffs.now,)),
    "ban": _make_rule(bans, lambda cutoffs: (bans.c.until < cutoffs.now,)),
    # E-mail addresses that were never confirmed: they may belong to a stranger.
    "address": _make_rule(
        notices,
        lambda cutoffs: (
            notices.c.email.is_not(None),
            notices.c.email_confirmed_at.is_(None),
            notices.c.confirm_sent_at < cutoffs.now - 7 * _DAY_SECONDS,
        ),
        delete=_blank(notices, email=None, confirm_hash=None),
    ),
    # Old invitations, and switches of games that have ended.
    "invitation": _make_rule(
        invitations, lambda cutoffs: (invitations.c.at < cutoffs.now - 30 * _DAY_SECONDS,)
    ),
    "game_switch": _make_rule(
        game_switches,
        lambda cutoffs: (
            game_switches.c.at < cutoffs.now - 30 * _DAY_SECONDS,
            or_(games.c.id.is_(None), games.c.status.not_in(_UNFINISHED)),
        ),
        source=game_switches.outerjoin(games, games.c.id == game_switches.c.game),
    ),
    "friend_request": _make_rule(
        friend_requests,
        lambda cutoffs: (friend_requests.c.at < cutoffs.now - FRIEND_REQUEST_DAYS * _DAY_SECONDS,),
        oldest_first=friend_requests.c.at,
    ),
    "last_seen": _make_rule(
        friend_settings,
        lambda cutoffs: (
            friend_settings.c.seen_at.is_not(None),
            friend_settings.c.seen_at < cutoffs.now - LAST_SEEN_DAYS * _DAY_SECONDS,
        ),
        delete=_blank(friend_settings, seen_at=None),
        oldest_first=friend_settings.c.seen_at,
    ),
    # Guests not seen for long who have no unfinished game; the queue `erasures` does the rest.
    "guest": _make_rule(
        players,
        lambda cutoffs: (
            players.c.is_account.is_(False),
            players.c.claimed_by.is_(None),
            players.c.deleted_at.is_(None),
            players.c.seen_at < cutoffs.guests,
            ~_has_unfinished_game,
        ),
        delete=_begin_erasures,
        oldest_first=players.c.seen_at,
    ),
    # Chat lines are blanked, not deleted, so that their numbers stay contiguous.
    "chat": _make_rule(
        chat,
        lambda cutoffs: (chat.c.at < cutoffs.chat_ms, chat.c.is_deleted.is_(False)),
        delete=_blank(chat, text=None, preset=None, name=ERASED_NAME, is_deleted=True),
        oldest_first=chat.c.at,
    ),
    "audit": _make_rule(audit, lambda cutoffs: (audit.c.at < cutoffs.audit,), oldest_first=audit.c.at),
    "report": _make_rule(
        reports,
        lambda cutoffs: (reports.c.settled_at < cutoffs.audit,),
        oldest_first=reports.c.settled_at,
    ),
    # Practice. Searches are kept longer, so that no game is searched again for mistakes that have expired.
    "mistake": _make_rule(
        mistakes,
        lambda cutoffs: (mistakes.c.found_at < cutoffs.now - 180 * _DAY_SECONDS,),
        oldest_first=mistakes.c.found_at,
    ),
    "mistake_search": _make_rule(
        mistake_searches,
        lambda cutoffs: (mistake_searches.c.asked_at < cutoffs.now - 365 * _DAY_SECONDS,),
        oldest_first=mistake_searches.c.asked_at,
    ),
    # Failures of rows that no longer exist and are never retried. Rows that are set aside stay listed.
    "queue_failure": _make_rule(
        queue_failures,
        lambda cutoffs: (queue_failures.c.retry_at < (cutoffs.now - 90 * _DAY_SECONDS) * 1000,),
    ),
    # Unfinished rooms without a deadline; the game server closes them.
    DEAD_ROOM: _make_rule(
        games,
        lambda cutoffs: _match_old_games(_UNFINISHED, cutoffs.rooms_ms, heads.c.deadline.is_(None)),
        delete=None,
    ),
    # Rooms that were closed before the game started.
    "closed_room": _make_rule(
        games,
        lambda cutoffs: _match_old_games(("closed",), cutoffs.rooms_ms),
        delete=_delete_rooms,
        batch=MAX_BATCH_ROOMS,
    ),
}
