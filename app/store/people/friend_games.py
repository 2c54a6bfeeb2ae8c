"""Games of friends: where they play, results against each other, the last game together, and open invitations.

The cost depends on the number of the reader's friends and games, never on how many people there are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, and_, case, exists, func, or_, select

from app.play.engines import ALL_DEAL_RULES_VERSIONS
from app.store.database import Database
from app.store.people.blocks import find_all_ids, find_blocks
from app.store.tables.games import games, heads, seats
from app.store.tables.people import blocks, invitations, players, present_name, with_present_names

MAX_TABLES_OF_FRIENDS = 200
MAX_LISTED_INVITATIONS = 20
INVITATION_SECONDS = 7 * 86_400  # as long as its notice is sent
_UNFINISHED = ("open", "running")
_IS_PLAYED_TOGETHER = games.c.rules_version.not_in(sorted(ALL_DEAL_RULES_VERSIONS))
_owner = func.coalesce(players.c.claimed_by, players.c.id)


@dataclass(frozen=True, slots=True)
class FriendTable:
    """An unfinished table at which friends sit, and that the reader plays at, may join or may watch."""

    id: str
    preset: str
    status: str
    players: int
    taken: int
    is_own: bool
    friends: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Score:
    """Results of two people in all games they finished together."""

    played: int
    won: int
    lost: int


@dataclass(frozen=True, slots=True)
class TableInvitation:
    """An invitation to a table that is still open."""

    game: str
    preset: str
    inviter: str
    name: str
    at: int


@dataclass(frozen=True, slots=True)
class LastGame:
    """The last game that two people finished together, and the names of the other people at its table."""

    id: str
    preset: str
    seats: int
    company: list[str]


class FriendGamesStore:
    """Queries about games of friends."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def list_tables(self, reader: Sequence[str], friends: Collection[str]) -> list[FriendTable]:
        """Return the tables of these friends that the reader sits at, or may join or watch as anyone may.

        Tables with a person whom the reader has blocked are left out, and for joining those with a person who has
        blocked the reader.
        """
        if not friends:
            return []

        def read(conn: Connection) -> list[FriendTable]:
            owner_of = _owners_by_id(conn, friends)
            rows = conn.execute(_select_tables(list(owner_of), reader)).all()
            found: dict[str, FriendTable] = {}
            for row in rows:
                table = found.setdefault(
                    row.id,
                    FriendTable(row.id, row.preset, row.status, row.players, row.taken, bool(row.is_own)),
                )
                table.friends.append(owner_of[row.person])
            return _without_blocks(conn, list(reader), list(found.values()))

        return await self.database.read(read)

    async def count_scores(self, reader: Sequence[str], friends: Collection[str]) -> dict[str, Score]:
        """Return the results of the reader against each of these friends they have finished a game with."""
        if not friends:
            return {}
        own, other = seats.alias("own"), seats.alias("other")

        def read(conn: Connection) -> dict[str, Score]:
            owner_of = _owners_by_id(conn, friends)
            query = (
                select(
                    other.c.person,
                    func.count().label("played"),
                    func.sum(case((own.c.place < other.c.place, 1), else_=0)).label("won"),
                    func.sum(case((own.c.place > other.c.place, 1), else_=0)).label("lost"),
                )
                .select_from(own.join(other, other.c.game == own.c.game))
                .where(own.c.person.in_(reader), own.c.place.is_not(None))
                .where(other.c.person.in_(list(owner_of)), other.c.place.is_not(None))
                .group_by(other.c.person)
            )
            scores: dict[str, Score] = {}
            for row in conn.execute(query):
                friend = owner_of[row.person]
                before = scores.get(friend, Score(0, 0, 0))
                scores[friend] = Score(
                    before.played + row.played, before.won + int(row.won), before.lost + int(row.lost)
                )
            return scores

        return await self.database.read(read)

    async def find_last_game(self, reader: Sequence[str], other: Sequence[str]) -> LastGame | None:
        """Return the last game that the reader and another person finished together."""
        own_seats, other_seats = seats.alias("own"), seats.alias("other")
        last = (
            select(games.c.id, games.c.preset, games.c.players)
            .select_from(
                own_seats.join(other_seats, other_seats.c.game == own_seats.c.game).join(
                    games, games.c.id == own_seats.c.game
                )
            )
            .where(own_seats.c.person.in_(reader), other_seats.c.person.in_(other))
            .where(games.c.status == "finished", _IS_PLAYED_TOGETHER)
            .order_by(games.c.ended_at.desc(), games.c.id)
            .limit(1)
        )

        def read(conn: Connection) -> LastGame | None:
            game = conn.execute(last).first()
            if game is None:
                return None
            names = (
                select(present_name.label("name"))
                .select_from(with_present_names(seats, seats.c.person))
                .where(seats.c.game == game.id, seats.c.person.is_not(None), seats.c.person.not_in(reader))
                .order_by(seats.c.seat)
            )
            company = [name for name in conn.scalars(names) if name is not None]
            return LastGame(game.id, game.preset, game.players, company)

        return await self.database.read(read)

    async def list_invitations(self, reader: Sequence[str], now: int) -> list[TableInvitation]:
        """Return the reader's invitations to tables that are open, newest first."""
        query = (
            select(
                games.c.id,
                games.c.preset,
                invitations.c.inviter,
                invitations.c.at,
                present_name.label("name"),
            )
            .select_from(
                with_present_names(
                    invitations.join(games, games.c.id == invitations.c.game), invitations.c.inviter
                )
            )
            .where(*_is_invited(reader, now))
            .order_by(invitations.c.at.desc(), games.c.id)
            .limit(MAX_LISTED_INVITATIONS)
        )
        return [
            TableInvitation(row.id, row.preset, row.inviter, row.name or "", row.at)
            for row in await self.database.fetch_rows(query)
        ]

    async def count_invitations(self, reader: Sequence[str], now: int) -> int:
        """Return how many such invitations there are, MAX_LISTED_INVITATIONS at most."""
        waiting = (
            select(games.c.id)
            .select_from(invitations.join(games, games.c.id == invitations.c.game))
            .where(*_is_invited(reader, now))
            .limit(MAX_LISTED_INVITATIONS)
        )
        rows = await self.database.fetch_rows(select(func.count()).select_from(waiting.subquery()))
        return int(rows[0][0])


def _owners_by_id(conn: Connection, people: Collection[str]) -> Mapping[str, str]:
    """Return these accounts by each of the ids that they have played under."""
    order = sorted(people)
    return {
        id_: person
        for person, ids in zip(order, find_all_ids(conn, [[person] for person in order]), strict=True)
        for id_ in ids
    }


def _select_tables(people: Sequence[str], reader: Sequence[str]) -> Any:
    """Select the unfinished tables at which these people sit, and whether the reader sits there, too."""
    own = seats.alias("own")
    is_own = exists().where(own.c.game == games.c.id, own.c.person.in_(reader))
    is_joinable = and_(games.c.status == "open", games.c.is_listed, games.c.taken < games.c.players)
    is_watchable = and_(games.c.status == "running", games.c.is_listed, games.c.is_watchable)
    return (
        select(
            games.c.id,
            games.c.preset,
            games.c.status,
            games.c.players,
            games.c.taken,
            seats.c.person,
            is_own.label("is_own"),
        )
        .select_from(seats.join(games, games.c.id == seats.c.game).join(heads, heads.c.game == games.c.id))
        .where(seats.c.person.in_(people), seats.c.place.is_(None))
        .where(games.c.status.in_(_UNFINISHED), _IS_PLAYED_TOGETHER)
        .where(or_(is_own, is_joinable, is_watchable))
        .order_by(heads.c.updated_at.desc(), games.c.id)
        .limit(MAX_TABLES_OF_FRIENDS)
    )


def _without_blocks(conn: Connection, reader: list[str], tables: list[FriendTable]) -> list[FriendTable]:
    """Leave out other people's tables with a person whom the reader has blocked, or who does not let them sit down."""
    ids = [table.id for table in tables if not table.is_own]
    seated: dict[str, list[str]] = {}
    for row in conn.execute(
        select(seats.c.game, seats.c.person).where(seats.c.game.in_(ids), seats.c.person.is_not(None))
    ):
        seated.setdefault(row.game, []).append(row.person)
    games_with_people = list(seated)
    by_reader = find_blocks(conn, [(reader, seated[game]) for game in games_with_people])
    by_others = find_blocks(conn, [(seated[game], reader) for game in games_with_people])
    hidden = {game for game, is_blocked in zip(games_with_people, by_reader, strict=True) if is_blocked}
    refused = {game for game, is_blocked in zip(games_with_people, by_others, strict=True) if is_blocked}
    return [
        table
        for table in tables
        if table.id not in hidden and not (table.id in refused and table.status == "open")
    ]


def _is_invited(reader: Sequence[str], now: int) -> tuple[Any, ...]:
    """Select invitations to open tables at which the reader does not sit."""
    is_blocked = exists().where(
        or_(
            and_(blocks.c.player == invitations.c.player, blocks.c.blocked == invitations.c.inviter),
            and_(blocks.c.player == invitations.c.inviter, blocks.c.blocked == invitations.c.player),
        )
    )
    is_seated = exists().where(seats.c.game == games.c.id, seats.c.person.in_(reader))
    return (
        invitations.c.player.in_(reader),
        invitations.c.at > now - INVITATION_SECONDS,
        games.c.status == "open",
        ~is_blocked,
        ~is_seated,
    )
