"""New games: everything that a table consists of at its beginning, written in one transaction.

Those of one turn share it. A crowd that sits down at eight opens hundreds of tables within a few seconds, and each
would otherwise wait for a transaction, and a disk, of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, func, insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.log.entries import Entry, GameRow, Summary
from app.play.ports import GameExists
from app.store.batches import Batches, padded
from app.store.games.database import GameDatabase
from app.store.games.rows import log_row, seat_rows
from app.store.games.tables import due as due_work
from app.store.games.tables import games, heads, log, seats

_LOG_COLUMNS = tuple(column.name for column in log.columns)
_SEAT_COLUMNS = tuple(column.name for column in seats.columns)
# What stands in a column as it does in GameRow and Summary.
GAME_COLUMNS = ("id", "rules_version", "server_seed", "commitment", "creator", "created_at", "status")
HEAD_COLUMNS = ("seq", "to_act", "deadline", "updated_at")
SUMMARY_COLUMNS = ("taken", "bots", "host", "next_game", "started_at", "ended_at")
_UNFINISHED = (
    select(games.c.creator, func.count().label("unfinished"))
    .where(
        games.c.creator.in_(bindparam("creators", expanding=True)), games.c.status.in_(("open", "running"))
    )
    .group_by(games.c.creator)
)
_KNOWN = select(games.c.id).where(games.c.id.in_(bindparam("ids", expanding=True)))
# In the order of the numbers which the creators become: two who lock several never wait for each other.
_LOCK_CREATORS = text(
    "SELECT pg_advisory_xact_lock(number) FROM (SELECT DISTINCT hashtext(creator) AS number "
    "FROM unnest(CAST(:creators AS text[])) AS creator ORDER BY number) AS numbers"
)


@dataclass(
    frozen=True, slots=True, eq=False
)  # the same table asked for twice is two questions with two answers
class _New:
    """A table that somebody opens; `limit` is under which ids they may have how many unfinished ones."""

    game: GameRow
    entry: Entry
    limit: tuple[Sequence[str], int] | None
    due: int | None


class Creating(GameDatabase):
    """A part of the GameStore port: new games."""

    def __init__(self, engine: AsyncEngine, relaxed: AsyncEngine) -> None:
        super().__init__(engine, relaxed)
        self._creating = Batches(self._create, most=64)

    async def create(
        self,
        game: GameRow,
        entry: Entry,
        limit: tuple[Sequence[str], int] | None = None,
        due: int | None = None,
    ) -> bool:
        return await self._creating.get(_New(game, entry, limit, due))

    async def _create(self, batch: list[_New]) -> list[bool | GameExists]:

        def write(run: Connection) -> list[bool | GameExists]:
            outcome = self._decide(run, batch)
            new = [each for each, is_made in zip(batch, outcome, strict=True) if is_made is True]
            if new:
                # Sorted (lock_order.py): an insert waits for another worker's insert of the same key.
                _insert(run, sorted(new, key=lambda each: each.game.id))
            return outcome

        try:
            return await self.write(write)
        except IntegrityError:
            # Another worker has made one of them in between: each by itself, to see which.
            if len(batch) == 1:
                return [GameExists()]
            return [answer for each in batch for answer in await self._create([each])]

    def _decide(self, run: Connection, batch: list[_New]) -> list[bool | GameExists]:
        """For each whether it is made, False where its creator has too many; in the order in which they came."""
        creators = sorted({each for new in batch if new.limit is not None for each in new.limit[0]})
        unfinished: dict[str, int] = {}
        if creators:
            if not self._is_sqlite:  # whoever creates several at once waits for themselves
                run.execute(_LOCK_CREATORS, {"creators": creators})
            counted = run.execute(_UNFINISHED, {"creators": padded(creators)})
            unfinished = {row.creator: row.unfinished for row in counted}
        known = {row.id for row in run.execute(_KNOWN, {"ids": padded([new.game.id for new in batch])})}
        outcome: list[bool | GameExists] = []
        for new in batch:
            if new.game.id in known:
                outcome.append(GameExists())
                continue
            ids, most = new.limit or ((), 0)
            is_made = new.limit is None or sum(unfinished.get(each, 0) for each in ids) < most
            if is_made:
                known.add(new.game.id)
                unfinished[new.game.creator] = unfinished.get(new.game.creator, 0) + 1
            outcome.append(is_made)
        return outcome


def _insert(run: Connection, new: list[_New]) -> None:
    run.execute(insert(games), [_game_values(each.game) for each in new])
    run.execute(insert(heads), [{"game": each.game.id, **_columns(each.game, HEAD_COLUMNS)} for each in new])
    run.execute(insert(log), [dict(zip(_LOG_COLUMNS, log_row(each.entry), strict=True)) for each in new])
    rows = [
        dict(zip(_SEAT_COLUMNS, row, strict=True))
        for each in new
        if each.game.summary is not None
        for row in seat_rows(each.game.id, each.game.summary.seats)
    ]
    if rows:
        run.execute(insert(seats), rows)
    due = [(each.game.id, each.due) for each in new if each.due is not None]
    if due:
        run.execute(
            insert(due_work), [{"game": game, "at": at, "lease_until": 0, "n": 1} for game, at in due]
        )


def _game_values(game: GameRow) -> dict[str, Any]:
    terms, summary = game.terms, game.summary
    assert summary is not None
    options = orjson.dumps(game.options).decode()
    return {
        **_columns(game, GAME_COLUMNS),
        **_columns(summary, SUMMARY_COLUMNS),
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
