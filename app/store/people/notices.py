"""The book of who wants to hear what, and what they were told already."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, bindparam, delete, exists, func, insert, or_, select, update

from app.notify.ports import Browser, Recipient, Waiting, Wishes
from app.store.games.tables import games, log, seats
from app.store.people.player_rows import PlayerGone, lock_present
from app.store.people.players import hashed
from app.store.people.pushes import browsers_of, ensure_notice, upsert, wishes_of
from app.store.people.tables import (
    game_switches,
    invitations,
    leases,
    notices,
    players,
    push_subscriptions,
)
from app.store.people.waiting import what_waits
from app.store.transactions import Queries

MOST_FAILURES = 10  # in a row, then a webhook rests until its owner sets it again
MOST_INVITATIONS = 20  # to one table
PAGE = 100  # people looked at in one go, so that nobody's move waits behind all of them


@dataclass(frozen=True, slots=True)
class Notice:
    """What one player wants to hear, as they see it themselves."""

    email: str | None
    is_confirmed: bool
    webhook: str | None
    webhook_key: str | None
    webhook_failures: int
    language: str
    webhook_form: str
    wishes: Wishes


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
            row.email,
            is_confirmed,
            row.webhook,
            row.webhook_key,
            row.webhook_failures,
            row.language,
            row.webhook_form,
            wishes_of(row),
        )

    async def set_notice(
        self,
        player: str,
        *,
        email: str | None,
        confirm: str | None,
        webhook: str | None,
        webhook_key: str | None,
        webhook_form: str = "plain",
        language: str | None,
        now: int,
    ) -> None:
        """Changes it; with a `confirm` code the address counts only once that was typed in."""
        row: dict[str, object] = {
            "email": email,
            "webhook": webhook,
            "webhook_key": webhook_key,
            "webhook_failures": 0,
            "webhook_form": webhook_form,
        }
        if confirm is not None or email is None:
            row["email_confirmed_at"] = None
            row["confirm_hash"] = hashed(confirm) if confirm is not None else None
            row["confirm_sent_at"] = now
        async with self.writing() as run:
            await ensure_notice(run, player, language)
            await run.execute(update(notices).where(notices.c.player == player).values(**row))

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
        await self.change(update(notices).where(notices.c.player == player).values(webhook_failures=number))

    async def lease(self, now: int, seconds: int) -> bool:
        """True for the one worker that looks for all."""
        new = upsert(self.engine, leases).values(name="notify", until=now + seconds)
        free = new.on_conflict_do_update(
            index_elements=["name"], set_={"until": new.excluded.until}, where=leases.c.until <= now
        )
        return await self.change(free) == 1

    async def end_lease(self) -> None:
        """The next round may be anybody's."""
        await self.change(delete(leases).where(leases.c.name == "notify"))

    async def acted_since(self, game: str, seq: int, but: str) -> bool:
        """Whether anybody but this person has made a move in the game since then."""
        theirs = select(seats.c.seat).join(players, players.c.id == seats.c.person)
        theirs = theirs.where(seats.c.game == game, or_(players.c.id == but, players.c.claimed_by == but))
        query = select(log.c.seq).where(log.c.game == game, log.c.seq > seq, log.c.kind == "action")
        return bool(await self.rows(query.where(log.c.seat.not_in(theirs)).limit(1)))

    async def digested(self, player: str, day: str) -> None:
        """They were told this day's digest."""
        await self.change(update(notices).where(notices.c.player == player).values(digested_on=day))

    async def recipients(self, now: int, after: str = "") -> list[Recipient]:
        """The next of those who want to hear, in the order of their ids."""
        wants = or_(
            notices.c.email_confirmed_at.is_not(None),
            and_(notices.c.webhook.is_not(None), notices.c.webhook_failures < MOST_FAILURES),
            exists().where(push_subscriptions.c.player == notices.c.player),
        )
        page = select(notices).where(wants, notices.c.player > after).order_by(notices.c.player)
        async with self.reading() as run:
            people = (await run.execute(page.limit(PAGE))).all()
            if not people:
                return []
            ids = {"ids": [row.player for row in people]}
            waiting = await what_waits(run, ids, now)
            names = {row.id: row.name for row in await run.execute(_NAMES, ids)}
            browsers = await browsers_of(run, ids)
            switched: dict[str, dict[str, dict[str, bool]]] = {}
            for row in await run.execute(_SWITCHES, ids):
                switched.setdefault(row.player, {})[row.game] = row.switches
        return [
            _recipient(
                row,
                names.get(row.player, ""),
                waiting.get(row.player, ()),
                browsers.get(row.player, ()),
                switched.get(row.player, {}),
            )
            for row in people
        ]

    async def set_wishes(self, player: str, wishes: Wishes, language: str | None) -> None:
        """What somebody wants to hear, when, and on how many channels."""
        row = {
            "switches": dict(wishes.switches),
            "zone": wishes.zone,
            "quiet_from": wishes.quiet[0] if wishes.quiet else None,
            "quiet_to": wishes.quiet[1] if wishes.quiet else None,
            "digest_at": wishes.digest_at,
            "every_channel": wishes.every_channel,
        }
        async with self.writing() as run:
            await ensure_notice(run, player, language)
            await run.execute(update(notices).where(notices.c.player == player).values(**row))

    async def set_game_switches(
        self, player: str, game: str, switches: Mapping[str, bool], language: str | None, now: int
    ) -> None:
        """For one game; none of them: as everywhere."""
        mine = (game_switches.c.player == player, game_switches.c.game == game)
        async with self.writing() as run:
            await ensure_notice(run, player, language)
            await run.execute(delete(game_switches).where(*mine))
            if switches:
                row = {"player": player, "game": game, "switches": dict(switches), "at": now}
                await run.execute(insert(game_switches).values(**row))

    async def game_switches(self, player: str, game: str) -> dict[str, bool]:
        """What was set for one game."""
        mine = (game_switches.c.player == player, game_switches.c.game == game)
        found = await self.rows(select(game_switches.c.switches).where(*mine))
        return dict(found[0].switches) if found else {}

    async def sits(self, player: str, game: str, status: str | None = None) -> bool:
        """Whether this person sits at that table, in that state."""
        mine = or_(players.c.id == player, players.c.claimed_by == player)
        query = select(seats.c.seat).join(players, players.c.id == seats.c.person).where(mine)
        query = query.join(games, games.c.id == seats.c.game).where(games.c.id == game)
        return bool(await self.rows(query if status is None else query.where(games.c.status == status)))

    async def met(self, player: str, other: str) -> bool:
        """Whether these two have sat at one table."""
        theirs, them = seats.alias(), players.alias()
        mine = or_(players.c.id == player, players.c.claimed_by == player)
        query = (
            select(seats.c.game)
            .join(players, players.c.id == seats.c.person)
            .join(theirs, theirs.c.game == seats.c.game)
            .join(them, them.c.id == theirs.c.person)
            .where(mine, or_(them.c.id == other, them.c.claimed_by == other))
        )
        return bool(await self.rows(query.limit(1)))

    async def invite(self, game: str, player: str, inviter: str, now: int) -> bool:
        """Invite a player to a table; False: the game has had its share of invitations. Raise PlayerGone."""
        async with self.writing() as run:
            if len(await run.run_sync(lock_present, {player, inviter})) != 2:
                raise PlayerGone
            had = select(func.count()).select_from(invitations).where(invitations.c.game == game)
            if int((await run.execute(had)).scalar() or 0) >= MOST_INVITATIONS:
                return False
            row = {"game": game, "player": player, "inviter": inviter, "at": now}
            new = upsert(self.engine, invitations).values(**row)
            await run.execute(new.on_conflict_do_nothing(index_elements=["game", "player"]))
        return True


_NAMES = select(players.c.id, players.c.name).where(players.c.id.in_(bindparam("ids", expanding=True)))
_SWITCHES = select(game_switches).where(game_switches.c.player.in_(bindparam("ids", expanding=True)))


def _recipient(
    row: Any,
    name: str,
    waiting: Sequence[Waiting],
    browsers: Sequence[Browser],
    games: Mapping[str, Mapping[str, bool]],
) -> Recipient:
    confirmed = row.email is not None and row.email_confirmed_at is not None
    calls = row.webhook is not None and row.webhook_failures < MOST_FAILURES
    return Recipient(
        **{
            each: getattr(row, each)
            for each in ("player", "language", "stop_token", "webhook_key", "told_at", "webhook_form")
        },
        name=name,
        email=row.email if confirmed else None,
        webhook=row.webhook if calls else None,
        told_of=tuple(row.told_of),
        waiting=tuple(waiting),
        wishes=wishes_of(row, games),
        browsers=tuple(browsers),
    )
