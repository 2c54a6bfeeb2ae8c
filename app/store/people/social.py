"""Blocks, reports, bans and the operator's audit log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, or_, select, update

from app.store.batcher import Batcher
from app.store.database import Database
from app.store.people.blocks import find_all_ids, find_blocks, read_blocked_ids
from app.store.people.friends import end_friendship
from app.store.people.player_rows import lock_present
from app.store.tables.people import audit, bans, blocks, players, reports, sessions

_NO_IDS: frozenset[str] = frozenset()


class SocialStore:
    """Queries about blocks, reports, bans and the audit log."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._block_batcher = Batcher(self._find_blocked, max_size=64)
        self._blocked_ids_batcher = Batcher(self._read_blocked_ids)

    # -- blocks ------------------------------------------------------------------------------------

    async def block(self, player: str, blocked: str, now: int, max_blocks: int) -> bool:
        """Block a player and end the friendship; return False if `player` has `max_blocks`.

        No-op if already blocked or being erased.
        """
        own_blocks = select(blocks.c.blocked).where(blocks.c.player == player)

        def write(conn: Connection) -> bool:
            # Locking both prevents their erasure meanwhile and serialises concurrent requests.
            if len(lock_present(conn, {player, blocked})) != 2:
                return True
            existing = set(conn.scalars(own_blocks))
            if blocked in existing:
                return True
            if len(existing) >= max_blocks:
                return False
            conn.execute(insert(blocks).values(player=player, blocked=blocked, at=now))
            end_friendship(conn, player, blocked, now)
            return True

        return await self.database.write(write)

    async def unblock(self, player: str, blocked: Sequence[str]) -> None:
        """Unblock these players."""
        query = delete(blocks).where(blocks.c.player == player, blocks.c.blocked.in_(blocked))
        await self.database.execute_write(query)

    async def list_blocked(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Return id and name of the players that these ids have blocked."""
        query = (
            select(blocks.c.blocked, players.c.name)
            .join(players, players.c.id == blocks.c.blocked)
            .where(blocks.c.player.in_(ids), players.c.deleted_at.is_(None))
            .order_by(blocks.c.at)
        )
        return [(row.blocked, row.name) for row in await self.database.fetch_rows(query)]

    async def is_blocked(self, person: Sequence[str], others: Sequence[str]) -> bool:
        """Return whether one of the others has blocked this person, under any of their ids."""
        if not person or not others:
            return False
        return await self._block_batcher.get((tuple(person), tuple(others)))

    async def _find_blocked(self, batch: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> list[bool]:
        return await self.database.read(
            lambda conn: find_blocks(conn, [(others, person) for person, others in batch])
        )

    async def read_blocked_ids(self, person: Sequence[str]) -> frozenset[str]:
        """Return all ids of the people that these ids have blocked."""
        return await self._blocked_ids_batcher.get(tuple(person)) if person else _NO_IDS

    async def _read_blocked_ids(self, batch: list[tuple[str, ...]]) -> list[frozenset[str]]:
        return await self.database.read(lambda conn: read_blocked_ids(conn, batch))

    # -- reports -----------------------------------------------------------------------------------

    async def add_report(self, row: dict[str, Any]) -> int:
        """Store a report for the operator; return its number. A reporter who is being erased is left out."""

        def write(conn: Connection) -> int:
            is_present = lock_present(conn, (row["reporter"],))
            return _insert(conn, reports, row if is_present else {**row, "reporter": ""})

        return await self.database.write(write)

    async def list_reports(self, include_settled: bool = False) -> list[dict[str, Any]]:
        """Return the unsettled reports, or all reports, oldest first."""
        query = select(reports).order_by(reports.c.id)
        if not include_settled:
            query = query.where(reports.c.settled_at.is_(None))
        return await self.database.fetch_dicts(query)

    async def settle_report(self, actor: str, report: int, words: str, now: int) -> bool:
        """Settle a report; return whether there was such an open report."""
        query = update(reports).where(reports.c.id == report, reports.c.settled_at.is_(None))

        def write(conn: Connection) -> bool:
            is_settled = conn.execute(query.values(settled_at=now)).rowcount == 1
            if is_settled:
                write_audit(conn, actor, "report settled", str(report), {"words": words}, now)
            return is_settled

        return await self.database.write(write)

    # -- bans --------------------------------------------------------------------------------------

    async def ban(
        self, actor: str, *, player: str | None, address: str | None, reason: str, until: int | None, now: int
    ) -> int:
        """Ban a player, with the addresses of their sessions, or an address; return the ban's number."""
        row: dict[str, Any] = {
            "player": player,
            "address": address,
            "reason": reason,
            "at": now,
            "until": until,
        }

        def write(conn: Connection) -> int:
            if player is not None:
                (ids,) = find_all_ids(conn, [(player,)])
                query = select(sessions.c.came_from).where(sessions.c.player.in_(ids)).distinct()
                row["came_from"] = sorted(origin for origin in conn.scalars(query) if origin is not None)
            detail = {"reason": reason, "until": until}
            write_audit(conn, actor, "ban", player or address or "", detail, now)
            return _insert(conn, bans, row)

        return await self.database.write(write)

    async def unban(self, actor: str, ban: int, now: int) -> bool:
        """Lift a ban; return whether there was such a ban."""

        def write(conn: Connection) -> bool:
            is_lifted = conn.execute(delete(bans).where(bans.c.id == ban)).rowcount == 1
            if is_lifted:
                write_audit(conn, actor, "ban lifted", str(ban), {}, now)
            return is_lifted

        return await self.database.write(write)

    async def list_bans(self, now: int) -> list[dict[str, Any]]:
        """Return the bans in force."""
        query = select(bans).where(or_(bans.c.until.is_(None), bans.c.until > now)).order_by(bans.c.id)
        return await self.database.fetch_dicts(query)

    # -- audit -------------------------------------------------------------------------------------

    async def add_audit_entry(
        self, actor: str, deed: str, subject: str, detail: dict[str, Any], now: int
    ) -> None:
        """Add an entry to the audit log in its own transaction."""
        await self.database.write(lambda conn: write_audit(conn, actor, deed, subject, detail, now))

    async def list_audit_entries(self, limit: int) -> list[dict[str, Any]]:
        """Return the last entries of the audit log, newest first."""
        query = select(audit).order_by(audit.c.id.desc()).limit(limit)
        return await self.database.fetch_dicts(query)


def write_audit(
    conn: Connection, actor: str, deed: str, subject: str, detail: dict[str, Any], now: int
) -> None:
    """Add an entry to the audit log, in the transaction of the action that it records."""
    row = {"at": now, "actor": actor[:80], "deed": deed, "subject": subject[:96], "detail": detail}
    conn.execute(insert(audit).values(**row))


def _insert(conn: Connection, table: Table, row: dict[str, Any]) -> int:
    """Insert a row; return its generated id."""
    inserted = conn.execute(insert(table).values(**row))
    assert inserted.inserted_primary_key is not None
    return int(inserted.inserted_primary_key[0])
