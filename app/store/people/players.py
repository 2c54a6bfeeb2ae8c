"""Players and their sessions: made, found, renamed, logged out, forgotten."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, insert, select, union, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.batches import Batches, padded
from app.store.people.player_rows import Player, PlayerGone, lock_present, players_of, require_present
from app.store.people.references import claim_guest
from app.store.people.tables import (
    accounts,
    players,
    present_name,
    push_subscriptions,
    sessions,
    tokens,
    with_present_names,
)
from app.store.people.taken_names import (
    LoginTaken,
    Name,
    is_others,
    lock_names,
    owners_of_names,
    take_name,
)
from app.store.transactions import Queries

__all__ = ["LoginTaken", "Name", "PeopleStore", "Player", "hashed", "new_id"]

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 letters that nobody mixes up, 5 bits each
SEEN_EVERY = 300  # seconds between two notes that somebody was seen


def new_id(letters: int = 20) -> str:
    """A random name for a row: 20 letters carry 100 bits."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in secrets.token_bytes(letters))


def hashed(secret: str) -> str:
    """What is stored of a random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whose session, or token, is it? Older than `oldest` it has ended."""

    hash: str
    now: int
    oldest: int = 0
    came_from: str | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A new session: its secret, the hashes of other sessions that ended with it, whether a guest was claimed."""

    session: str
    ended: list[str]
    has_claimed: bool


@dataclass(frozen=True, slots=True)
class _NewGuest:
    """Somebody who has just chosen a name."""

    id: str
    name: Name
    session: str
    device: str
    now: int
    came_from: str | None

    def as_player(self) -> dict[str, object]:
        row = {"id": self.id, "name": self.name.text, "skeleton": self.name.skeleton}
        return {**row, "is_account": False, "is_bot": False, "made_at": self.now, "seen_at": self.now}

    def as_session(self) -> dict[str, object]:
        return _session_row(self.id, self.session, self.device, self.now, self.came_from)


class PeopleStore(Queries):
    """Queries about players, sessions and tokens; each call is one transaction, those of many at once are too."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self._owners = {table.name: Batches(partial(self._owner, table)) for table in (sessions, tokens)}
        self._naming = Batches(self._names, most=16)
        self._taken = Batches(self._are_taken)
        self._adding = Batches(self._add_guests, most=64)

    async def ping(self) -> None:
        """Returns when the database answers, raises when it does not."""
        async with self.reading() as run:
            await run.execute(select(1))

    async def add_guest(
        self, name: Name, device: str, now: int, *, came_from: str | None = None
    ) -> tuple[Player, str]:
        """A new guest and the secret of its first session. Raises LoginTaken."""
        guest = _NewGuest(new_id(), name, secrets.token_urlsafe(24), device, now, came_from)
        await self._adding.get(guest)
        return Player(guest.id, name.text, False, False, now, now), guest.session

    async def _add_guests(self, batch: list[_NewGuest]) -> list[LoginTaken | None]:
        """All who came in one turn, in one transaction; of two with one name the first has it."""
        names = [guest.name for guest in batch]

        def add(run: Connection) -> list[_NewGuest]:
            lock_names(run, names)
            taken = owners_of_names(run, names, min(guest.now for guest in batch))
            added = []
            for guest in batch:
                if taken.keys().isdisjoint(guest.name.skeletons):
                    taken[guest.name.skeleton] = {guest.id}
                    added.append(guest)
            if added:
                run.execute(insert(players), [guest.as_player() for guest in added])
                run.execute(insert(sessions), [guest.as_session() for guest in added])
            return added

        added = {guest.id for guest in await self.write(add)}
        return [None if guest.id in added else LoginTaken() for guest in batch]

    async def open_session(
        self,
        player: str,
        device: str,
        now: int,
        *,
        most: int,
        instead_of: str | None = None,
        came_from: str | None = None,
        claims: str | None = None,
    ) -> Opened:
        """Open a session for a player; the one it replaces ends. Raise PlayerGone.

        Of more than `most` sessions, those seen longest ago end. The browser's push subscription follows if it is
        this player's. `claims` is a guest that becomes the player's, with all of the guest's sessions ended; the
        claim and the session are one transaction, so that no session of the guest ever opens the account.
        """
        session = secrets.token_urlsafe(24)
        new, old = hashed(session), hashed(instead_of or "")
        late = (
            select(sessions.c.hash)
            .where(sessions.c.player == player, sessions.c.hash != new)
            .order_by(sessions.c.seen_at.desc(), sessions.c.made_at.desc())
            .offset(most - 1)
        )

        def write(run: Connection) -> Opened:
            # Concurrent log-ins of one player wait for each other, so that each counts the others.
            locked = lock_present(run, {player, claims} if claims is not None else {player})
            if player not in locked:
                raise PlayerGone
            run.execute(insert(sessions), [_session_row(player, session, device, now, came_from)])
            same = (push_subscriptions.c.session == old, push_subscriptions.c.player == player)
            run.execute(update(push_subscriptions).where(*same).values(session=new))
            ended: list[str] = []
            has_claimed = False
            if claims is not None:
                theirs = [row.hash for row in run.execute(_OF_PLAYER, {"player": claims})]
                has_claimed = claim_guest(run, claims, player, now, browser=old, session=new)
                ended += [each for each in theirs if has_claimed and each != old]
            run.execute(delete(sessions).where(sessions.c.hash == old))
            too_many = [row.hash for row in run.execute(late)]
            if too_many:
                run.execute(delete(sessions).where(sessions.c.hash.in_(too_many)))
            return Opened(session, [*ended, *too_many], has_claimed)

        return await self.write(write)

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
        return await self._owners[sessions.name].get(_Asked(hashed(session), now, oldest, came_from))

    async def by_token(self, token: str, now: int) -> Player | None:
        """Whose program's token this is."""
        return await self._owners[tokens.name].get(_Asked(hashed(token), now))

    async def _owner(self, table: Table, batch: list[_Asked]) -> list[Player | None]:
        """All that were asked for in one turn: after a restart everybody is."""
        now = max(asked.now for asked in batch)
        keys = padded([asked.hash for asked in batch])

        def look(run: Connection) -> tuple[dict[str, tuple[str, int]], dict[str, Player]]:
            rows = run.execute(_OWNER[table.name], {"keys": keys})
            seen = {row.hash: (row.player, row.last) for row in rows}
            return seen, players_of(run, {player for player, _ in seen.values()}, now)

        seen, people = await self.read(look)
        found: list[Player | None] = []
        noted: dict[str, dict[str, Any]] = {}
        for asked in batch:
            player_id, last = seen.get(asked.hash, (None, -1))
            player = people.get(player_id) if player_id is not None and last >= asked.oldest else None
            found.append(player)
            if player is not None and last < asked.now - SEEN_EVERY:
                noted[asked.hash] = {
                    "key": asked.hash,
                    "player": player.id,
                    "now": now,
                    "came": asked.came_from,
                }
        if noted:
            await self.write(partial(_note_seen, table, noted))
        return found

    async def player(self, player: str, now: int) -> Player | None:
        """The player of this id, a claimed guest as its account; None when unknown or deleted."""
        return (await self.read(lambda run: players_of(run, {player}, now))).get(player)

    async def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Names by id, a claimed guest's is the account's; somebody unknown or deleted is left out."""
        return await self._naming.get(tuple(ids)) if ids else {}

    async def _names(self, batch: list[tuple[str, ...]]) -> list[dict[str, str]]:
        rows = await self.rows(_NAMES, {"ids": padded(list({each for ids in batch for each in ids}))})
        found = {row.id: row.name for row in rows if row.name is not None}
        return [{each: found[each] for each in ids if each in found} for ids in batch]

    async def changed(self, since: int) -> dict[str, str | None]:
        """Who was renamed since then, and to what; None: who was deleted."""
        return {row.id: row.name for row in await self.rows(_CHANGED, {"since": since})}

    async def is_taken(self, name: Name, now: int, but: str | None = None) -> bool:
        """Whether an account, or a guest who is about, has a name that looks like this."""
        return await self._taken.get((name, now, but))

    async def _are_taken(self, batch: list[tuple[Name, int, str | None]]) -> list[bool]:
        now = min(asked[1] for asked in batch)
        taken = await self.read(lambda run: owners_of_names(run, [asked[0] for asked in batch], now))
        return [is_others(taken, name, but) for name, _, but in batch]

    async def rename(self, player: str, name: Name, now: int) -> None:
        """Change the name; an account's log-in name follows it. Raise LoginTaken or PlayerGone."""
        try:
            async with self.writing() as run:
                await run.run_sync(take_name, name, now, player)
                await run.run_sync(require_present, player)
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
        """Log every device and every program out, and forget all known devices; return how many were."""
        async with self.writing() as run:
            await run.execute(
                update(accounts)
                .where(accounts.c.player == player)
                .values(device_epoch=accounts.c.device_epoch + 1)
            )
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


def _note_seen(table: Table, noted: dict[str, dict[str, Any]], run: Connection) -> None:
    """Note when these sessions or tokens, and their players, were last seen.

    A row that another transaction has locked is left out (the next request notes it), so this never waits for a lock.
    """
    keys = {row.hash for row in run.execute(_FREE[table.name], {"keys": padded(list(noted))})}
    if keys:
        run.execute(_SEEN[table.name], [noted[key] for key in keys])
    wanted = padded(list({row["player"] for row in noted.values()}))
    free = {row.id for row in run.execute(_FREE_PLAYERS, {"ids": wanted})}
    seen = [row for row in noted.values() if row["player"] in free]
    if seen:
        run.execute(_SEEN_PLAYER, seen)


def _session_row(
    player: str, session: str, device: str, now: int, came_from: str | None
) -> dict[str, object]:
    row = {"hash": hashed(session), "player": player, "device": device[:80], "came_from": came_from}
    return {**row, "made_at": now, "seen_at": now}


# Made once: a list that is put into a query as it is written leaves objects in a circle behind, kilobytes for
# everybody who comes, until the collector finds them.
_named = select(players.c.id, present_name.label("name")).select_from(
    with_present_names(players, players.c.id)
)
_NAMES = _named.where(players.c.id.in_(bindparam("ids", expanding=True)))
# Two halves, each found by its own index: PostgreSQL answers "this or that" over two columns by reading every row.
_renamed, _guests = players.alias("renamed"), players.alias("guests")
_CHANGED = _named.where(
    players.c.id.in_(
        union(
            select(_renamed.c.id).where(_renamed.c.changed_at >= bindparam("since")),
            # A claimed guest is called as the account is.
            select(_guests.c.id).where(
                _guests.c.claimed_by.in_(
                    select(_renamed.c.id).where(_renamed.c.changed_at >= bindparam("since"))
                )
            ),
        )
    )
)
_OF_PLAYER = select(sessions.c.hash).where(sessions.c.player == bindparam("player"))
_LIVE = tuple(
    select(table.c.hash).where(table.c.hash.in_(bindparam("keys", expanding=True)))
    for table in (sessions, tokens)
)
_OWNER = {
    table.name: select(table.c.hash, table.c.player, table.c.seen_at.label("last")).where(
        table.c.hash.in_(bindparam("keys", expanding=True))
    )
    for table in (sessions, tokens)
}
_SEEN = {
    sessions.name: update(sessions)
    .where(sessions.c.hash == bindparam("key"))
    .values(seen_at=bindparam("now"), came_from=bindparam("came")),
    tokens.name: update(tokens).where(tokens.c.hash == bindparam("key")).values(seen_at=bindparam("now")),
}
_FREE = {
    table.name: select(table.c.hash)
    .where(table.c.hash.in_(bindparam("keys", expanding=True)))
    .with_for_update(skip_locked=True, key_share=True)
    for table in (sessions, tokens)
}
_FREE_PLAYERS = (
    select(players.c.id)
    .where(players.c.id.in_(bindparam("ids", expanding=True)))
    .with_for_update(skip_locked=True, key_share=True)
)
_SEEN_PLAYER = update(players).where(players.c.id == bindparam("player")).values(seen_at=bindparam("now"))
