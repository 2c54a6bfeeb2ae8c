"""Forgetting: what the settings say is not kept any longer, in small steps that any worker may repeat."""

from __future__ import annotations

from sqlalchemy import delete, exists, or_, select, tuple_, update

from app.store.games.tables import chat, due, games, headed, heads, log, mutes, seats
from app.store.people.erasure import SOMEBODY, begin
from app.store.people.tables import (
    audit,
    bans,
    game_switches,
    invitations,
    notices,
    players,
    pushes,
    reports,
    resume_codes,
    sessions,
)
from app.store.transactions import Queries

_STEP = 100  # rows a transaction, so that nobody's move waits long behind a sweep
_ROOMS = 5  # with their logs, which may have hundreds of entries before a start
_DAY = 86_400
_UNFINISHED = ("open", "running")


class RetentionStore(Queries):
    """Each method forgets at most a step and says how much; times are seconds, games' are milliseconds."""

    async def forget_sessions(self, seen_before: int, now: int) -> int:
        """Devices that did not come back, codes that lapsed, bans that ended."""
        late = select(sessions.c.hash).where(sessions.c.seen_at < seen_before).limit(_STEP)
        async with self.writing() as run:
            gone = await run.execute(delete(sessions).where(sessions.c.hash.in_(late)))
            await run.execute(delete(resume_codes).where(resume_codes.c.expires_at < now))
            await run.execute(delete(bans).where(bans.c.until < now))
        return gone.rowcount

    async def forget_guests(self, seen_before: int, now: int) -> int:
        """Guests who did not come back and sit at no unfinished table; erasure.py does the rest."""
        sits = exists().where(
            seats.c.person == players.c.id, games.c.id == seats.c.game, games.c.status.in_(_UNFINISHED)
        )
        query = select(players.c.id).where(
            players.c.is_account.is_(False),
            players.c.claimed_by.is_(None),
            players.c.deleted_at.is_(None),
            players.c.seen_at < seen_before,
            ~sits,
        )
        found = [row.id for row in await self.rows(query.limit(_STEP))]
        if found:
            async with self.writing() as run:
                await begin(run, found, now, without_trace=True)
        return len(found)

    async def forget_chat(self, before: int) -> int:
        """Words older than that; the numbered lines stay, empty, so that no counter goes back."""
        blank = {"text": None, "preset": None, "name": SOMEBODY, "is_deleted": True}
        old = select(chat.c.game, chat.c.n).where(chat.c.at < before, chat.c.is_deleted.is_(False))
        some = tuple_(chat.c.game, chat.c.n).in_(old.limit(_STEP))
        return await self.change(update(chat).where(some).values(**blank))

    async def dead_rooms(self, before: int) -> list[tuple[str, str]]:
        """Rooms untouched since then that no clock will ever move: id and status."""
        query = (
            select(games.c.id, games.c.status)
            .select_from(headed)
            .where(games.c.status.in_(_UNFINISHED), heads.c.updated_at < before, heads.c.deadline.is_(None))
            .order_by(heads.c.updated_at)
            .limit(_STEP)
        )
        return [(row.id, row.status) for row in await self.rows(query)]

    async def forget_rooms(self, before: int) -> int:
        """Rooms that were closed before they ever started: there was no game, nothing is worth keeping."""
        closed = (games.c.status == "closed", heads.c.updated_at < before)
        query = select(games.c.id).select_from(headed).where(*closed)
        found = [row.id for row in await self.rows(query.limit(_ROOMS))]
        if found:
            async with self.writing() as run:
                for table in (chat, due, heads, log, mutes, seats):
                    await run.execute(delete(table).where(table.c.game.in_(found)))
                await run.execute(delete(games).where(games.c.id.in_(found)))
        return len(found)

    async def forget_audit(self, before: int) -> int:
        """Old lines of the operator's audit log, and reports settled that long ago."""
        old = select(audit.c.id).where(audit.c.at < before).limit(_STEP)
        async with self.writing() as run:
            gone = await run.execute(delete(audit).where(audit.c.id.in_(old)))
            await run.execute(delete(reports).where(reports.c.settled_at < before))
        return gone.rowcount

    async def forget_told(self, now: int) -> int:
        """Pushes of long ago, invitations that nobody took, and switches of games that are over."""
        old = select(pushes.c.subscription, pushes.c.game).where(pushes.c.expires_at < now - 7 * _DAY)
        late = select(invitations.c.game, invitations.c.player).where(invitations.c.at < now - 30 * _DAY)
        over = (
            select(game_switches.c.player, game_switches.c.game)
            .outerjoin(games, games.c.id == game_switches.c.game)
            .where(game_switches.c.at < now - 30 * _DAY)
            .where(or_(games.c.id.is_(None), games.c.status.not_in(_UNFINISHED)))
        )
        gone = 0
        async with self.writing() as run:
            for table, keys in ((pushes, old), (invitations, late), (game_switches, over)):
                key = tuple_(*table.primary_key.columns)
                gone += (await run.execute(delete(table).where(key.in_(keys.limit(_STEP))))).rowcount
        return gone

    async def forget_addresses(self, before: int) -> int:
        """E-mail addresses that were never confirmed: they may be a stranger's."""
        never = (
            notices.c.email.is_not(None),
            notices.c.email_confirmed_at.is_(None),
            notices.c.confirm_sent_at < before,
        )
        blank = {"email": None, "confirm_hash": None}
        return await self.change(update(notices).where(*never).values(**blank))
