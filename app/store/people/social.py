"""Blocks, reports, bans and the operator's audit log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.batches import Batches, padded
from app.store.people.player_rows import lock_present
from app.store.people.tables import audit, bans, blocks, players, reports, sessions
from app.store.transactions import Queries

# Asked whenever somebody sits down; made once, because a list that is put into a query as it is written leaves
# objects in a circle behind, kilobytes each time, until the collector finds them.
_HEADS = select(players.c.id, players.c.claimed_by).where(players.c.id.in_(bindparam("ids", expanding=True)))
_CLAIMED = select(players.c.id, players.c.claimed_by).where(
    players.c.claimed_by.in_(bindparam("ids", expanding=True))
)
_BLOCKED = select(blocks.c.player, blocks.c.blocked).where(
    blocks.c.player.in_(bindparam("by", expanding=True)),
    blocks.c.blocked.in_(bindparam("meant", expanding=True)),
)


class SocialStore(Queries):
    """Queries about who does not want to meet whom, and what the operator did about it."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self._meeting = Batches(self._are_blocked, most=64)  # whether those who sit down may meet

    # -- blocks ------------------------------------------------------------------------------------

    async def block(self, player: str, blocked: str, now: int, most: int) -> bool:
        """Block a player; a no-op for one who is blocked already or is being erased. False: there are `most`."""
        theirs = select(blocks.c.blocked).where(blocks.c.player == player)
        async with self.writing() as run:
            # Both rows are locked, so that neither is erased meanwhile and concurrent requests count each other.
            if len(await run.run_sync(lock_present, {player, blocked})) != 2:
                return True
            known = {row.blocked for row in await run.execute(theirs)}
            if blocked in known:
                return True
            if len(known) >= most:
                return False
            await run.execute(insert(blocks).values(player=player, blocked=blocked, at=now))
        return True

    async def unblock(self, player: str, blocked: Sequence[str]) -> None:
        """Never mind."""
        query = delete(blocks).where(blocks.c.player == player, blocks.c.blocked.in_(blocked))
        await self.change(query)

    async def blocked_by(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Whom somebody has blocked: id and name."""
        query = (
            select(blocks.c.blocked, players.c.name)
            .join(players, players.c.id == blocks.c.blocked)
            .where(blocks.c.player.in_(ids), players.c.deleted_at.is_(None))
            .order_by(blocks.c.at)
        )
        return [(row.blocked, row.name) for row in await self.rows(query)]

    async def is_blocked(self, person: Sequence[str], others: Sequence[str]) -> bool:
        """Whether one of the others, under any id of theirs, has blocked this person under any of theirs."""
        if not person or not others:
            return False
        return await self._meeting.get((tuple(person), tuple(others)))

    async def _are_blocked(self, batch: list[tuple[tuple[str, ...], tuple[str, ...]]]) -> list[bool]:
        def look(run: Connection) -> tuple[list[set[str]], list[set[str]], set[tuple[str, str]]]:
            known = _identities(run, {each for asked in batch for ids in asked for each in ids})
            meant = [known.every_id(person) for person, _ in batch]
            by = [known.every_id(others) for _, others in batch]
            asked = {"by": padded(list(set().union(*by))), "meant": padded(list(set().union(*meant)))}
            return meant, by, {(row.player, row.blocked) for row in run.execute(_BLOCKED, asked)}

        meant, by, blocked = await self.read(look)
        return [
            any(player in theirs and person in own for player, person in blocked)
            for own, theirs in zip(meant, by, strict=True)
        ]

    # -- reports -----------------------------------------------------------------------------------

    async def report(self, row: dict[str, Any]) -> int:
        """Store a complaint for the operator; return its number. A reporter who is being erased is not named."""
        async with self.writing() as run:
            if not await run.run_sync(lock_present, (row["reporter"],)):
                row = {**row, "reporter": ""}
            made = await run.execute(insert(reports).values(**row))
            assert made.inserted_primary_key is not None
            return int(made.inserted_primary_key[0])

    async def open_reports(self, everything: bool = False) -> list[dict[str, Any]]:
        """Complaints nobody has settled yet, oldest first; or all of them."""
        query = select(reports).order_by(reports.c.id)
        if not everything:
            query = query.where(reports.c.settled_at.is_(None))
        return await self.dicts(query)

    async def settle_report(self, actor: str, report: int, words: str, now: int) -> bool:
        """Whether there was such an open report."""
        query = update(reports).where(reports.c.id == report, reports.c.settled_at.is_(None))
        async with self.writing() as run:
            if (await run.execute(query.values(settled_at=now))).rowcount != 1:
                return False
            await write_audit(run, actor, "report settled", str(report), {"words": words}, now)
        return True

    # -- bans --------------------------------------------------------------------------------------

    async def ban(
        self, actor: str, *, player: str | None, address: str | None, reason: str, until: int | None, now: int
    ) -> int:
        """Shuts out a player, with where they were last seen from, or an address; the ban's number."""
        row: dict[str, Any] = {
            "player": player,
            "address": address,
            "reason": reason,
            "at": now,
            "until": until,
        }
        async with self.writing() as run:
            if player is not None:
                theirs = sessions.c.player.in_(
                    (await run.run_sync(_identities, (player,))).every_id((player,))
                )
                came = await run.execute(select(sessions.c.came_from).where(theirs).distinct())
                row["came_from"] = sorted(each.came_from for each in came if each.came_from is not None)
            made = await run.execute(insert(bans).values(**row))
            assert made.inserted_primary_key is not None
            subject = player or address or ""
            await write_audit(run, actor, "ban", subject, {"reason": reason, "until": until}, now)
            return int(made.inserted_primary_key[0])

    async def unban(self, actor: str, ban: int, now: int) -> bool:
        """Whether there was such a ban; it is lifted."""
        async with self.writing() as run:
            if (await run.execute(delete(bans).where(bans.c.id == ban))).rowcount != 1:
                return False
            await write_audit(run, actor, "ban lifted", str(ban), {}, now)
        return True

    async def bans(self, now: int) -> list[dict[str, Any]]:
        """The bans in force."""
        query = select(bans).where(or_(bans.c.until.is_(None), bans.c.until > now)).order_by(bans.c.id)
        return await self.dicts(query)

    # -- audit -------------------------------------------------------------------------------------

    async def note(self, actor: str, deed: str, subject: str, detail: dict[str, Any], now: int) -> None:
        """One line of the audit log on its own."""
        async with self.writing() as run:
            await write_audit(run, actor, deed, subject, detail, now)

    async def audit(self, limit: int) -> list[dict[str, Any]]:
        """The last deeds, newest first."""
        query = select(audit).order_by(audit.c.id.desc()).limit(limit)
        return await self.dicts(query)


async def write_audit(
    run: AsyncConnection, actor: str, deed: str, subject: str, detail: dict[str, Any], now: int
) -> None:
    """Written in the transaction of the deed itself, so that neither is there without the other."""
    row = {"at": now, "actor": actor[:80], "deed": deed, "subject": subject[:96], "detail": detail}
    await run.execute(insert(audit).values(**row))


class _Identities:
    """Who of some people has played under which ids."""

    def __init__(self, owners: dict[str, str], claimed: dict[str, set[str]]) -> None:
        self._owners = owners
        self._claimed = claimed

    def every_id(self, ids: Iterable[str]) -> set[str]:
        """These ids, the accounts that claimed them, and every other guest those accounts claimed."""
        owners = {each for one in ids for each in (one, self._owners.get(one, one))}
        return owners.union(*(self._claimed.get(owner, ()) for owner in owners))


def _identities(run: Connection, ids: Collection[str]) -> _Identities:
    """Of all of these people, in two queries."""
    rows = run.execute(_HEADS, {"ids": padded(list(ids))})
    owners = {row.id: row.claimed_by for row in rows if row.claimed_by is not None}
    claimed: dict[str, set[str]] = {}
    for row in run.execute(_CLAIMED, {"ids": padded([*ids, *owners.values()])}):
        claimed.setdefault(row.claimed_by, set()).add(row.id)
    return _Identities(owners, claimed)
