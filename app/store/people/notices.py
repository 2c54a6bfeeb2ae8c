"""What people want to be notified of, where and when; invitations."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from app.notify.ports import Wishes
from app.store.games.tables import games, seats
from app.store.people.checks import add_checks, recheck_player
from app.store.people.player_rows import PlayerGone, lock_present, require_present
from app.store.people.players import hashed
from app.store.people.tables import game_switches, invitations, notices, outbox, players
from app.store.people.upserts import upsert
from app.store.transactions import Queries

MOST_FAILURES = 10  # in a row, then a webhook rests until its owner sets it again
MOST_INVITATIONS = 20  # to one table


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


def wishes_of(row: Any, games: Mapping[str, Mapping[str, bool]] | None = None) -> Wishes:
    """Return the wishes in a row of notices."""
    quiet = None if row.quiet_from is None or row.quiet_to is None else (row.quiet_from, row.quiet_to)
    return Wishes(
        switches=row.switches or {},
        games=games or {},
        zone=row.zone or "UTC",
        quiet=quiet,
        digest_at=row.digest_at,
        digested_on=row.digested_on,
        every_channel=row.every_channel,
    )


def ensure_notice(run: Connection, player: str, language: str | None) -> None:
    """Add the row that every recipient has; a language of None leaves it as it is. Raise PlayerGone."""
    require_present(run, player)
    row = {
        "player": player,
        "stop_token": secrets.token_urlsafe(24),
        "told_at": 0,
        "told_of": [],
        "language": language or "en",
        "webhook_failures": 0,
    }
    new = upsert(run, notices).values(**row)
    if language is None:
        run.execute(new.on_conflict_do_nothing(index_elements=["player"]))
    else:
        run.execute(new.on_conflict_do_update(index_elements=["player"], set_={"language": language}))


class NoticeStore(Queries):
    """Queries about settings and invitations."""

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
        await self._change_settings(player, row, language, now)

    async def confirm(self, player: str, code: str, now: int, sent_after: int) -> bool:
        """Whether this is the code that was sent; then the address counts."""

        def write(run: Connection) -> bool:
            row = run.execute(select(notices).where(notices.c.player == player)).first()
            if row is None or row.confirm_hash is None or (row.confirm_sent_at or 0) < sent_after:
                return False
            if not hmac.compare_digest(row.confirm_hash, hashed(code)):
                return False
            done = {"email_confirmed_at": now, "confirm_hash": None}
            run.execute(update(notices).where(notices.c.player == player).values(**done))
            recheck_player(run, player, now)
            return True

        return await self.write(write)

    async def stop(self, token: str) -> None:
        """Ends the e-mails of whoever has this token; their webhook stays."""
        gone = {"email": None, "email_confirmed_at": None, "confirm_hash": None}
        await self.change(update(notices).where(notices.c.stop_token == token).values(**gone))

    async def set_wishes(self, player: str, wishes: Wishes, language: str | None, now: int) -> None:
        """What somebody wants to hear, when, and on how many channels."""
        row = {
            "switches": dict(wishes.switches),
            "zone": wishes.zone,
            "quiet_from": wishes.quiet[0] if wishes.quiet else None,
            "quiet_to": wishes.quiet[1] if wishes.quiet else None,
            "digest_at": wishes.digest_at,
            "every_channel": wishes.every_channel,
        }
        await self._change_settings(player, row, language, now)

    async def _change_settings(
        self, player: str, row: Mapping[str, object], language: str | None, now: int
    ) -> None:
        def write(run: Connection) -> None:
            ensure_notice(run, player, language)
            run.execute(update(notices).where(notices.c.player == player).values(**row))
            recheck_player(run, player, now)

        await self.write(write)

    async def set_game_switches(
        self, player: str, game: str, switches: Mapping[str, bool], language: str | None, now: int
    ) -> None:
        """For one game; none of them: as everywhere."""
        mine = (game_switches.c.player == player, game_switches.c.game == game)

        def write(run: Connection) -> None:
            ensure_notice(run, player, language)
            run.execute(delete(game_switches).where(*mine))
            if switches:
                row = {"player": player, "game": game, "switches": dict(switches), "at": now}
                run.execute(insert(game_switches).values(**row))
            due = update(outbox).where(outbox.c.player == player, outbox.c.game == game)
            run.execute(due.values(at=now, n=outbox.c.n + 1))

        await self.write(write)

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

    async def have_finished_together(self, player: str, other: str) -> bool:
        """Return whether these two have played a game together to its end."""
        theirs, them = seats.alias(), players.alias()
        mine = or_(players.c.id == player, players.c.claimed_by == player)
        query = (
            select(seats.c.game)
            .join(players, players.c.id == seats.c.person)
            .join(games, games.c.id == seats.c.game)
            .join(theirs, theirs.c.game == seats.c.game)
            .join(them, them.c.id == theirs.c.person)
            .where(mine, or_(them.c.id == other, them.c.claimed_by == other))
            .where(games.c.status == "finished", seats.c.bot.is_(None), theirs.c.bot.is_(None))
        )
        return bool(await self.rows(query.limit(1)))

    async def invite(self, game: str, player: str, inviter: str, now: int) -> bool:
        """Invite a player; return False if the table has had its share of invitations. Raise PlayerGone."""

        def write(run: Connection) -> bool:
            if len(lock_present(run, {player, inviter})) != 2:
                raise PlayerGone
            had = select(func.count()).select_from(invitations).where(invitations.c.game == game)
            if int(run.execute(had).scalar() or 0) >= MOST_INVITATIONS:
                return False
            row = {"game": game, "player": player, "inviter": inviter, "at": now}
            new = upsert(run, invitations).values(**row)
            run.execute(new.on_conflict_do_nothing(index_elements=["game", "player"]))
            add_checks(run, [game], now)
            return True

        return await self.write(write)
