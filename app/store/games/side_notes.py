"""What is stored beside the log: due work and its leases, heartbeat and outages, chat, mutes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from sqlalchemy import delete, func, insert, literal, or_, select, update
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.play.log.entries import ChatLine, Due, Outage
from app.play.ports import StoreUnavailable
from app.store.engine import STATEMENT_SECONDS
from app.store.games.settle_due import SettleDue
from app.store.games.tables import beats, chat, due, mutes, outages
from app.store.outages import telling_outages

__all__ = ["SideNotes"]


class SideNotes:
    """Half of the GameStore port: everything that is not the log itself."""

    def __init__(self, engine: AsyncEngine, loose: AsyncEngine) -> None:
        self.engine = engine
        self._loose = loose  # for leases and beats, which may be lost with the power
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._settle_due = SettleDue(lambda: self.writing(loosely=True))

    @asynccontextmanager
    async def writing(self, *, loosely: bool = False) -> AsyncIterator[AsyncConnection]:
        """A transaction; a database that does not answer comes out as StoreUnavailable, a fault as it is."""
        with telling_outages():
            async with (
                asyncio.timeout(STATEMENT_SECONDS),
                (self._loose if loosely else self.engine).begin() as run,
            ):
                yield run

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        with telling_outages():
            async with asyncio.timeout(STATEMENT_SECONDS), self.engine.connect() as run:
                yield run

    def _upsert(self, table: Any) -> Any:
        if self._is_sqlite:
            return sqlite_insert(table)
        from sqlalchemy.dialects.postgresql import insert  # 3 MB that a server on SQLite need not load

        return insert(table)

    # -- due work ----------------------------------------------------------------------------------

    async def wake(self, game: str, at: int) -> None:
        new = self._upsert(due).values(game=game, at=at, lease_until=0, n=1)
        earlier = (
            func.min(due.c.at, new.excluded.at) if self._is_sqlite else func.least(due.c.at, new.excluded.at)
        )
        # As the writers do it: a row that is being looked at stays due, and the look's note gives way.
        upsert = new.on_conflict_do_update(
            index_elements=["game"],
            set_={"at": earlier, "n": due.c.n + 1},
            where=or_(due.c.lease_until > 0, due.c.at > new.excluded.at),
        )
        async with self.writing(loosely=True) as run:
            await run.execute(upsert)

    async def claim_due(self, now: int, lease: int, limit: int) -> list[Due]:
        """Rows that are due and leased to nobody, now leased to us; two workers never get the same row."""
        ready = select(due.c.game).where(due.c.at <= now, due.c.lease_until <= now).order_by(due.c.at)
        async with self.reading() as look:
            if (await look.execute(ready.limit(1))).first() is None:
                return []  # mostly nothing is due: no write lock for that
        locked = ready.limit(limit).with_for_update(
            skip_locked=True
        )  # SQLite has one writer, leaves this out
        claim = (
            update(due)
            .where(due.c.game.in_(locked.scalar_subquery()), due.c.lease_until <= now)
            .values(lease_until=now + lease, n=due.c.n + 1)
            .returning(due.c.game, due.c.at, due.c.n)
        )
        async with self.writing(loosely=True) as run:
            return [Due(row.game, row.at, row.n) for row in await run.execute(claim)]

    async def settle_due(self, claimed: Due, next_at: int | None) -> int | None:
        return await self._settle_due.settle(claimed, next_at)

    async def promised(self, games: Sequence[str], now: int) -> dict[str, int]:
        query = select(due.c.game, due.c.at, due.c.lease_until).where(due.c.game.in_(games))
        async with self.reading() as run:
            return {
                row.game: min(row.at, now) if row.lease_until > now else row.at
                for row in await run.execute(query)
            }

    async def end_leases(self) -> None:
        async with self.writing(loosely=True) as run:
            await run.execute(update(due).where(due.c.lease_until > 0).values(lease_until=0))

    async def next_due(self) -> int | None:
        async with self.reading() as run:
            found = (await run.execute(select(func.min(due.c.at)))).scalar()
            return int(found) if found is not None else None

    # -- heartbeat ---------------------------------------------------------------------------------

    async def heartbeat(self, now: int, gap: int) -> Outage | None:
        async with self.writing(loosely=True) as run:
            last = (await run.execute(select(beats.c.at).where(beats.c.id == 1).with_for_update())).scalar()
            if last is None:
                await run.execute(
                    self._upsert(beats).values(id=1, at=now).on_conflict_do_nothing(index_elements=["id"])
                )
                return None
            done = await run.execute(
                update(beats).where(beats.c.id == 1, beats.c.at == last).values(at=max(now, last))
            )
            if now - last <= gap or done.rowcount != 1:  # another worker was first to be back
                return None
            await run.execute(
                self._upsert(outages)
                .values(began=last, ended=now)
                .on_conflict_do_nothing(index_elements=["began"])
            )
            return Outage(last, now)

    async def outages(self, since: int) -> list[Outage]:
        query = select(outages).where(outages.c.ended > since).order_by(outages.c.began)
        async with self.reading() as run:
            return [Outage(row.began, row.ended) for row in await run.execute(query)]

    # -- chat --------------------------------------------------------------------------------------

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
            async with self.reading() as look:
                row = (await look.execute(known)).first()
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
        async with self.reading() as run:
            return [_line_of(row) for row in reversed(list(await run.execute(query)))]

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
        async with self.reading() as run:
            return frozenset(row.muted for row in await run.execute(query))


def _line_of(row: Any) -> ChatLine:
    return ChatLine(**{name: getattr(row, name) for name in ChatLine.__struct_fields__})
