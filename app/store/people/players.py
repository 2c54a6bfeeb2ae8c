"""Players and their sessions."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, insert, select, union, update
from sqlalchemy.exc import IntegrityError

from app.store.batcher import Batcher, pad_to_power_of_two
from app.store.database import Database
from app.store.people.player_rows import Player, PlayerGone, lock_present, read_players, require_present
from app.store.people.references import claim_guest
from app.store.people.taken_names import (
    LoginTaken,
    Name,
    find_name_owners,
    is_taken_by_other,
    lock_names,
    reserve_name,
)
from app.store.tables.people import (
    accounts,
    players,
    present_name,
    push_subscriptions,
    sessions,
    tokens,
    with_present_names,
)

__all__ = ["LoginTaken", "Name", "PeopleStore", "Player", "hash_secret", "new_id"]

_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 characters that are hard to confuse, 5 bits each
SEEN_INTERVAL_SECONDS = 300  # between two updates of a `seen_at`


def new_id(length: int = 20) -> str:
    """Return a random id; 20 characters have 100 bits."""
    return "".join(_ID_ALPHABET[byte % len(_ID_ALPHABET)] for byte in secrets.token_bytes(length))


def hash_secret(secret: str) -> str:
    """Return the hash under which a random secret is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _OwnerQuery:
    """A query for the owner of a session or token. One last seen before `oldest` has ended."""

    hash: str
    now: int
    oldest: int = 0
    came_from: str | None = None


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A new session: its secret, the hashes of the sessions that it ended, and whether a guest was claimed."""

    session: str
    ended: list[str]
    has_claimed: bool


@dataclass(frozen=True, slots=True)
class _NewGuest:
    """A guest to be added, with the first session."""

    id: str
    name: Name
    session: str
    device: str
    now: int
    came_from: str | None

    def make_player_row(self) -> dict[str, object]:
        row = {"id": self.id, "name": self.name.text, "skeleton": self.name.skeleton}
        return {**row, "is_account": False, "is_bot": False, "made_at": self.now, "seen_at": self.now}

    def make_session_row(self) -> dict[str, object]:
        return _make_session_row(self.id, self.session, self.device, self.now, self.came_from)


class PeopleStore:
    """Queries about players, sessions and tokens. Each call is one transaction, which concurrent calls may share."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._owner_batchers = {
            table.name: Batcher(partial(self._find_owners, table)) for table in (sessions, tokens)
        }
        self._name_batcher = Batcher(self._read_names, max_size=16)
        self._taken_batcher = Batcher(self._find_taken)
        self._guest_batcher = Batcher(self._add_guests, max_size=64)

    async def ping(self) -> None:
        """Return if the database responds; raise if it does not."""
        await self.database.fetch_rows(select(1))

    async def add_guest(
        self, name: Name, device: str, now: int, *, came_from: str | None = None
    ) -> tuple[Player, str]:
        """Add a guest; return it with the secret of its first session. Raise LoginTaken."""
        guest = _NewGuest(new_id(), name, secrets.token_urlsafe(24), device, now, came_from)
        await self._guest_batcher.get(guest)
        return Player(guest.id, name.text, False, False, now, now), guest.session

    async def _add_guests(self, batch: list[_NewGuest]) -> list[LoginTaken | None]:
        """Add guests in one transaction; of two with the same name, the first gets it."""
        names = [guest.name for guest in batch]

        def add(conn: Connection) -> list[_NewGuest]:
            lock_names(conn, names)
            taken = find_name_owners(conn, names, min(guest.now for guest in batch))
            added = []
            for guest in batch:
                if taken.keys().isdisjoint(guest.name.skeletons):
                    taken[guest.name.skeleton] = {guest.id}
                    added.append(guest)
            if added:
                conn.execute(insert(players), [guest.make_player_row() for guest in added])
                conn.execute(insert(sessions), [guest.make_session_row() for guest in added])
            return added

        added = {guest.id for guest in await self.database.write(add)}
        return [None if guest.id in added else LoginTaken() for guest in batch]

    async def open_session(
        self,
        player: str,
        device: str,
        now: int,
        *,
        max_sessions: int,
        instead_of: str | None = None,
        came_from: str | None = None,
        claims: str | None = None,
    ) -> OpenedSession:
        """Open a session for a player and end the session that it replaces. Raise PlayerGone.

        If there are more than `max_sessions`, those seen longest ago end. The browser's push subscription moves to the
        new session if it belongs to this player. `claims` is a guest that the player claims; all of the guest's
        sessions end. Claim and session are one transaction, so that no session of the guest ever opens the account.
        """
        session = secrets.token_urlsafe(24)
        new, old = hash_secret(session), hash_secret(instead_of or "")
        excess = (
            select(sessions.c.hash)
            .where(sessions.c.player == player, sessions.c.hash != new)
            .order_by(sessions.c.seen_at.desc(), sessions.c.made_at.desc())
            .offset(max_sessions - 1)
        )

        def write(conn: Connection) -> OpenedSession:
            # The lock serialises concurrent log-ins of a player, so that each counts the others.
            locked = lock_present(conn, {player, claims} if claims is not None else {player})
            if player not in locked:
                raise PlayerGone
            conn.execute(insert(sessions), [_make_session_row(player, session, device, now, came_from)])
            same = (push_subscriptions.c.session == old, push_subscriptions.c.player == player)
            conn.execute(update(push_subscriptions).where(*same).values(session=new))
            ended: list[str] = []
            has_claimed = False
            if claims is not None:
                guest_sessions = [
                    row.hash for row in conn.execute(_SELECT_SESSIONS_OF_PLAYER, {"player": claims})
                ]
                has_claimed = claim_guest(conn, claims, player, now, browser=old, session=new)
                ended += [
                    session_hash for session_hash in guest_sessions if has_claimed and session_hash != old
                ]
            conn.execute(delete(sessions).where(sessions.c.hash == old))
            too_many = [row.hash for row in conn.execute(excess)]
            if too_many:
                conn.execute(delete(sessions).where(sessions.c.hash.in_(too_many)))
            return OpenedSession(session, [*ended, *too_many], has_claimed)

        return await self.database.write(write)

    async def filter_live_sessions(self, keys: Collection[str]) -> set[str]:
        """Return those of these hashes that belong to existing sessions or tokens."""
        values = {"keys": list(keys)}
        return await self.database.read(
            lambda conn: {
                key for query in _SELECT_OWNERS_BY_TABLE.values() for key in conn.scalars(query, values)
            }
        )

    async def find_by_session(
        self, session: str, now: int, oldest: int, came_from: str | None = None
    ) -> Player | None:
        """Return the player of this session; update `seen_at` every SEEN_INTERVAL_SECONDS."""
        return await self._owner_batchers[sessions.name].get(
            _OwnerQuery(hash_secret(session), now, oldest, came_from)
        )

    async def find_by_token(self, token: str, now: int) -> Player | None:
        """Return the player of this API token."""
        return await self._owner_batchers[tokens.name].get(_OwnerQuery(hash_secret(token), now))

    async def _find_owners(self, table: Table, batch: list[_OwnerQuery]) -> list[Player | None]:
        """Return the owner of each session or token, or None."""
        now = max(query.now for query in batch)
        keys = pad_to_power_of_two([query.hash for query in batch])

        def read(conn: Connection) -> tuple[dict[str, tuple[str, int]], dict[str, Player]]:
            rows = conn.execute(_SELECT_OWNERS_BY_TABLE[table.name], {"keys": keys})
            seen = {row.hash: (row.player, row.last) for row in rows}
            return seen, read_players(conn, {player for player, _ in seen.values()}, now)

        seen, people = await self.database.read(read)
        found: list[Player | None] = []
        newly_seen: dict[str, dict[str, Any]] = {}
        for query in batch:
            player_id, last = seen.get(query.hash, (None, -1))
            player = people.get(player_id) if player_id is not None and last >= query.oldest else None
            found.append(player)
            if player is not None and last < query.now - SEEN_INTERVAL_SECONDS:
                newly_seen[query.hash] = {
                    "key": query.hash,
                    "player": player.id,
                    "now": now,
                    "came_from": query.came_from,
                }
        if newly_seen:
            await self.database.write(partial(_update_seen, table, newly_seen))
        return found

    async def find_player(self, player: str, now: int) -> Player | None:
        """Return the player with this id, for a claimed guest the account; None if unknown or deleted."""
        return (await self.database.read(lambda conn: read_players(conn, {player}, now))).get(player)

    async def find_players(self, ids: Collection[str], now: int) -> dict[str, Player]:
        """Return the players with these ids, claimed guests as their accounts, without unknown and deleted ones."""
        return await self.database.read(lambda conn: read_players(conn, ids, now))

    async def read_names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return names by id, for a claimed guest that of the account; unknown and deleted players are left out."""
        return await self._name_batcher.get(tuple(ids)) if ids else {}

    async def _read_names(self, batch: list[tuple[str, ...]]) -> list[dict[str, str]]:
        rows = await self.database.fetch_rows(
            _NAMES, {"ids": pad_to_power_of_two(list({player for ids in batch for player in ids}))}
        )
        found = {row.id: row.name for row in rows if row.name is not None}
        return [{player: found[player] for player in ids if player in found} for ids in batch]

    async def read_changed_names(self, since: int) -> dict[str, str | None]:
        """Return the new names, by id, of players renamed since then; None for those deleted."""
        return {row.id: row.name for row in await self.database.fetch_rows(_CHANGED_NAMES, {"since": since})}

    async def is_name_taken(self, name: Name, now: int, except_player: str | None = None) -> bool:
        """Return whether an account, or a guest seen recently, has a confusable name."""
        return await self._taken_batcher.get((name, now, except_player))

    async def _find_taken(self, batch: list[tuple[Name, int, str | None]]) -> list[bool]:
        now = min(now for _, now, _ in batch)
        taken = await self.database.read(
            lambda conn: find_name_owners(conn, [name for name, _, _ in batch], now)
        )
        return [is_taken_by_other(taken, name, player) for name, _, player in batch]

    async def rename(self, player: str, name: Name, now: int) -> None:
        """Change a player's name, and the log-in name of an account. Raise LoginTaken or PlayerGone."""

        def write(conn: Connection) -> None:
            reserve_name(conn, name, now, player)
            require_present(conn, player)
            changed = {"name": name.text, "skeleton": name.skeleton, "changed_at": now}
            conn.execute(update(players).where(players.c.id == player).values(**changed))
            conn.execute(update(accounts).where(accounts.c.player == player).values(login=name.login))

        try:
            await self.database.write(write)
        except IntegrityError as problem:
            raise LoginTaken from problem

    async def close_session(self, session: str) -> None:
        """End a session."""
        await self.database.execute_write(delete(sessions).where(sessions.c.hash == hash_secret(session)))

    async def close_all_sessions(self, player: str) -> int:
        """End all sessions and tokens of a player and forget known devices; return how many were ended."""
        account = update(accounts).where(accounts.c.player == player)

        def write(conn: Connection) -> int:
            conn.execute(account.values(device_epoch=accounts.c.device_epoch + 1))
            both = (delete(table).where(table.c.player == player) for table in (sessions, tokens))
            return sum(conn.execute(query).rowcount for query in both)

        return await self.database.write(write)

    async def list_devices(self, player: str, current: str | None) -> list[tuple[str, str, int, bool]]:
        """Return id, label and `seen_at` of each session, and whether it is the current one."""
        key = hash_secret(current) if current is not None else ""
        query = select(sessions).where(sessions.c.player == player).order_by(sessions.c.seen_at.desc())
        rows = await self.database.fetch_rows(query)
        return [(row.hash[:16], row.device, row.seen_at, row.hash == key) for row in rows]


def _update_seen(table: Table, newly_seen: dict[str, dict[str, Any]], conn: Connection) -> None:
    """Update `seen_at` of these sessions or tokens and of their players.

    Rows locked by another transaction are skipped, so this never waits; a later request updates them.
    """
    keys = {
        row.hash
        for row in conn.execute(
            _TRY_LOCK_BY_TABLE[table.name], {"keys": pad_to_power_of_two(list(newly_seen))}
        )
    }
    if keys:
        conn.execute(_UPDATE_SEEN_BY_TABLE[table.name], [newly_seen[key] for key in keys])
    ids = pad_to_power_of_two(list({row["player"] for row in newly_seen.values()}))
    unlocked = {row.id for row in conn.execute(_TRY_LOCK_PLAYERS, {"ids": ids})}
    seen = [row for row in newly_seen.values() if row["player"] in unlocked]
    if seen:
        conn.execute(_UPDATE_PLAYER_SEEN, seen)


def _make_session_row(
    player: str, session: str, device: str, now: int, came_from: str | None
) -> dict[str, object]:
    row = {"hash": hash_secret(session), "player": player, "device": device[:80], "came_from": came_from}
    return {**row, "made_at": now, "seen_at": now}


# Built once: a query that is built with a literal list leaves kilobytes in reference cycles, per call, until the
# garbage collector runs.
_with_names = select(players.c.id, present_name.label("name")).select_from(
    with_present_names(players, players.c.id)
)
_NAMES = _with_names.where(players.c.id.in_(bindparam("ids", expanding=True)))
# A union, so that each half uses its index: for an OR over two columns, PostgreSQL would scan the table.
_renamed, _guests = players.alias("renamed"), players.alias("guests")
_CHANGED_NAMES = _with_names.where(
    players.c.id.in_(
        union(
            select(_renamed.c.id).where(_renamed.c.changed_at >= bindparam("since")),
            # A claimed guest has the name of the account.
            select(_guests.c.id).where(
                _guests.c.claimed_by.in_(
                    select(_renamed.c.id).where(_renamed.c.changed_at >= bindparam("since"))
                )
            ),
        )
    )
)
_SELECT_SESSIONS_OF_PLAYER = select(sessions.c.hash).where(sessions.c.player == bindparam("player"))
_SELECT_OWNERS_BY_TABLE = {
    table.name: select(table.c.hash, table.c.player, table.c.seen_at.label("last")).where(
        table.c.hash.in_(bindparam("keys", expanding=True))
    )
    for table in (sessions, tokens)
}
_UPDATE_SEEN_BY_TABLE = {
    sessions.name: update(sessions)
    .where(sessions.c.hash == bindparam("key"))
    .values(seen_at=bindparam("now"), came_from=bindparam("came_from")),
    tokens.name: update(tokens).where(tokens.c.hash == bindparam("key")).values(seen_at=bindparam("now")),
}
_TRY_LOCK_BY_TABLE = {
    table.name: select(table.c.hash)
    .where(table.c.hash.in_(bindparam("keys", expanding=True)))
    .with_for_update(skip_locked=True, key_share=True)
    for table in (sessions, tokens)
}
_TRY_LOCK_PLAYERS = (
    select(players.c.id)
    .where(players.c.id.in_(bindparam("ids", expanding=True)))
    .with_for_update(skip_locked=True, key_share=True)
)
_UPDATE_PLAYER_SEEN = (
    update(players).where(players.c.id == bindparam("player")).values(seen_at=bindparam("now"))
)
