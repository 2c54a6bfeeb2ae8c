"""Chat lines and mutes."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, literal, select
from sqlalchemy.exc import IntegrityError

from app.play.log.entries import ChatLine
from app.play.ports import StoreUnavailable
from app.store.batcher import Batcher, pad_to_power_of_two
from app.store.database import Database
from app.store.tables.games import chat, games, mutes
from app.store.upserts import upsert

# Line numbers are contiguous and lines are never deleted, so the last number gives the range of the last lines: one
# index look-up per game, however long its chat is.
_last_numbers = (
    select(
        games.c.id, select(func.max(chat.c.n)).where(chat.c.game == games.c.id).scalar_subquery().label("n")
    )
    .where(games.c.id.in_(bindparam("games", expanding=True)))
    .subquery()
)
_SELECT_LAST_LINES = (
    select(chat)
    .join(
        _last_numbers,
        (chat.c.game == _last_numbers.c.id) & (chat.c.n > _last_numbers.c.n - bindparam("limit")),
    )
    .order_by(chat.c.game, chat.c.n)
)
_SELECT_MUTES = select(mutes).where(
    mutes.c.game.in_(bindparam("games", expanding=True)),
    mutes.c.person.in_(bindparam("people", expanding=True)),
)


class SqlChat:
    """Implements the ChatStore port."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._line_batcher = Batcher(self._read_lines)
        self._mute_batcher = Batcher(self._read_mutes)

    async def add_line(self, line: ChatLine) -> ChatLine:
        same_command = select(chat).where(
            chat.c.game == line.game, chat.c.person == line.person, chat.c.command == line.command
        )
        values = msgspec.structs.asdict(line)
        del values["n"]
        number = select(func.coalesce(func.max(chat.c.n), 0) + 1).where(chat.c.game == line.game)
        columns = ["n", *values]
        new = insert(chat).from_select(
            columns,
            select(
                number.scalar_subquery(),
                *(literal(value, chat.c[name].type) for name, value in values.items()),
            ),
        )
        for _ in range(20):
            found = await self.database.fetch_rows(same_command)
            if found:
                return _decode_line(found[0])
            try:
                await self.database.execute_write(new)
            except IntegrityError:
                continue  # another line got this number: try the next one
        raise StoreUnavailable("no free number for a chat line")

    async def read_lines(self, game: str, after: int, limit: int) -> list[ChatLine]:
        """Return those of the last `limit` lines whose number is greater than `after`."""
        return [line for line in await self._line_batcher.get((game, limit)) if line.n > after]

    async def _read_lines(self, batch: list[tuple[str, int]]) -> list[list[ChatLine]]:
        found: dict[tuple[str, int], list[ChatLine]] = {key: [] for key in batch}

        def read(conn: Connection) -> None:
            for limit in {limit for _, limit in batch}:  # nearly always one value
                games = pad_to_power_of_two([game for game, its_limit in batch if its_limit == limit])
                for row in conn.execute(_SELECT_LAST_LINES, {"games": games, "limit": limit}):
                    found[row.game, limit].append(_decode_line(row))

        await self.database.read(read)
        return list(found.values())

    async def set_mute(self, game: str, person: str, muted: str, on: bool) -> None:
        row = {"game": game, "person": person, "muted": muted}
        if on:
            await self.database.execute_write(
                upsert(self.database, mutes).values(**row).on_conflict_do_nothing()
            )
        else:
            same = (mutes.c.game == game, mutes.c.person == person, mutes.c.muted == muted)
            await self.database.execute_write(delete(mutes).where(*same))

    async def read_mutes(self, game: str, person: str) -> frozenset[str]:
        return await self._mute_batcher.get((game, person))

    async def _read_mutes(self, batch: list[tuple[str, str]]) -> list[frozenset[str]]:
        games, people = zip(*batch, strict=True)
        muted: dict[tuple[str, str], list[str]] = {}
        for row in await self.database.fetch_rows(
            _SELECT_MUTES, {"games": pad_to_power_of_two(games), "people": pad_to_power_of_two(people)}
        ):
            muted.setdefault((row.game, row.person), []).append(row.muted)
        return [frozenset(muted.get(key, ())) for key in batch]


def _decode_line(row: Any) -> ChatLine:
    return ChatLine(**{name: getattr(row, name) for name in ChatLine.__struct_fields__})
