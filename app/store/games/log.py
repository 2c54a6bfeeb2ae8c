"""The game log: creating games, appending entries, reading them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, select, text

from app.play.log.entries import Entry, GameRow
from app.play.log.reading import MAX_CONCURRENT_LOG_READS
from app.store.batcher import Batcher, pad_to_power_of_two
from app.store.database import Database
from app.store.games.game_creation import GameCreator
from app.store.games.game_rows import GAMES_WITH_HEADS, decode_game, read_games
from app.store.games.group_commit import GroupCommit
from app.store.games.log_rows import BatchWriter, decode_entry
from app.store.tables.games import games, log

_SELECT_GAMES_BY_ID = GAMES_WITH_HEADS.where(games.c.id.in_(bindparam("ids", expanding=True)))
_SELECT_ENTRIES = (
    select(log).where(log.c.game == bindparam("game"), log.c.seq > bindparam("after")).order_by(log.c.seq)
)
_SELECT_PAGES = (
    select(log)
    .where(
        log.c.game.in_(bindparam("games", expanding=True)),
        log.c.seq > bindparam("after"),
        log.c.seq <= bindparam("last"),
    )
    .order_by(log.c.game, log.c.seq)
)
# The known heads are one JSON parameter, and only newer heads are returned: of thousands of rooms, few are behind.
_SELECT_NEWER_HEADS = text(
    "SELECT heads.game, heads.seq FROM json_each(:known) AS known CROSS JOIN heads "
    "WHERE heads.game = known.key AND heads.seq > known.value"
)
_SELECT_NEWER_HEADS_ON_POSTGRESQL = text(
    "SELECT heads.game, heads.seq FROM json_each_text(CAST(:known AS json)) AS known "
    "JOIN heads ON heads.game = known.key AND heads.seq > CAST(known.value AS int)"
)


class SqlGameLog:
    """Implements the GameLog port."""

    def __init__(
        self, database: Database, writer: BatchWriter, on_commit: Callable[[float, int], None]
    ) -> None:
        self.database = database
        self._commit = GroupCommit(writer, on_commit)
        self.append = self._commit.append
        self.flush = self._commit.flush
        self.close = self._commit.close
        self.create = GameCreator(database).create
        self._game_batcher = Batcher(self._read_games, max_size=64)
        self._log_batcher = Batcher(self._read_logs, max_size=MAX_CONCURRENT_LOG_READS)

    async def read_game(self, game: str) -> GameRow | None:
        return await self._game_batcher.get(game)

    async def _read_games(self, batch: list[str]) -> list[GameRow | Exception | None]:
        rows = await self.database.read(
            lambda conn: read_games(conn, _SELECT_GAMES_BY_ID, {"ids": pad_to_power_of_two(batch)})
        )
        found = {row.id: _game_or_error(row, seated) for row, seated in rows}
        return [found.get(game) for game in batch]

    async def read_entries(self, game: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        if limit is None:
            rows = await self.database.fetch_rows(_SELECT_ENTRIES, {"game": game, "after": after})
        else:
            rows = await self._log_batcher.get((game, after, limit))
        return [decode_entry(row) for row in rows]

    async def _read_logs(self, batch: list[tuple[str, int, int]]) -> list[list[Any]]:
        """Return undecoded rows: each caller decodes its own, in its own event-loop iteration."""
        found: dict[tuple[str, int, int], list[Any]] = {key: [] for key in batch}

        def read(conn: Connection) -> None:
            for after, limit in {
                key[1:] for key in batch
            }:  # nearly always one page: rooms read from the start
                games = pad_to_power_of_two([game for game, *page in batch if page == [after, limit]])
                # Sequence numbers are contiguous, so the count gives the range.
                values = {"games": games, "after": after, "last": after + limit}
                for row in conn.execute(_SELECT_PAGES, values):
                    found[row[0], after, limit].append(row)

        await self.database.read(read)
        return list(found.values())

    async def read_heads(self, games: Sequence[str], beyond: Sequence[int] | None = None) -> dict[str, int]:
        known = orjson.dumps(dict(zip(games, beyond or (0,) * len(games), strict=True))).decode()
        query = (
            _SELECT_NEWER_HEADS
            if self.database.dialect.name == "sqlite"
            else _SELECT_NEWER_HEADS_ON_POSTGRESQL
        )
        return {row[0]: row[1] for row in await self.database.fetch_rows(query, {"known": known})}


def _game_or_error(row: Any, seated: Any) -> GameRow | Exception:
    """Return the game, or the exception if the row cannot be decoded, so that it does not fail the whole batch."""
    try:
        return decode_game(row, seated)
    except ValueError as problem:
        return problem
