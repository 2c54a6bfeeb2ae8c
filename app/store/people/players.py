"""Players and their sessions: made, found, renamed, logged out, forgotten."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, and_, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.people.tables import (
    accounts,
    bans,
    players,
    present_name,
    sessions,
    tokens,
    with_present_names,
)
from app.store.transactions import Queries

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 letters that nobody mixes up, 5 bits each
PRESENT_SECONDS = 1800  # a guest seen this recently keeps its name from others
SEEN_EVERY = 300  # seconds between two notes that somebody was seen


def new_id(letters: int = 20) -> str:
    """A random name for a row: 20 letters carry 100 bits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(letters))


def hashed(secret: str) -> str:
    """What is stored of a random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class LoginTaken(Exception):
    """Another account has this log-in name, or this player has an account already."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name and what it is found by: its log-in, its skeleton, and every skeleton it could be confused by."""

    text: str
    login: str
    skeleton: str
    skeletons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """A person as the store knows them; `aliases` are guests that this account has claimed."""

    id: str
    name: str
    is_account: bool
    is_bot: bool
    made_at: int
    seen_at: int
    aliases: tuple[str, ...] = ()
    is_banned: bool = False


class PeopleStore(Queries):
    """Queries about players, sessions and tokens; each call is one transaction."""

    async def ping(self) -> None:
        """Returns when the database answers, raises when it does not."""
        async with self.reading() as run:
            await run.execute(select(1))

    async def add_guest(
        self, name: Name, device: str, now: int, *, came_from: str | None = None
    ) -> tuple[Player, str]:
        """A new guest and the secret of its first session. Raises LoginTaken."""
        player, session = new_id(), secrets.token_urlsafe(24)
        row = {
            "id": player,
            "name": name.text,
            "skeleton": name.skeleton,
            "is_account": False,
            "is_bot": False,
        }
        async with self.writing() as run:
            await _take_name(run, name, now, None)
            await run.execute(insert(players).values(**row, made_at=now, seen_at=now))
            await _open_session(run, player, session, device, now, came_from)
        return Player(player, name.text, False, False, now, now), session

    async def open_session(
        self,
        player: str,
        device: str,
        now: int,
        *,
        most: int,
        instead_of: str | None = None,
        came_from: str | None = None,
    ) -> tuple[str, list[str]]:
        """A fresh session for a player; the one it replaces ends (rotation on log-in and claim).

        Of more than `most` those end that were not seen for longest; their hashes come second.
        """
        session = secrets.token_urlsafe(24)
        kept = (
            select(sessions.c.hash)
            .where(sessions.c.player == player)
            .order_by(sessions.c.seen_at.desc(), sessions.c.made_at.desc())
            .offset(most - 1)
        )
        async with self.writing() as run:
            # Who logs in many times at once waits for themselves, so that each counts the others.
            await run.execute(select(players.c.id).where(players.c.id == player).with_for_update())
            if instead_of is not None:
                await run.execute(delete(sessions).where(sessions.c.hash == hashed(instead_of)))
            ended = [row.hash for row in await run.execute(kept)]
            if ended:
                await run.execute(delete(sessions).where(sessions.c.hash.in_(ended)))
            await _open_session(run, player, session, device, now, came_from)
        return session, ended

    async def live_sessions(self, keys: Collection[str]) -> set[str]:
        """Which of these hashes are of sessions or programs' tokens that have not ended."""
        live: set[str] = set()
        async with self.reading() as run:
            for query in _LIVE:
                live |= {row.hash for row in await run.execute(query, {"keys": list(keys)})}
        return live

    async def by_session(
        self, session: str, now: int, oldest: int, came_from: str | None = None
    ) -> Player | None:
        """Whose session this is; notes once in a while that they were seen."""
        return await self._owner(sessions, session, now, oldest, came_from=came_from)

    async def by_token(self, token: str, now: int) -> Player | None:
        """Whose program's token this is."""
        return await self._owner(tokens, token, now)

    async def _owner(
        self, table: Table, secret: str, now: int, oldest: int = 0, **seen: Any
    ) -> Player | None:
        is_it = table.c.hash == hashed(secret)
        async with self.reading() as run:
            row = (await run.execute(select(table.c.player, table.c.seen_at).where(is_it))).first()
            if row is None or row.seen_at < oldest:
                return None
            player = await _player(run, row.player, now)
        if player is not None and row.seen_at < now - SEEN_EVERY:
            async with self.writing() as run:
                await run.execute(update(table).where(is_it).values(seen_at=now, **seen))
                await run.execute(update(players).where(players.c.id == player.id).values(seen_at=now))
        return player

    async def player(self, player: str, now: int) -> Player | None:
        """The player of this id, a claimed guest as its account; None when unknown or deleted."""
        async with self.reading() as run:
            return await _player(run, player, now)

    async def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Names by id, a claimed guest's is the account's; somebody unknown or deleted is left out."""
        if not ids:
            return {}
        async with self.reading() as run:
            rows = await run.execute(_NAMES, {"ids": list(ids)})
            return {row.id: row.name for row in rows if row.name is not None}

    async def changed(self, since: int) -> dict[str, str | None]:
        """Who was renamed since then, and to what; None: who was deleted."""
        return {row.id: row.name for row in await self.rows(_CHANGED, {"since": since})}

    async def is_taken(self, name: Name, now: int, but: str | None = None) -> bool:
        """Whether an account, or a guest who is about, has a name that looks like this."""
        async with self.reading() as run:
            return await _is_taken(run, name, now, but)

    async def rename(self, player: str, name: Name, now: int) -> None:
        """A new name; an account's log-in name follows it. Raises LoginTaken."""
        try:
            async with self.writing() as run:
                await _take_name(run, name, now, player)
                changed = {"name": name.text, "skeleton": name.skeleton, "changed_at": now}
                await run.execute(update(players).where(players.c.id == player).values(**changed))
                await run.execute(
                    update(accounts).where(accounts.c.player == player).values(login=name.login)
                )
        except IntegrityError as problem:
            raise LoginTaken from problem

    async def close_session(self, session: str) -> None:
        """This device is logged out."""
        await self.change(delete(sessions).where(sessions.c.hash == hashed(session)))

    async def close_all_sessions(self, player: str) -> int:
        """Every device and every program is logged out; how many were."""
        async with self.writing() as run:
            done = [
                await run.execute(delete(table).where(table.c.player == player))
                for table in (sessions, tokens)
            ]
        return sum(each.rowcount for each in done)

    async def devices(self, player: str, this: str | None) -> list[tuple[str, str, int, bool]]:
        """The devices that are logged in: an id, label, last seen, whether it is this one."""
        key = hashed(this) if this is not None else ""
        query = select(sessions).where(sessions.c.player == player).order_by(sessions.c.seen_at.desc())
        rows = await self.rows(query)
        return [(row.hash[:16], row.device, row.seen_at, row.hash == key) for row in rows]


async def _take_name(run: AsyncConnection, name: Name, now: int, but: str | None) -> None:
    """Raises LoginTaken when the name is somebody's; of two who ask at once only one gets it.

    SQLite has one writer at a time anyway; in PostgreSQL those who want the same name wait for each other.
    """
    if run.dialect.name == "postgresql":
        await run.execute(select(func.pg_advisory_xact_lock(func.hashtext(name.skeleton))))
    if await _is_taken(run, name, now, but):
        raise LoginTaken


async def _is_taken(run: AsyncConnection, name: Name, now: int, but: str | None) -> bool:
    about = and_(players.c.seen_at > now - PRESENT_SECONDS, players.c.claimed_by.is_(None))
    query = select(players.c.id).where(
        players.c.skeleton.in_(bindparam("skeletons", expanding=True)),
        players.c.deleted_at.is_(None),
        or_(players.c.is_account, about),
    )
    found = await run.execute(query.limit(2), {"skeletons": list(name.skeletons)})
    return any(row.id != but for row in found)


async def _open_session(
    run: AsyncConnection, player: str, session: str, device: str, now: int, came_from: str | None
) -> None:
    row = {"hash": hashed(session), "player": player, "device": device[:80], "made_at": now, "seen_at": now}
    await run.execute(insert(sessions).values(**row, came_from=came_from))


# Made once: a list that is put into a query as it is written leaves objects in a circle behind, kilobytes for
# everybody who comes, until the collector finds them.
_named = select(players.c.id, present_name.label("name")).select_from(
    with_present_names(players, players.c.id)
)
_NAMES = _named.where(players.c.id.in_(bindparam("ids", expanding=True)))
_CHANGED = _named.where(
    # A claimed guest is called as the account is.
    or_(
        players.c.changed_at >= bindparam("since"),
        players.c.claimed_by.in_(select(players.c.id).where(players.c.changed_at >= bindparam("since"))),
    )
)
_LIVE = tuple(
    select(table.c.hash).where(table.c.hash.in_(bindparam("keys", expanding=True)))
    for table in (sessions, tokens)
)
_BAN = (
    select(bans.c.id)
    .where(
        bans.c.player.in_(bindparam("ids", expanding=True)),
        or_(bans.c.until.is_(None), bans.c.until > bindparam("now")),
    )
    .limit(1)
)


async def _player(run: AsyncConnection, player: str, now: int) -> Player | None:
    row = (await run.execute(select(players).where(players.c.id == player))).first()
    if row is not None and row.claimed_by is not None:
        row = (await run.execute(select(players).where(players.c.id == row.claimed_by))).first()
    if row is None or row.deleted_at is not None:
        return None
    claimed = await run.execute(
        select(players.c.id).where(players.c.claimed_by == row.id).order_by(players.c.made_at)
    )
    aliases = tuple(each.id for each in claimed)
    ban = await run.execute(_BAN, {"ids": (row.id, *aliases), "now": now})
    is_banned = ban.first() is not None
    return Player(row.id, row.name, row.is_account, row.is_bot, row.made_at, row.seen_at, aliases, is_banned)
