"""Creation of games: all rows of a new table in one transaction, shared by concurrent calls.

When many people start playing at the same time, hundreds of tables are opened within a few seconds. One transaction
each would mean one fsync each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, func, insert, select, text
from sqlalchemy.exc import IntegrityError

from app.play.log.entries import Entry, GameRow, GameSummary
from app.play.ports import GameExists
from app.store.batcher import Batcher, pad_to_power_of_two
from app.store.database import Database
from app.store.games.game_rows import GAME_COLUMNS, HEAD_COLUMNS, SUMMARY_COLUMNS
from app.store.games.log_rows import make_log_row, make_seat_rows
from app.store.tables.games import due as due_work
from app.store.tables.games import games, heads, log, seats

_LOG_COLUMNS = tuple(column.name for column in log.columns)
_SEAT_COLUMNS = tuple(column.name for column in seats.columns)
_COUNT_UNFINISHED = (
    select(games.c.creator, func.count().label("unfinished"))
    .where(
        games.c.creator.in_(bindparam("creators", expanding=True)), games.c.status.in_(("open", "running"))
    )
    .group_by(games.c.creator)
)
_SELECT_EXISTING_IDS = select(games.c.id).where(games.c.id.in_(bindparam("ids", expanding=True)))
# Locks are taken in the order of the hashes, so that two transactions with several creators cannot deadlock.
_LOCK_CREATORS = text(
    "SELECT pg_advisory_xact_lock(number) FROM (SELECT DISTINCT hashtext(creator) AS number "
    "FROM unnest(CAST(:creators AS text[])) AS creator ORDER BY number) AS numbers"
)


@dataclass(frozen=True, slots=True, eq=False)  # by identity: two calls for the same game get separate results
class _NewGame:
    """A game to create. `limit` is the creator's ids and how many unfinished games they may have together."""

    game: GameRow
    entry: Entry
    limit: tuple[Sequence[str], int] | None
    due: int | None


class GameCreator:
    """Creates games, concurrent ones in one transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._batcher = Batcher(self._create, max_size=64)

    async def create(
        self,
        game: GameRow,
        entry: Entry,
        limit: tuple[Sequence[str], int] | None = None,
        due: int | None = None,
    ) -> bool:
        return await self._batcher.get(_NewGame(game, entry, limit, due))

    async def _create(self, batch: list[_NewGame]) -> list[bool | GameExists]:
        def write(conn: Connection) -> list[bool | GameExists]:
            outcomes = _decide(conn, batch)
            accepted = [new for new, outcome in zip(batch, outcomes, strict=True) if outcome is True]
            if accepted:
                # Sorted (lock_order.py): an insert waits for another worker's insert of the same key.
                _insert(conn, sorted(accepted, key=lambda new: new.game.id))
            return outcomes

        try:
            return await self.database.write(write)
        except IntegrityError:
            # Another worker created one of them in between. Repeat one by one to find out which.
            if len(batch) == 1:
                return [GameExists()]
            return [outcome for new in batch for outcome in await self._create([new])]


def _decide(conn: Connection, batch: list[_NewGame]) -> list[bool | GameExists]:
    """Return whether each game may be created. Games earlier in the batch count towards their creator's limit."""
    creators = sorted({creator for new in batch if new.limit is not None for creator in new.limit[0]})
    unfinished: dict[str, int] = {}
    if creators:
        if conn.dialect.name == "postgresql":  # serialise the transactions of each creator
            conn.execute(_LOCK_CREATORS, {"creators": creators})
        counted = conn.execute(_COUNT_UNFINISHED, {"creators": pad_to_power_of_two(creators)})
        unfinished = {row.creator: row.unfinished for row in counted}
    existing = {
        row.id
        for row in conn.execute(
            _SELECT_EXISTING_IDS, {"ids": pad_to_power_of_two([new.game.id for new in batch])}
        )
    }
    outcomes: list[bool | GameExists] = []
    for new in batch:
        if new.game.id in existing:
            outcomes.append(GameExists())
            continue
        ids, max_unfinished = new.limit or ((), 0)
        is_allowed = new.limit is None or sum(unfinished.get(id_, 0) for id_ in ids) < max_unfinished
        if is_allowed:
            existing.add(new.game.id)
            unfinished[new.game.creator] = unfinished.get(new.game.creator, 0) + 1
        outcomes.append(is_allowed)
    return outcomes


def _insert(conn: Connection, batch: list[_NewGame]) -> None:
    conn.execute(insert(games), [_make_game_row(new.game) for new in batch])
    conn.execute(insert(heads), [{"game": new.game.id, **_pick(new.game, HEAD_COLUMNS)} for new in batch])
    conn.execute(
        insert(log), [dict(zip(_LOG_COLUMNS, make_log_row(new.entry), strict=True)) for new in batch]
    )
    rows = [
        dict(zip(_SEAT_COLUMNS, row, strict=True))
        for new in batch
        if new.game.summary is not None
        for row in make_seat_rows(new.game.id, new.game.summary.seats)
    ]
    if rows:
        conn.execute(insert(seats), rows)
    due = [(new.game.id, new.due) for new in batch if new.due is not None]
    if due:
        conn.execute(
            insert(due_work), [{"game": game, "at": at, "lease_until": 0, "n": 1} for game, at in due]
        )


def _make_game_row(game: GameRow) -> dict[str, Any]:
    terms, summary = game.terms, game.summary
    assert summary is not None
    options = orjson.dumps(game.options).decode()
    return {
        **_pick(game, GAME_COLUMNS),
        **_pick(summary, SUMMARY_COLUMNS),
        "preset": game.options["preset"],
        "founded": options,
        "options": options,
        "terms": orjson.dumps(terms).decode(),
        "is_listed": terms.get("visibility") == "open",
        "is_watchable": bool(terms.get("spectators", True)) and terms.get("lock") is None,
        "players": game.options["players"],
    }


def _pick(source: GameRow | GameSummary, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}
