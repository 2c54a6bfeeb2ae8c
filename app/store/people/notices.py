"""The book of who wants to hear that it is their turn, and what they were told already."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import and_, func, insert, or_, select, update

from app.notify.ports import Recipient, Waiting
from app.store.games.tables import games, heads, seats
from app.store.people.players import hashed
from app.store.people.tables import notices, players
from app.store.transactions import Queries

MOST_FAILURES = 10  # in a row, then a webhook rests until its owner sets it again


@dataclass(frozen=True, slots=True)
class Notice:
    """What one player wants to hear, as they see it themselves."""

    email: str | None
    is_confirmed: bool
    webhook: str | None
    webhook_key: str | None
    webhook_failures: int
    language: str


class NoticeStore(Queries):
    """Queries about notices; implements app.notify.ports.NoticeBook."""

    async def notice(self, player: str) -> Notice | None:
        """What this player wants to hear."""
        async with self.reading() as run:
            row = (await run.execute(select(notices).where(notices.c.player == player))).first()
        if row is None:
            return None
        is_confirmed = row.email is not None and row.email_confirmed_at is not None
        return Notice(
            row.email, is_confirmed, row.webhook, row.webhook_key, row.webhook_failures, row.language
        )

    async def set_notice(
        self,
        player: str,
        *,
        email: str | None,
        confirm: str | None,
        webhook: str | None,
        webhook_key: str | None,
        language: str,
        now: int,
    ) -> None:
        """Changes it; with a `confirm` code the address counts only once that was typed in."""
        row: dict[str, object] = {
            "email": email,
            "webhook": webhook,
            "webhook_key": webhook_key,
            "webhook_failures": 0,
            "language": language,
        }
        if confirm is not None or email is None:
            row["email_confirmed_at"] = None
            row["confirm_hash"] = hashed(confirm) if confirm is not None else None
            row["confirm_sent_at"] = now
        async with self.writing() as run:
            if (
                await run.execute(update(notices).where(notices.c.player == player).values(**row))
            ).rowcount == 0:
                fresh = {
                    "player": player,
                    "stop_token": secrets.token_urlsafe(24),
                    "told_at": 0,
                    "told_of": [],
                }
                await run.execute(insert(notices).values(**row, **fresh))

    async def confirm(self, player: str, code: str, now: int, sent_after: int) -> bool:
        """Whether this is the code that was sent; then the address counts."""
        async with self.writing() as run:
            row = (await run.execute(select(notices).where(notices.c.player == player))).first()
            if row is None or row.confirm_hash is None or (row.confirm_sent_at or 0) < sent_after:
                return False
            if not hmac.compare_digest(row.confirm_hash, hashed(code)):
                return False
            done = {"email_confirmed_at": now, "confirm_hash": None}
            await run.execute(update(notices).where(notices.c.player == player).values(**done))
        return True

    async def stop(self, token: str) -> None:
        """Ends the e-mails of whoever has this token; their webhook stays."""
        gone = {"email": None, "email_confirmed_at": None, "confirm_hash": None}
        await self.change(update(notices).where(notices.c.stop_token == token).values(**gone))

    async def claim(self, player: str, told_at: int, now: int) -> bool:
        """True for the one worker that may tell this player now."""
        mine = and_(notices.c.player == player, notices.c.told_at == told_at)
        return await self.change(update(notices).where(mine).values(told_at=now)) == 1

    async def told(self, player: str, keys: Sequence[str]) -> None:
        """They know of these turns, and of no others."""
        await self.change(update(notices).where(notices.c.player == player).values(told_of=list(keys)))

    async def webhook_answered(self, player: str, well: bool) -> None:
        """Counts failures in a row."""
        number = 0 if well else notices.c.webhook_failures + 1
        async with self.writing() as run:
            await run.execute(
                update(notices).where(notices.c.player == player).values(webhook_failures=number)
            )

    async def recipients(self, told_before: int) -> list[Recipient]:
        """Everybody who wants to hear, last heard before then, and for whom a correspondence game waits."""
        owner = func.coalesce(players.c.claimed_by, players.c.id)
        wants = or_(
            notices.c.email_confirmed_at.is_not(None),
            and_(notices.c.webhook.is_not(None), notices.c.webhook_failures < MOST_FAILURES),
        )
        query = (
            select(
                notices,
                games.c.id,
                games.c.status,
                games.c.terms,
                heads.c.deadline,
                heads.c.to_act,
                seats.c.seat,
            )
            .join(heads, heads.c.game == games.c.id)
            .join(seats, seats.c.game == games.c.id)
            .join(players, players.c.id == seats.c.person)
            .join(notices, notices.c.player == owner)
            .where(
                games.c.status.in_(("open", "running")), heads.c.deadline.is_not(None), seats.c.bot.is_(None)
            )
            .where(wants, notices.c.told_at <= told_before)
            .order_by(notices.c.player, heads.c.deadline)
        )
        async with self.reading() as run:
            rows = (await run.execute(query)).all()
            waiting: dict[str, list[Waiting]] = {}
            for row in rows:
                terms = orjson.loads(row.terms)
                if terms.get("clock", {}).get("kind") == "days" and str(row.seat) in row.to_act.split(","):
                    game = Waiting(row.id, terms.get("title", ""), row.deadline, row.status == "open")
                    waiting.setdefault(row.player, []).append(game)
            named = select(players.c.id, players.c.name).where(players.c.id.in_(list(waiting)))
            names = {row.id: row.name for row in await run.execute(named)}
        told = {row.player: row for row in rows}
        return [_recipient(told[player], names[player], games_) for player, games_ in waiting.items()]


def _recipient(row: Any, name: str, waiting: Sequence[Waiting]) -> Recipient:
    confirmed = row.email is not None and row.email_confirmed_at is not None
    calls = row.webhook is not None and row.webhook_failures < MOST_FAILURES
    return Recipient(
        **{
            each: getattr(row, each)
            for each in ("player", "language", "stop_token", "webhook_key", "told_at")
        },
        name=name,
        email=row.email if confirmed else None,
        webhook=row.webhook if calls else None,
        told_of=tuple(row.told_of),
        waiting=tuple(waiting),
    )
