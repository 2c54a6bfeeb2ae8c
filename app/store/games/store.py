"""Games in the database: created, read, listed. Implements the GameStore port with its other halves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import orjson
from sqlalchemy import Connection, and_, bindparam, func, select, text, union
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.log.entries import Entry, GameRow, SeatRow, Summary
from app.play.log.reading import ROOMS_AT_ONCE
from app.store.batches import Batches, padded
from app.store.engine import is_sqlite, make_engine, sqlite_file, turns_of
from app.store.games.chat import Chat
from app.store.games.creating import GAME_COLUMNS, HEAD_COLUMNS, SUMMARY_COLUMNS, Creating
from app.store.games.due_work import DueWork, Heartbeat
from app.store.games.group_commit import GroupCommit
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.queue_failures import QueueFailures
from app.store.games.rows import BatchWriter, entry_of
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.tables import games, headed, heads, log, seats
from app.store.people.tables import present_name, with_present_names

_SEATED = (
    select(seats, present_name.label("present_name"))
    .select_from(with_present_names(seats, seats.c.person))
    .where(seats.c.game.in_(bindparam("games", expanding=True)))
    .order_by(seats.c.seat)
)
_IS_PUBLIC = and_(games.c.status == "finished", games.c.is_listed, games.c.is_watchable)
_GAMES = select(games, heads.c.seq, heads.c.to_act, heads.c.deadline, heads.c.updated_at).select_from(headed)
_THESE_GAMES = _GAMES.where(games.c.id.in_(bindparam("ids", expanding=True)))
_ENTRIES = (
    select(log).where(log.c.game == bindparam("game"), log.c.seq > bindparam("after")).order_by(log.c.seq)
)
_PAGES = (
    select(log)
    .where(
        log.c.game.in_(bindparam("games", expanding=True)),
        log.c.seq > bindparam("after"),
        log.c.seq <= bindparam("last"),
    )
    .order_by(log.c.game, log.c.seq)
)
# What is known is one text, and what it says still is no row: of thousands of rooms hardly any are behind.
_HEADS = text(
    "SELECT heads.game, heads.seq FROM json_each(:known) AS known CROSS JOIN heads "
    "WHERE heads.game = known.key AND heads.seq > known.value"
)
_HEADS_ON_POSTGRESQL = text(
    "SELECT heads.game, heads.seq FROM json_each_text(CAST(:known AS json)) AS known "
    "JOIN heads ON heads.game = known.key AND heads.seq > CAST(known.value AS int)"
)


class SqlGameStore(Creating, DueWork, Heartbeat, Chat, QueueFailures):
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
        self._reading_games = Batches(self._read_games, most=64)
        self._reading_logs = Batches(self._read_logs, most=ROOMS_AT_ONCE)

    async def flush(self) -> None:
        """Returns when everything that was begun is on disk."""
        await self._commit.flush()

    async def close(self) -> None:
        """Everything that was begun is on disk."""
        await self._commit.close()

    async def game(self, game: str) -> GameRow | None:
        return await self._reading_games.get(game)

    async def _read_games(self, batch: list[str]) -> list[GameRow | Exception | None]:
        rows = await self._game_rows(_THESE_GAMES, {"ids": padded(batch)})
        found = {row.id: _game_or_error(row, seated) for row, seated in rows}
        return [found.get(game) for game in batch]

    async def entries(self, game: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        if limit is None:
            rows = await self.rows(_ENTRIES, {"game": game, "after": after})
        else:
            rows = await self._reading_logs.get((game, after, limit))
        return [entry_of(row) for row in rows]

    async def _read_logs(self, batch: list[tuple[str, int, int]]) -> list[list[Any]]:
        """Rows as they came: making entries of them is for each who asked, in a turn of their own."""
        found: dict[tuple[str, int, int], list[Any]] = {key: [] for key in batch}

        def look(run: Connection) -> None:
            for after, limit in {key[1:] for key in batch}:  # nearly always one: rooms begin at the beginning
                games = padded([game for game, *page in batch if page == [after, limit]])
                # Numbers have no gaps, so so many entries are so many numbers.
                values = {"games": games, "after": after, "last": after + limit}
                for row in run.execute(_PAGES, values):
                    found[row[0], after, limit].append(row)

        await self.read(look)
        return list(found.values())

    async def heads(self, games: Sequence[str], beyond: Sequence[int] | None = None) -> dict[str, int]:
        known = orjson.dumps(dict(zip(games, beyond or (0,) * len(games), strict=True))).decode()
        query = _HEADS if self._is_sqlite else _HEADS_ON_POSTGRESQL
        return {row[0]: row[1] for row in await self.rows(query, {"known": known})}

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
        return [_game_of(row, seated) for row, seated in await self._game_rows(query)]

    async def _game_rows(
        self, query: Any, values: dict[str, Any] | None = None
    ) -> list[tuple[Any, tuple[SeatRow, ...]]]:
        def look(run: Connection) -> tuple[Sequence[Any], Sequence[Any]]:
            rows = run.execute(query, values).all()
            return rows, run.execute(
                _SEATED, {"games": padded([row.id for row in rows])}
            ).all() if rows else ()

        rows, seated = await self.read(look)
        found: dict[str, list[SeatRow]] = {row.id: [] for row in rows}
        for seat in seated:
            # A name that stands with a person's seat is of an older release, and may be of somebody gone.
            name = seat.name if seat.person is None else seat.present_name
            found[seat.game].append(SeatRow(seat.seat, seat.person, name, seat.colour, seat.bot, seat.place))
        return [(row, tuple(found[row.id])) for row in rows]


def _game_or_error(row: Any, seated: tuple[SeatRow, ...]) -> GameRow | Exception:
    """Return the exception of a row that cannot be decoded: it must not fail the others of its batch."""
    try:
        return _game_of(row, seated)
    except ValueError as problem:
        return problem


def _game_of(row: Any, seated: tuple[SeatRow, ...]) -> GameRow:
    columns = row._mapping
    summary = Summary(
        **{name: columns[name] for name in SUMMARY_COLUMNS},
        result=orjson.loads(row.result) if row.result is not None else None,
        options=orjson.loads(row.options),
        seats=seated,
    )
    return GameRow(
        **{name: columns[name] for name in (*GAME_COLUMNS, *HEAD_COLUMNS)},
        options=orjson.loads(row.founded),
        terms=orjson.loads(row.terms),
        summary=summary,
    )


@asynccontextmanager
async def open_store(
    url: str, committed: Callable[[float, int], None], engine: AsyncEngine | None = None
) -> AsyncIterator[SqlGameStore]:
    """A store on this database; its tables are there (see migrations). `engine` is shared when given."""
    shared = engine if engine is not None else make_engine(url)
    relaxed = make_engine(url, durable=False, beside=shared) if is_sqlite(url) else shared
    writer: BatchWriter = (
        SqliteWriter(sqlite_file(url), turns_of(shared)) if is_sqlite(url) else PostgresWriter(url)
    )
    store = SqlGameStore(shared, relaxed, writer, committed)
    try:
        yield store
    finally:
        await store.close()
        if relaxed is not shared:
            await relaxed.dispose()
        if engine is None:
            await shared.dispose()
