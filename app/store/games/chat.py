"""Lines of chat and who has muted whom."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import delete, func, insert, literal, select
from sqlalchemy.exc import IntegrityError

from app.play.log.entries import ChatLine
from app.play.ports import StoreUnavailable
from app.store.games.database import GameDatabase
from app.store.games.tables import chat, mutes


class Chat(GameDatabase):
    """A part of the GameStore port: chat lines, numbered by themselves, and mutes."""

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
                async with self.writing() as run:
                    await run.execute(new)
            except IntegrityError:
                continue  # somebody else took this number: take the next
        raise StoreUnavailable("no free number for a line of chat")

    async def chat(self, game: str, after: int, limit: int) -> list[ChatLine]:
        query = (
            select(chat).where(chat.c.game == game, chat.c.n > after).order_by(chat.c.n.desc()).limit(limit)
        )
        return [_line_of(row) for row in reversed(await self.rows(query))]

    async def set_mute(self, game: str, person: str, muted: str, on: bool) -> None:
        row = {"game": game, "person": person, "muted": muted}
        async with self.writing() as run:
            if on:
                await run.execute(self._upsert(mutes).values(**row).on_conflict_do_nothing())
            else:
                await run.execute(
                    delete(mutes).where(
                        mutes.c.game == game, mutes.c.person == person, mutes.c.muted == muted
                    )
                )

    async def mutes(self, game: str, person: str) -> frozenset[str]:
        query = select(mutes.c.muted).where(mutes.c.game == game, mutes.c.person == person)
        return frozenset(row.muted for row in await self.rows(query))


def _line_of(row: Any) -> ChatLine:
    return ChatLine(**{name: getattr(row, name) for name in ChatLine.__struct_fields__})
