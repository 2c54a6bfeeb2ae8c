"""Queries of the operator's command line: rooms, people, chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, or_, select, update

from app.store.database import Database
from app.store.people.erasure import ERASED_NAME
from app.store.people.social import write_audit
from app.store.tables.games import chat, games, games_with_heads, heads, seats
from app.store.tables.people import players, present_name, with_present_names


class AdminStore:
    """Queries of the operator's command line; changes are audited in the same transaction."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def list_rooms(self, status: str | None, limit: int) -> list[dict[str, Any]]:
        """Return the rooms changed last, with the names of their players but nothing about the position."""
        columns = (
            games.c.id,
            games.c.status,
            games.c.preset,
            games.c.players,
            heads.c.seq,
            heads.c.updated_at,
        )
        query = (
            select(*columns).select_from(games_with_heads).order_by(heads.c.updated_at.desc()).limit(limit)
        )
        if status is not None:
            query = query.where(games.c.status == status)
        found = await self.database.fetch_dicts(query)
        seated = select(seats, present_name.label("present_name")).select_from(
            with_present_names(seats, seats.c.person)
        )
        in_rooms = seats.c.game.in_([row["id"] for row in found])
        names: dict[str, list[str]] = {}
        for row in await self.database.fetch_rows(seated.where(in_rooms).order_by(seats.c.seat)):
            person = f"{row.present_name or ERASED_NAME} ({row.person})"
            names.setdefault(row.game, []).append(f"bot {row.bot}" if row.person is None else person)
        return [{**row, "seats": ", ".join(names.get(row["id"], []))} for row in found]

    async def find_people(self, text: str, limit: int) -> list[dict[str, Any]]:
        """Return people whose id is `text` or whose name contains it."""
        query = (
            select(players)
            .where(or_(players.c.id == text, players.c.name.icontains(text, autoescape=True)))
            .order_by(players.c.seen_at.desc())
            .limit(limit)
        )
        return await self.database.fetch_dicts(query)

    async def read_chat(self, room: str) -> list[dict[str, Any]]:
        """Return a room's chat lines with their numbers."""
        columns = [column for column in chat.c if column is not chat.c.name]
        query = select(*columns, present_name.label("name")).select_from(
            with_present_names(chat, chat.c.person)
        )
        return await self.database.fetch_dicts(query.where(chat.c.game == room).order_by(chat.c.n))

    async def delete_chat(
        self, actor: str, room: str, lines: Sequence[int], person: str | None, reason: str, now: int
    ) -> int:
        """Blank these chat lines, or all lines of one person in the room; return how many were blanked."""
        chosen = chat.c.person == person if person is not None else chat.c.n.in_(lines)
        query = update(chat).where(chat.c.game == room, chosen, chat.c.is_deleted.is_(False))

        def write(conn: Connection) -> int:
            deleted = conn.execute(query.values(text=None, preset=None, is_deleted=True)).rowcount
            if deleted:
                detail = {"lines": list(lines), "person": person, "reason": reason, "deleted": deleted}
                write_audit(conn, actor, "chat deleted", room, detail, now)
            return deleted

        return await self.database.write(write)
