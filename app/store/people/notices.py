"""Notice settings and invitations."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from app.store.database import Database
from app.store.people.notice_checks import add_checks, recheck_player
from app.store.people.notice_values import Wishes
from app.store.people.player_rows import PlayerGone, lock_present, require_present
from app.store.people.players import hash_secret
from app.store.tables.games import games, seats
from app.store.tables.people import game_switches, invitations, notices, outbox, players
from app.store.upserts import upsert

MAX_WEBHOOK_FAILURES = 10  # in a row; then the webhook is not called until its owner saves it again
MAX_INVITATIONS = 20  # per table


@dataclass(frozen=True, slots=True)
class NoticeSettings:
    """A player's notice settings, as shown to that player. The defaults apply to players without settings."""

    email: str | None = None
    is_confirmed: bool = False
    webhook: str | None = None
    webhook_key: str | None = None
    webhook_failures: int = 0
    language: str = "en"
    webhook_form: str = "plain"
    wishes: Wishes = field(default_factory=Wishes)


def decode_wishes(row: Any, games: Mapping[str, Mapping[str, bool]] | None = None) -> Wishes:
    """Return the wishes stored in a row of `notices`."""
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


def ensure_settings_row(conn: Connection, player: str, language: str | None, zone: str | None = None) -> None:
    """Add the player's row in `notices` if there is none, and set language and time zone. Raise PlayerGone.

    None changes nothing. The zone also stays where quiet hours or a digest are times in the stored one.
    """
    require_present(conn, player)
    row = {
        "player": player,
        "stop_token": secrets.token_urlsafe(24),
        "told_at": 0,
        "told_of": [],
        "language": language or "en",
        "webhook_failures": 0,
    }
    new = upsert(conn, notices).values(**row)
    if language is None:
        conn.execute(new.on_conflict_do_nothing(index_elements=["player"]))
    else:
        conn.execute(new.on_conflict_do_update(index_elements=["player"], set_={"language": language}))
    if zone is not None:
        is_free = (notices.c.quiet_from.is_(None), notices.c.digest_at.is_(None))
        conn.execute(update(notices).where(notices.c.player == player, *is_free).values(zone=zone))


class NoticeStore:
    """Queries about notice settings and invitations."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def read_settings(self, player: str) -> NoticeSettings:
        """Return the settings of this player."""
        found = await self.database.fetch_rows(select(notices).where(notices.c.player == player))
        if not found:
            return NoticeSettings()
        (row,) = found
        is_confirmed = row.email is not None and row.email_confirmed_at is not None
        return NoticeSettings(
            row.email,
            is_confirmed,
            row.webhook,
            row.webhook_key,
            row.webhook_failures,
            row.language,
            row.webhook_form,
            decode_wishes(row),
        )

    async def save_contact_settings(
        self,
        player: str,
        *,
        email: str | None,
        confirm: str | None,
        webhook: str | None,
        webhook_key: str | None,
        webhook_form: str = "plain",
        language: str | None,
        zone: str | None = None,
        now: int,
    ) -> None:
        """Save e-mail address and webhook. With a `confirm` code, the address is unused until the code is entered."""
        row: dict[str, object] = {
            "email": email,
            "webhook": webhook,
            "webhook_key": webhook_key,
            "webhook_failures": 0,
            "webhook_form": webhook_form,
        }
        if confirm is not None or email is None:
            row["email_confirmed_at"] = None
            row["confirm_hash"] = hash_secret(confirm) if confirm is not None else None
            row["confirm_sent_at"] = now
        await self._change_settings(player, row, language, now, zone)

    async def confirm_email(self, player: str, code: str, now: int, sent_after: int) -> bool:
        """Confirm the e-mail address; return whether the code is the one that was sent."""

        def write(conn: Connection) -> bool:
            row = conn.execute(select(notices).where(notices.c.player == player)).first()
            if row is None or row.confirm_hash is None or (row.confirm_sent_at or 0) < sent_after:
                return False
            if not hmac.compare_digest(row.confirm_hash, hash_secret(code)):
                return False
            confirmed = {"email_confirmed_at": now, "confirm_hash": None}
            conn.execute(update(notices).where(notices.c.player == player).values(**confirmed))
            recheck_player(conn, player, now)
            return True

        return await self.database.write(write)

    async def stop_mails(self, token: str) -> None:
        """End e-mails to the player with this token; the webhook stays."""
        removed = {"email": None, "email_confirmed_at": None, "confirm_hash": None}
        await self.database.execute_write(
            update(notices).where(notices.c.stop_token == token).values(**removed)
        )

    async def save_wishes(self, player: str, wishes: Wishes, language: str | None, now: int) -> None:
        """Save what the player wants to be notified of, when, and on how many channels."""
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
        self,
        player: str,
        row: Mapping[str, object],
        language: str | None,
        now: int,
        zone: str | None = None,
    ) -> None:
        def write(conn: Connection) -> None:
            ensure_settings_row(conn, player, language, zone)
            conn.execute(update(notices).where(notices.c.player == player).values(**row))
            recheck_player(conn, player, now)

        await self.database.write(write)

    async def save_game_switches(
        self, player: str, game: str, switches: Mapping[str, bool], language: str | None, now: int
    ) -> None:
        """Save the switches for one game; an empty mapping restores the general ones."""
        same = (game_switches.c.player == player, game_switches.c.game == game)

        def write(conn: Connection) -> None:
            ensure_settings_row(conn, player, language)
            conn.execute(delete(game_switches).where(*same))
            if switches:
                row = {"player": player, "game": game, "switches": dict(switches), "at": now}
                conn.execute(insert(game_switches).values(**row))
            due = update(outbox).where(outbox.c.player == player, outbox.c.game == game)
            conn.execute(due.values(at=now, n=outbox.c.n + 1))

        await self.database.write(write)

    async def read_game_switches(self, player: str, game: str) -> dict[str, bool]:
        """Return the switches set for one game."""
        same = (game_switches.c.player == player, game_switches.c.game == game)
        found = await self.database.fetch_rows(select(game_switches.c.switches).where(*same))
        return dict(found[0].switches) if found else {}

    async def is_seated(self, player: str, game: str, status: str | None = None) -> bool:
        """Return whether the player has a seat in the game and, if given, the game has this status."""
        is_own = or_(players.c.id == player, players.c.claimed_by == player)
        query = select(seats.c.seat).join(players, players.c.id == seats.c.person).where(is_own)
        query = query.join(games, games.c.id == seats.c.game).where(games.c.id == game)
        return bool(
            await self.database.fetch_rows(query if status is None else query.where(games.c.status == status))
        )

    async def have_finished_together(self, player: str, other: str) -> bool:
        """Return whether two players have finished a game together."""
        other_seats, others = seats.alias(), players.alias()
        is_own = or_(players.c.id == player, players.c.claimed_by == player)
        query = (
            select(seats.c.game)
            .join(players, players.c.id == seats.c.person)
            .join(games, games.c.id == seats.c.game)
            .join(other_seats, other_seats.c.game == seats.c.game)
            .join(others, others.c.id == other_seats.c.person)
            .where(is_own, or_(others.c.id == other, others.c.claimed_by == other))
            .where(games.c.status == "finished", seats.c.bot.is_(None), other_seats.c.bot.is_(None))
        )
        return bool(await self.database.fetch_rows(query.limit(1)))

    async def dismiss_invitation(self, game: str, ids: Sequence[str], now: int) -> None:
        """Delete a player's invitation to a table, and withdraw its notice."""
        own = (invitations.c.game == game, invitations.c.player.in_(ids))

        def write(conn: Connection) -> None:
            lock_present(conn, ids)
            if conn.execute(delete(invitations).where(*own)).rowcount:
                add_checks(conn, [game], now)

        await self.database.write(write)

    async def invite(self, game: str, player: str, inviter: str, now: int) -> bool:
        """Invite a player; return False if the table has MAX_INVITATIONS. Raise PlayerGone."""

        def write(conn: Connection) -> bool:
            if len(lock_present(conn, {player, inviter})) != 2:
                raise PlayerGone
            sent = select(func.count()).select_from(invitations).where(invitations.c.game == game)
            if int(conn.execute(sent).scalar() or 0) >= MAX_INVITATIONS:
                return False
            row = {"game": game, "player": player, "inviter": inviter, "at": now}
            new = upsert(conn, invitations).values(**row)
            conn.execute(new.on_conflict_do_nothing(index_elements=["game", "player"]))
            add_checks(conn, [game], now)
            return True

        return await self.database.write(write)
