"""What the operator looks at and deletes: rooms, people, chat lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import or_, select, update

from app.store.games.tables import chat, games, headed, heads, seats
from app.store.people.erasure import SOMEBODY
from app.store.people.social import write_audit
from app.store.people.tables import players, present_name, with_present_names
from app.store.transactions import Queries


class AdminStore(Queries):
    """Queries of the operator's command line; what changes anything is audited in the same transaction."""

    async def rooms(self, status: str | None, limit: int) -> list[dict[str, Any]]:
        """The rooms touched last, with the names at their seats; nothing of what is in the game."""
        columns = (
            games.c.id,
            games.c.status,
            games.c.preset,
            games.c.players,
            heads.c.seq,
            heads.c.updated_at,
        )
        query = select(*columns).select_from(headed).order_by(heads.c.updated_at.desc()).limit(limit)
        if status is not None:
            query = query.where(games.c.status == status)
        async with self.reading() as run:
            found = [dict(row._mapping) for row in await run.execute(query)]
            ids = [row["id"] for row in found]
            named = select(seats, present_name.label("present_name")).select_from(
                with_present_names(seats, seats.c.person)
            )
            seated = await run.execute(named.where(seats.c.game.in_(ids)).order_by(seats.c.seat))
            names: dict[str, list[str]] = {}
            for row in seated:
                who = (
                    f"bot {row.bot}"
                    if row.person is None
                    else f"{row.present_name or SOMEBODY} ({row.person})"
                )
                names.setdefault(row.game, []).append(who)
        return [{**row, "seats": ", ".join(names.get(row["id"], []))} for row in found]

    async def people(self, words: str, limit: int) -> list[dict[str, Any]]:
        """People whose id is this or whose name contains it."""
        query = (
            select(players)
            .where(or_(players.c.id == words, players.c.name.icontains(words, autoescape=True)))
            .order_by(players.c.seen_at.desc())
            .limit(limit)
        )
        return await self.dicts(query)

    async def chat(self, room: str) -> list[dict[str, Any]]:
        """A room's chat with the numbers of its lines."""
        columns = [column for column in chat.c if column is not chat.c.name]
        query = select(*columns, present_name.label("name")).select_from(
            with_present_names(chat, chat.c.person)
        )
        async with self.reading() as run:
            rows = await run.execute(query.where(chat.c.game == room).order_by(chat.c.n))
            return [dict(row._mapping) for row in rows]

    async def delete_chat(
        self, actor: str, room: str, lines: Sequence[int], person: str | None, reason: str, now: int
    ) -> int:
        """Words of these lines, or of one person in the room, are gone for everybody; how many lines."""
        chosen = chat.c.person == person if person is not None else chat.c.n.in_(lines)
        query = update(chat).where(chat.c.game == room, chosen, chat.c.is_deleted.is_(False))
        async with self.writing() as run:
            done = await run.execute(query.values(text=None, preset=None, is_deleted=True))
            if done.rowcount:
                detail = {"lines": list(lines), "person": person, "reason": reason, "deleted": done.rowcount}
                await write_audit(run, actor, "chat deleted", room, detail, now)
        return done.rowcount
