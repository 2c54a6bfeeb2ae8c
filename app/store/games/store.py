"""Games in the database: created, read, listed. Implements the GameStore port with its other halves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import orjson
from sqlalchemy import and_, func, insert, select, union
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.play.log.entries import Entry, GameRow, SeatRow, Summary
from app.play.ports import GameExists
from app.store.engine import is_sqlite, make_engine, sqlite_file
from app.store.games.chat import Chat
from app.store.games.due_work import DueWork, Heartbeat
from app.store.games.group_commit import GroupCommit
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.rows import BatchWriter, entry_of, log_row, seat_rows
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.tables import due as due_work
from app.store.games.tables import games, headed, heads, log, seats
from app.store.people.tables import present_name, with_present_names

_LOG_COLUMNS = tuple(column.name for column in log.columns)
_SEAT_COLUMNS = tuple(column.name for column in seats.columns)
# What stands in a column as it does in GameRow and Summary.
_GAME_COLUMNS = ("id", "rules_version", "server_seed", "commitment", "creator", "created_at", "status")
_HEAD_COLUMNS = ("seq", "to_act", "deadline", "updated_at")
_SUMMARY_COLUMNS = ("taken", "bots", "host", "next_game", "started_at", "ended_at")
_SEATED = select(seats, present_name.label("present_name")).select_from(
    with_present_names(seats, seats.c.person)
)
_IS_PUBLIC = and_(games.c.status == "finished", games.c.is_listed, games.c.is_watchable)
_GAMES = select(games, heads.c.seq, heads.c.to_act, heads.c.deadline, heads.c.updated_at).select_from(headed)


class SqlGameStore(DueWork, Heartbeat, Chat):
    """The log and its heads in SQLite or PostgreSQL."""

    def __init__(
        self,
        engine: AsyncEngine,
        relaxed: AsyncEngine,
        writer: BatchWriter,
        committed: Callable[[float, int], None],
    ) -> None:
        super().__init__(engine, relaxed)
        self._commit = GroupCommit(writer, committed)
        self.append = self._commit.append

    async def flush(self) -> None:
        """Returns when everything that was begun is on disk."""
        await self._commit.flush()

    async def close(self) -> None:
        """Everything that was begun is on disk."""
        await self._commit.close()

    async def create(
        self,
        game: GameRow,
        entry: Entry,
        limit: tuple[Sequence[str], int] | None = None,
        due: int | None = None,
    ) -> bool:
        try:
            async with self.writing() as run:
                await self._create(run, game, entry, limit)
                if due is not None:
                    await run.execute(insert(due_work).values(game=game.id, at=due, lease_until=0, n=1))
        except _TooManyGames:
            return False
        except IntegrityError:
            raise GameExists from None
        return True

    async def _create(
        self, run: AsyncConnection, game: GameRow, entry: Entry, limit: tuple[Sequence[str], int] | None
    ) -> None:
        assert game.summary is not None
        if limit is not None and not self._is_sqlite:
            # Whoever creates several at once waits for themselves; SQLite has one writer anyway.
            await run.execute(select(func.pg_advisory_xact_lock(func.hashtext(game.creator))))
        await run.execute(insert(games).values(**_game_values(game, game.summary)))
        await run.execute(insert(heads).values(game=game.id, **_columns(game, _HEAD_COLUMNS)))
        await run.execute(insert(log).values(dict(zip(_LOG_COLUMNS, log_row(entry), strict=True))))
        rows = [dict(zip(_SEAT_COLUMNS, row, strict=True)) for row in seat_rows(game.id, game.summary.seats)]
        if rows:
            await run.execute(insert(seats), rows)
        # After the first write: a transaction that reads first could not write any more in SQLite.
        if limit is not None and await _count_open(run, limit[0]) > limit[1]:
            raise _TooManyGames

    async def game(self, game: str) -> GameRow | None:
        found = await self._games(_GAMES.where(games.c.id == game))
        return found[0] if found else None

    async def entries(self, game: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        query = select(log).where(log.c.game == game, log.c.seq > after).order_by(log.c.seq).limit(limit)
        return [entry_of(row) for row in await self.rows(query)]

    async def heads(self, wanted: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        async with self.reading() as run:
            for start in range(0, len(wanted), 5000):  # SQLite takes at most 32,766 parameters
                some = heads.c.game.in_(wanted[start : start + 5000])
                query = select(heads.c.game, heads.c.seq).where(some)
                found |= {row.game: row.seq for row in await run.execute(query)}
        return found

    async def games_listed(self, which: str, limit: int) -> list[GameRow]:
        if which == "open":
            # Nobody sits at an empty one: it is closed soon, unless its host comes back.
            has_people = games.c.taken > games.c.bots
            wanted = and_(games.c.status == "open", games.c.taken < games.c.players, has_people)
        else:
            wanted = and_(games.c.status == "running", games.c.is_watchable)
        query = _GAMES.where(games.c.is_listed, wanted).order_by(games.c.created_at.desc()).limit(limit)
        return await self._games(query)

    async def open_tables(self, preset: str, seats: int, limit: int, offset: int) -> list[GameRow]:
        wanted = and_(games.c.preset == preset, games.c.players == seats, games.c.taken < games.c.players)
        query = (
            _GAMES.where(games.c.status == "open", games.c.is_listed, wanted)
            .order_by(games.c.created_at.desc(), games.c.id)
            .limit(limit)
            .offset(offset)
        )
        return await self._games(query)

    async def games_of(
        self, people: Sequence[str], *, unfinished: bool, limit: int, offset: int = 0, public: bool = False
    ) -> list[GameRow]:
        sits = select(seats.c.game).where(seats.c.person.in_(people))
        opened = select(games.c.id).where(games.c.creator.in_(people), games.c.status == "open")
        # From these ids to their games. As a condition on games SQLite would walk through all that have the status.
        mine = union(sits, opened).subquery()
        status = ("open", "running") if unfinished else ("finished", "aborted")
        query = (
            _GAMES.join(mine, mine.c.game == games.c.id)
            .where(games.c.status.in_(status))
            .order_by(heads.c.updated_at.desc())
            .limit(limit)
            .offset(offset)
        )
        if public:
            query = query.where(games.c.is_listed, games.c.is_watchable)
        return await self._games(query)

    async def results_of(self, people: Sequence[str]) -> list[tuple[str, int, int]]:
        # Added up by the database, off the loop; of thousands of games a few rows come back.
        query = (
            select(games.c.preset, seats.c.place, func.count())
            .select_from(seats.join(games, games.c.id == seats.c.game))
            .where(seats.c.person.in_(people), seats.c.place.is_not(None), _IS_PUBLIC)
            .group_by(games.c.preset, seats.c.place)
        )
        return [(row[0], row[1], row[2]) for row in await self.rows(query)]

    async def colours_of(self, people: Sequence[str]) -> list[tuple[str, int]]:
        query = (
            select(seats.c.colour, func.count())
            .select_from(seats.join(games, games.c.id == seats.c.game))
            .where(seats.c.person.in_(people), _IS_PUBLIC)
            .group_by(seats.c.colour)
            .order_by(func.count().desc(), seats.c.colour)
        )
        return [(row[0], row[1]) for row in await self.rows(query)]

    async def between(self, people: Sequence[str], others: Sequence[str]) -> tuple[int, int, int]:
        theirs = seats.alias("theirs")
        both = seats.join(theirs, theirs.c.game == seats.c.game).join(games, games.c.id == seats.c.game)
        query = (
            select(seats.c.place, theirs.c.place, func.count())
            .select_from(both)
            .where(seats.c.person.in_(people), theirs.c.person.in_(others), _IS_PUBLIC)
            .where(seats.c.place.is_not(None), theirs.c.place.is_not(None))
            .group_by(seats.c.place, theirs.c.place)
        )
        counted = [(row[0], row[1], row[2]) for row in await self.rows(query)]
        return (
            sum(times for _, _, times in counted),
            sum(times for mine, other, times in counted if mine < other),
            sum(times for mine, other, times in counted if mine > other),
        )

    async def _games(self, query: Any) -> list[GameRow]:
        async with self.reading() as run:
            rows = list(await run.execute(query))
            found: dict[str, list[SeatRow]] = {row.id: [] for row in rows}
            if rows:
                seated = await run.execute(_SEATED.where(seats.c.game.in_(found)).order_by(seats.c.seat))
                for seat in seated:
                    # A name that stands with a person's seat is of an older release, and may be of somebody gone.
                    name = seat.name if seat.person is None else seat.present_name
                    row = SeatRow(seat.seat, seat.person, name, seat.colour, seat.bot, seat.place)
                    found[seat.game].append(row)
        return [_game_of(row, tuple(found[row.id])) for row in rows]


class _TooManyGames(Exception):
    """Ends the transaction without a trace."""


async def _count_open(run: AsyncConnection, creators: Sequence[str]) -> int:
    unfinished = and_(games.c.creator.in_(creators), games.c.status.in_(("open", "running")))
    return int((await run.execute(select(func.count()).select_from(games).where(unfinished))).scalar_one())


def _game_of(row: Any, seated: tuple[SeatRow, ...]) -> GameRow:
    columns = row._mapping
    summary = Summary(
        **{name: columns[name] for name in _SUMMARY_COLUMNS},
        result=orjson.loads(row.result) if row.result is not None else None,
        options=orjson.loads(row.options),
        seats=seated,
    )
    return GameRow(
        **{name: columns[name] for name in (*_GAME_COLUMNS, *_HEAD_COLUMNS)},
        options=orjson.loads(row.founded),
        terms=orjson.loads(row.terms),
        summary=summary,
    )


def _game_values(game: GameRow, summary: Summary) -> dict[str, Any]:
    terms = game.terms
    options = orjson.dumps(game.options).decode()
    return {
        **_columns(game, _GAME_COLUMNS),
        **_columns(summary, _SUMMARY_COLUMNS),
        "preset": game.options["preset"],
        "founded": options,
        "options": options,
        "terms": orjson.dumps(terms).decode(),
        "is_listed": terms.get("visibility") == "open",
        "is_watchable": bool(terms.get("spectators", True)) and terms.get("lock") is None,
        "players": game.options["players"],
    }


def _columns(of: GameRow | Summary, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


@asynccontextmanager
async def open_store(
    url: str, committed: Callable[[float, int], None], engine: AsyncEngine | None = None
) -> AsyncIterator[SqlGameStore]:
    """A store on this database; its tables are there (see migrations). `engine` is shared when given."""
    shared = engine if engine is not None else make_engine(url)
    relaxed = make_engine(url, durable=False) if is_sqlite(url) else shared
    writer: BatchWriter = SqliteWriter(sqlite_file(url)) if is_sqlite(url) else PostgresWriter(url)
    store = SqlGameStore(shared, relaxed, writer, committed)
    try:
        yield store
    finally:
        await store.close()
        if relaxed is not shared:
            await relaxed.dispose()
        if engine is None:
            await shared.dispose()
