"""Lines of chat and who has muted whom."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, literal, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.play.log.entries import ChatLine
from app.play.ports import StoreUnavailable
from app.store.batches import Batches, padded
from app.store.games.database import GameDatabase
from app.store.games.tables import chat, games, mutes

# Lines are numbered without gaps and none is ever taken out, so the last ones are found from the last number: one
# step into the index for each game, however much was said there.
_last = (
    select(
        games.c.id, select(func.max(chat.c.n)).where(chat.c.game == games.c.id).scalar_subquery().label("n")
    )
    .where(games.c.id.in_(bindparam("games", expanding=True)))
    .subquery()
)
_LAST_LINES = (
    select(chat)
    .join(_last, (chat.c.game == _last.c.id) & (chat.c.n > _last.c.n - bindparam("most")))
    .order_by(chat.c.game, chat.c.n)
)
_MUTES = select(mutes).where(
    mutes.c.game.in_(bindparam("games", expanding=True)),
    mutes.c.person.in_(bindparam("people", expanding=True)),
)


class Chat(GameDatabase):
    """A part of the GameStore port: chat lines, numbered by themselves, and mutes."""

    def __init__(self, engine: AsyncEngine, relaxed: AsyncEngine) -> None:
        super().__init__(engine, relaxed)
        self._reading_chat = Batches(self._chat)
        self._reading_mutes = Batches(self._mutes)

    async def add_chat(self, line: ChatLine) -> ChatLine:
        known = select(chat).where(
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
            async with self.reading() as run:
                row = (await run.execute(known)).first()
                if row is not None:
                    return _line_of(row)
            try:
                await self.change(new)
            except IntegrityError:
                continue  # somebody else took this number: take the next
        raise StoreUnavailable("no free number for a line of chat")

    async def chat(self, game: str, after: int, limit: int) -> list[ChatLine]:
        """The last lines, `limit` at most, of those after that number."""
        return [line for line in await self._reading_chat.get((game, limit)) if line.n > after]

    async def _chat(self, batch: list[tuple[str, int]]) -> list[list[ChatLine]]:
        found: dict[tuple[str, int], list[ChatLine]] = {key: [] for key in batch}

        def look(run: Connection) -> None:
            for limit in {
                limit for _, limit in batch
            }:  # nearly always one: what is shown to whoever comes in
                games = padded([game for game, most in batch if most == limit])
                for row in run.execute(_LAST_LINES, {"games": games, "most": limit}):
                    found[row.game, limit].append(_line_of(row))

        await self.read(look)
        return list(found.values())

    async def set_mute(self, game: str, person: str, muted: str, on: bool) -> None:
        row = {"game": game, "person": person, "muted": muted}
        if on:
            await self.change(self._upsert(mutes).values(**row).on_conflict_do_nothing())
        else:
            theirs = (mutes.c.game == game, mutes.c.person == person, mutes.c.muted == muted)
            await self.change(delete(mutes).where(*theirs))

    async def mutes(self, game: str, person: str) -> frozenset[str]:
        return await self._reading_mutes.get((game, person))

    async def _mutes(self, batch: list[tuple[str, str]]) -> list[frozenset[str]]:
        games, people = zip(*batch, strict=True)
        muted: dict[tuple[str, str], list[str]] = {}
        for row in await self.rows(_MUTES, {"games": padded(games), "people": padded(people)}):
            muted.setdefault((row.game, row.person), []).append(row.muted)
        return [frozenset(muted.get(key, ())) for key in batch]


def _line_of(row: Any) -> ChatLine:
    return ChatLine(**{name: getattr(row, name) for name in ChatLine.__struct_fields__})
