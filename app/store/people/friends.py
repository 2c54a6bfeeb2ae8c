"""Friendships and requests between accounts.

A friendship is mutual. A request that is declined stays until it expires: the asker sees no difference, and asking
again has no effect meanwhile. A request to a person who has blocked the asker is stored as a declined one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, and_, delete, exists, func, insert, or_, select, tuple_, update

from app.store.database import Database
from app.store.people.blocks import find_blocks
from app.store.people.player_rows import PlayerGone, lock_present
from app.store.tables.friends import friend_requests, friend_settings, friendships, player_notes
from app.store.tables.people import blocks, players

MAX_FRIENDS = 300
MAX_OPEN_REQUESTS = 50  # that a person has sent and not withdrawn
MAX_LISTED_REQUESTS = 50
MAX_COUNTED_REQUESTS = 99

Relation = Literal["none", "asked", "asks_you", "friends"]
"""The reader and another person: the reader has asked, the other asks the reader, or both are friends."""


class FriendLimit(Exception):
    """A limit is reached; `which` is the limit of the asker, of the other person, or of requests."""

    def __init__(self, which: Literal["own", "other", "requests"]) -> None:
        super().__init__(which)
        self.which = which


class AskerBlocks(Exception):
    """The asker has blocked the other person."""


@dataclass(frozen=True, slots=True)
class Friend:
    """A friend, as far as the reader may see them. Times are seconds."""

    id: str
    name: str
    since: int
    shows_online: bool
    seen_at: int | None
    note: str | None


@dataclass(frozen=True, slots=True)
class FriendRequest:
    """A request, with the other person of it."""

    id: str
    name: str
    at: int


class FriendStore:
    """Queries about friendships and requests. Ids are those of accounts."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def ask(self, player: str, other: str, now: int) -> Relation:
        """Ask a person, or make friends at once if they have asked. Repeating it changes nothing.

        Raise PlayerGone, AskerBlocks or FriendLimit.
        """

        def write(conn: Connection) -> Relation:
            # The locks serialise two people who ask each other, and requests of one person.
            if len(lock_present(conn, {player, other}, unclaimed=True)) != 2:
                raise PlayerGone
            has_blocked, is_blocked = find_blocks(conn, [([player], [other]), ([other], [player])])
            if has_blocked:
                raise AskerBlocks
            if conn.execute(select(friendships.c.since).where(*_friendship(player, other))).first():
                return "friends"
            if not is_blocked and conn.execute(_select_open_request(other, player)).first():
                return _make_friends(conn, player, other, now)
            own = _request(player, other)
            is_withdrawn = conn.execute(select(friend_requests.c.is_withdrawn).where(*own)).scalar()
            if is_withdrawn is False:
                return "asked"
            # Limit and time are those of a new request, so that a declined one that was withdrawn looks the same.
            if _count(conn, friend_requests, *_sent_by(player)) >= MAX_OPEN_REQUESTS:
                raise FriendLimit("requests")
            if is_withdrawn:
                conn.execute(update(friend_requests).where(*own).values(is_withdrawn=False, at=now))
                return "asked"
            row = {"player": player, "asked": other, "at": now, "is_withdrawn": False}
            conn.execute(insert(friend_requests).values(**row, declined_at=now if is_blocked else None))
            return "asked"

        return await self.database.write(write)

    async def decline(self, player: str, asker: str, now: int) -> None:
        """Decline a request. The asker does not learn of it."""

        def write(conn: Connection) -> None:
            if len(lock_present(conn, {player, asker})) == 2:
                waiting = (*_request(asker, player), friend_requests.c.declined_at.is_(None))
                conn.execute(update(friend_requests).where(*waiting).values(declined_at=now))

        await self.database.write(write)

    async def remove(self, player: str, other: str) -> None:
        """End a friendship, or withdraw one's own request. A declined one stays, so that it is not repeated at once."""

        def write(conn: Connection) -> None:
            lock_present(conn, {player, other})
            conn.execute(delete(friendships).where(_is_between(friendships.c.friend, player, other)))
            own = _request(player, other)
            conn.execute(delete(friend_requests).where(*own, friend_requests.c.declined_at.is_(None)))
            conn.execute(update(friend_requests).where(*own).values(is_withdrawn=True))

        await self.database.write(write)

    async def list_friends(self, player: str, seen_after: int) -> list[Friend]:
        """Return a person's friends by name, with the time they were last seen if they show it and it is later."""
        query = (
            select(
                players.c.id,
                players.c.name,
                friendships.c.since,
                func.coalesce(friend_settings.c.shows_online, False).label("shows_online"),
                friend_settings.c.shows_seen,
                friend_settings.c.seen_at,
                player_notes.c.text,
            )
            .select_from(friendships)
            .join(players, players.c.id == friendships.c.friend)
            .outerjoin(friend_settings, friend_settings.c.player == friendships.c.friend)
            .outerjoin(
                player_notes,
                and_(player_notes.c.player == player, player_notes.c.about == friendships.c.friend),
            )
            .where(friendships.c.player == player, players.c.deleted_at.is_(None))
            .where(~_has_block(player, friendships.c.friend))
            .limit(MAX_FRIENDS)
        )
        rows = await self.database.fetch_rows(query)
        friends = [
            Friend(
                row.id,
                row.name,
                row.since,
                row.shows_online,
                row.seen_at if row.shows_seen and (row.seen_at or 0) > seen_after else None,
                row.text,
            )
            for row in rows
        ]
        return sorted(friends, key=lambda friend: friend.name.casefold())

    async def list_friend_ids(self, player: str) -> list[str]:
        """Return the ids of a person's friends."""
        query = select(friendships.c.friend).where(
            friendships.c.player == player, ~_has_block(player, friendships.c.friend)
        )
        return [row.friend for row in await self.database.fetch_rows(query.limit(MAX_FRIENDS))]

    async def list_requests(self, player: str) -> tuple[list[FriendRequest], list[FriendRequest]]:
        """Return the requests that wait for a person's answer, and those that the person has sent; newest first."""
        received = _select_requests(friend_requests.c.player).where(*_waiting_for(player))
        sent = _select_requests(friend_requests.c.asked).where(*_sent_by(player))

        def read(conn: Connection) -> tuple[list[FriendRequest], list[FriendRequest]]:
            found = [
                [FriendRequest(row.id, row.name, row.at) for row in conn.execute(query)]
                for query in (received, sent)
            ]
            return found[0], found[1]

        return await self.database.read(read)

    async def count_received(self, player: str) -> int:
        """Return how many requests wait for a person's answer, MAX_COUNTED_REQUESTS at most."""
        waiting = select(friend_requests.c.at).where(*_waiting_for(player)).limit(MAX_COUNTED_REQUESTS)
        rows = await self.database.fetch_rows(select(func.count()).select_from(waiting.subquery()))
        return int(rows[0][0])

    async def read_relations(self, player: str, others: Collection[str]) -> dict[str, Relation]:
        """Return a person's relation to each of these people."""
        pairs = [(player, other) for other in others] + [(other, player) for other in others]
        keys = tuple_(friend_requests.c.player, friend_requests.c.asked)
        friends = select(friendships.c.friend).where(
            friendships.c.player == player, friendships.c.friend.in_(others)
        )
        requests = select(friend_requests).where(
            keys.in_(pairs),
            friend_requests.c.is_withdrawn.is_(False),
            or_(friend_requests.c.player == player, friend_requests.c.declined_at.is_(None)),
        )

        def read(conn: Connection) -> dict[str, Relation]:
            relations: dict[str, Relation] = dict.fromkeys(others, "none")
            for row in conn.execute(requests):
                if row.player == player:
                    relations[row.asked] = "asked"
                else:
                    relations[row.player] = "asks_you"
            return relations | dict.fromkeys(conn.scalars(friends), "friends")

        return await self.database.read(read)


def end_friendship(conn: Connection, player: str, other: str, now: int) -> None:
    """End a friendship because the player blocks the other person, who does not learn of it.

    The other's request seems unanswered to them; the player's own is deleted.
    """
    conn.execute(delete(friendships).where(_is_between(friendships.c.friend, player, other)))
    conn.execute(delete(friend_requests).where(*_request(player, other)))
    waiting = (*_request(other, player), friend_requests.c.declined_at.is_(None))
    conn.execute(update(friend_requests).where(*waiting).values(declined_at=now))


def _make_friends(conn: Connection, player: str, other: str, now: int) -> Relation:
    for person, which in ((player, "own"), (other, "other")):
        if _count(conn, friendships, friendships.c.player == person) >= MAX_FRIENDS:
            raise FriendLimit("own" if which == "own" else "other")
    pairs = sorted(((player, other), (other, player)))
    conn.execute(insert(friendships), [{"player": one, "friend": two, "since": now} for one, two in pairs])
    conn.execute(delete(friend_requests).where(_is_between(friend_requests.c.asked, player, other)))
    return "friends"


def _count(conn: Connection, table: Any, *where: Any) -> int:
    return int(conn.execute(select(func.count()).select_from(table).where(*where)).scalar_one())


def _friendship(player: str, friend: str) -> tuple[Any, ...]:
    return friendships.c.player == player, friendships.c.friend == friend


def _request(player: str, asked: str) -> tuple[Any, ...]:
    return friend_requests.c.player == player, friend_requests.c.asked == asked


def _is_between(column: Any, one: str, two: str) -> Any:
    """Select both directions between two people in the table of this column."""
    return or_(
        and_(column.table.c.player == one, column == two), and_(column.table.c.player == two, column == one)
    )


def _select_open_request(player: str, asked: str) -> Any:
    """Select a request that its asker still wants, declined or not."""
    return select(friend_requests.c.at).where(
        *_request(player, asked), friend_requests.c.is_withdrawn.is_(False)
    )


def _sent_by(player: str) -> tuple[Any, ...]:
    return friend_requests.c.player == player, friend_requests.c.is_withdrawn.is_(False)


def _waiting_for(player: str) -> tuple[Any, ...]:
    return (
        friend_requests.c.asked == player,
        friend_requests.c.declined_at.is_(None),
        friend_requests.c.is_withdrawn.is_(False),
        ~_has_block(player, friend_requests.c.player),
    )


def _has_block(player: str, other: Any) -> Any:
    """Select a block between a person and another, in either direction."""
    return exists().where(
        or_(
            and_(blocks.c.player == player, blocks.c.blocked == other),
            and_(blocks.c.player == other, blocks.c.blocked == player),
        )
    )


def _select_requests(column: Any) -> Any:
    """Select requests with the person in this column, newest first."""
    return (
        select(players.c.id, players.c.name, friend_requests.c.at)
        .join(players, players.c.id == column)
        .where(players.c.deleted_at.is_(None))
        .order_by(friend_requests.c.at.desc(), players.c.id)
        .limit(MAX_LISTED_REQUESTS)
    )
