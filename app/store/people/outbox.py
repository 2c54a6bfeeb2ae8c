"""The outbox of notices: checks of games, due rows, and the recipients' data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, or_, select, update

from app.play.log.clocks import CLOCK_CLASSES
from app.store.batcher import pad_to_power_of_two
from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.people.notice_checks import UNFINISHED, add_checks
from app.store.people.notice_values import (
    Browser,
    Channel,
    OutboxRow,
    PendingNotice,
    Recipient,
    SettledRow,
    is_same_turn,
)
from app.store.people.notices import MAX_WEBHOOK_FAILURES, decode_wishes
from app.store.people.pending_notices import add_table_details, find_pending_notices
from app.store.people.vapid import VapidKey
from app.store.tables.games import games, heads, log, notice_checks, seats
from app.store.tables.people import (
    game_switches,
    invitations,
    notices,
    outbox,
    players,
    push_subscriptions,
    vapid_keys,
)
from app.store.upserts import upsert


class OutboxStore:
    """Queries on the outbox. Times are seconds since 1970. A claim leases all due rows of one person and channel."""

    def __init__(self, database: Database) -> None:
        self.database = database

    # -- checks ------------------------------------------------------------------------------------

    async def seed_checks(self, since: int, now: int) -> None:
        """Add checks for correspondence, open and new games that changed since then: workers of 0.1.0 write none."""
        # A scalar subquery is one look-up per unfinished game. With a join, PostgreSQL would scan all heads.
        updated_at = select(heads.c.updated_at).where(heads.c.game == games.c.id)
        by_correspondence = [
            games.c.terms.like(f'%"kind":"{kind}"%')
            for kind in CLOCK_CLASSES
            if CLOCK_CLASSES[kind].is_correspondence
        ]
        changed = select(games.c.id).where(
            games.c.status.in_(UNFINISHED),
            or_(*by_correspondence, games.c.status == "open", games.c.started_at >= since * 1000),
            updated_at.scalar_subquery() >= since * 1000,
        )
        invited = select(invitations.c.game).where(invitations.c.at >= since)
        found = [row[0] for query in (changed, invited) for row in await self.database.fetch_rows(query)]
        for batch in (found[start : start + 200] for start in range(0, len(found), 200)):
            await self.database.write(partial(add_checks, game_ids=batch, now=now))

    async def claim_checks(
        self, now: int, lease_seconds: int, limit: int, skip: Collection[str]
    ) -> list[tuple[str, int]]:
        """Lease due checks, except for games in `skip`; return each game with its `n`, the count of causes."""
        ms = now * 1000 + 999  # times of entries are milliseconds
        table = notice_checks
        ready = (table.c.at <= ms, table.c.lease_until <= ms, table.c.game.not_in(skip))
        due = select(table.c.game).where(*ready).order_by(table.c.at).limit(limit)
        if not await self.database.fetch_rows(due):
            return []  # usually nothing is due: take no write lock

        def claim(conn: Connection) -> list[tuple[str, int]]:
            found = [row.game for row in conn.execute(due.with_for_update(skip_locked=True, of=table))]
            lease_rows = (
                update(table).where(table.c.game.in_(found)).values(lease_until=ms + lease_seconds * 1000)
            )
            return [(row.game, row.n) for row in conn.execute(lease_rows.returning(table.c.game, table.c.n))]

        return await self.database.write(claim)

    async def fan_out(self, game: str, n: int, now: int) -> bool:
        """Make the outbox rows of all people concerned due and end the check; return whether any row is due."""

        def read(conn: Connection) -> tuple[list[str], dict[str, list[PendingNotice]]]:
            next_game = conn.execute(select(games.c.next_game).where(games.c.id == game)).scalar()
            game_ids = [game] if next_game is None else [game, next_game]
            return game_ids, find_pending_notices(conn, game_ids, now)

        game_ids, pending = await self.database.read(read)

        def write(conn: Connection) -> bool:
            known = conn.scalars(select(outbox.c.player).where(outbox.c.game.in_(game_ids)))
            addresses = _find_addresses(conn, sorted({*pending, *known}))
            make_due = update(outbox).where(outbox.c.game.in_(game_ids))
            is_due = conn.execute(make_due.values(at=now, n=outbox.c.n + 1)).rowcount > 0
            rows = [
                {"player": player, "channel": channel, "address": address, "game": game_id, "at": now}
                for player, channel, address in addresses
                for game_id in dict.fromkeys(item.game for item in pending.get(player, ()))
            ]
            if rows:
                conn.execute(upsert(conn, outbox).on_conflict_do_nothing(), rows)
            is_check = notice_checks.c.game == game
            conn.execute(delete(notice_checks).where(is_check, notice_checks.c.n == n))
            conn.execute(update(notice_checks).where(is_check).values(lease_until=0))
            return is_due or bool(rows)

        return await self.database.write(write)

    async def release_check(self, game: str) -> None:
        """End the lease of a check that failed."""
        release = update(notice_checks).where(notice_checks.c.game == game)
        await self.database.execute_write(release.values(lease_until=0))

    # -- rows --------------------------------------------------------------------------------------

    async def claim_outbox(
        self, channel: Channel, now: int, lease_seconds: int, limit: int, skip: Collection[str]
    ) -> list[str]:
        """Lease the due rows of up to `limit` people, except those in `skip`; return the people."""
        is_due = (outbox.c.channel == channel, outbox.c.at <= now)
        due = (
            select(outbox.c.player)
            .where(*is_due, outbox.c.player.not_in(skip))
            .group_by(outbox.c.player)
            .having(func.max(outbox.c.lease_until) <= now)
            # People whose addresses failed come after those who were not attempted yet.
            .order_by(func.max(outbox.c.attempts), func.min(outbox.c.at))
            .limit(limit)
        )
        found = [row.player for row in await self.database.fetch_rows(due)]
        if not found:
            return []  # usually nothing is due: take no write lock
        leased = select(outbox.c.player).where(
            outbox.c.channel == channel, outbox.c.lease_until > now, outbox.c.player.in_(found)
        )

        def claim(conn: Connection) -> list[str]:
            with_settings = select(notices.c.player).where(notices.c.player.in_(found))
            # Orphaned by a worker of release 0.1.0 that erased or claimed a person; they can never be claimed.
            orphaned = set(found).difference(conn.scalars(with_settings))
            if orphaned:
                conn.execute(delete(outbox).where(outbox.c.player.in_(orphaned)))
            # Lock the people's rows, so that two workers never claim different rows of one person.
            people = set(conn.scalars(with_settings.with_for_update(skip_locked=True)))
            people -= {row.player for row in conn.execute(leased)}
            free = (outbox.c.player.in_(people), outbox.c.lease_until <= now)
            lease_rows = update(outbox).where(*is_due, *free)
            claimed = conn.execute(
                lease_rows.values(lease_until=now + lease_seconds).returning(outbox.c.player)
            )
            return list(dict.fromkeys(row.player for row in claimed))

        claimed = set(await self.database.write(claim))
        return [player for player in found if player in claimed]

    async def release_outbox(self, player: str, channel: Channel) -> None:
        """End the lease of rows that failed."""
        is_leased = (outbox.c.player == player, outbox.c.channel == channel)
        await self.database.execute_write(update(outbox).where(*is_leased).values(lease_until=0))

    async def settle(self, player: str, channel: Channel, rows: Iterable[SettledRow]) -> None:
        """Store the new state of the rows and end their lease; a row that changed meanwhile stays due."""
        settled = {(row.address, row.game): row for row in rows}

        def write(conn: Connection) -> None:
            # If the player is a guest that was claimed meanwhile, the rows are the account's.
            owner = _lock_people(conn, [player]).get(player, player)
            is_own = (outbox.c.player == owner, outbox.c.channel == channel)
            settings_row = select(notices.c.player).where(notices.c.player == owner).with_for_update()
            if conn.execute(settings_row).first() is None:  # erased meanwhile
                conn.execute(delete(outbox).where(*is_own))
                return
            found = {(row.address, row.game): row for row in conn.execute(select(outbox).where(*is_own))}
            for key, row in found.items():
                if owner == player and row.lease_until > 0 and key not in settled:
                    # Its subscription has ended.
                    conn.execute(delete(outbox).where(*_match_row(row)))
            for key, new_row in settled.items():
                _settle(conn, owner, channel, new_row, found.get(key))

        await self.database.write(write)

    # -- people ------------------------------------------------------------------------------------

    async def read_recipient(self, player: str, now: int) -> Recipient | None:
        """Return the person's current data, or None if they have no notice settings any more."""

        def read(conn: Connection) -> Recipient | None:
            person = conn.execute(_SELECT_PERSON, {"player": player}).first()
            if person is None:
                return None
            rows: dict[str, dict[str, OutboxRow]] = {}
            for row in conn.execute(select(outbox).where(outbox.c.player == player)):
                key = row.address if row.channel == "push" else ""
                rows.setdefault(key, {})[row.game] = OutboxRow(
                    row.event, row.mark, row.seq, row.sent_at, row.noted_at, row.attempts, row.n
                )
            game_ids = sorted({game for by_game in rows.values() for game in by_game if game})
            pending = find_pending_notices(conn, game_ids, now, player).get(player, []) if game_ids else []
            rows = {
                key: _update_marks(conn, player, key == "", by_game, pending) for key, by_game in rows.items()
            }
            switches_by_game = {
                row.game: row.switches
                for row in conn.execute(select(game_switches).where(game_switches.c.player == player))
            }
            browsers = [
                Browser(
                    row.id,
                    row.made_at,
                    row.takes_silent,
                    rows.get(row.id, {}),
                    row.endpoint,
                    row.p256dh,
                    row.auth,
                    VapidKey(row.number, row.private, row.public),
                    row.rests_until,
                )
                for row in conn.execute(_SELECT_BROWSERS, {"player": player})
            ]
            letters = rows.get("", {})
            pending = list(add_table_details(conn, player, pending))
            return _make_recipient(person, pending, switches_by_game, browsers, letters)

        return await self.database.read(read)

    async def claim_letter(self, player: str, told_at: int, now: int) -> bool:
        """Record that a letter is being sent; return False if another worker of any release has started one."""
        unclaimed = update(notices).where(notices.c.player == player, notices.c.told_at == told_at)
        return await self.database.execute_write(unclaimed.values(told_at=now)) == 1

    async def unclaim_letter(self, player: str, told_at: int, now: int) -> None:
        """Undo `claim_letter`: nothing was sent."""
        claimed = update(notices).where(notices.c.player == player, notices.c.told_at == now)
        await self.database.execute_write(claimed.values(told_at=told_at))

    async def record_letter(self, player: str, keys: Sequence[str], digest: str | None) -> None:
        """Record the keys that the letter covered, for release 0.1.0, and the day of a digest."""
        values: dict[str, object] = {"told_of": list(keys)}
        if digest is not None:
            values["digested_on"] = digest
        await self.database.execute_write(update(notices).where(_match_settings(player)).values(**values))

    async def record_webhook_result(self, player: str, *, is_answered: bool) -> None:
        """Count failures in a row. After MAX_WEBHOOK_FAILURES the webhook is not called until its owner saves it."""
        failures = 0 if is_answered else notices.c.webhook_failures + 1
        await self.database.execute_write(
            update(notices).where(_match_settings(player)).values(webhook_failures=failures)
        )


_SELECT_PERSON = (
    select(notices, players.c.name)
    .join(players, players.c.id == notices.c.player)
    .where(notices.c.player == bindparam("player"), players.c.deleted_at.is_(None))
)
# Subscriptions whose VAPID key was dropped cannot be sent anything and are left out; the page subscribes again.
_SELECT_BROWSERS = (
    select(push_subscriptions, vapid_keys.c.number, vapid_keys.c.private, vapid_keys.c.public)
    .join(vapid_keys, vapid_keys.c.number == push_subscriptions.c.key)
    .where(push_subscriptions.c.player == bindparam("player"))
)
_LOCK_PEOPLE = (
    select(players.c.id, func.coalesce(players.c.claimed_by, players.c.id).label("owner"))
    .where(players.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(lock_order(players.c.id))
    .with_for_update(read=True, key_share=True)
)


def _lock_people(conn: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Lock these players against claiming and erasure until the transaction ends; return the owner of each.

    The lock order is players, notices, outbox, notice_checks. Inserting an outbox row locks the player it references.
    If that lock were taken last, it would deadlock with claims, erasures and changes of settings.
    """
    return {
        row.id: row.owner for row in conn.execute(_LOCK_PEOPLE, {"ids": pad_to_power_of_two(sorted(ids))})
    }


def _match_settings(player: str) -> ColumnElement[bool]:
    """Match the row in `notices` of a person, or of the account that has claimed them."""
    owner = select(func.coalesce(players.c.claimed_by, players.c.id)).where(players.c.id == player)
    return notices.c.player == owner.scalar_subquery()


def _match_row(row: Any) -> tuple[ColumnElement[bool], ...]:
    return tuple(column == row._mapping[column.name] for column in outbox.primary_key)


def _settle(conn: Connection, player: str, channel: str, settled: SettledRow, old: Any) -> None:
    """Write a row if it has changed: a person may have many rows, of which few are due at a time."""
    row = settled.row
    is_unchanged = old is None or old.n == row.n  # otherwise there is a new cause, and the row stays due
    if is_unchanged and settled.at is None:
        if old is not None:
            conn.execute(delete(outbox).where(*_match_row(old), outbox.c.n == old.n))
        return
    values = {
        "event": row.event,
        "mark": row.mark,
        "seq": row.seq,
        "noted_at": row.queued_at,
        "sent_at": row.sent_at,
        "attempts": row.attempts,
        "lease_until": 0,
        "at": settled.at if is_unchanged else old.at,
    }
    if old is None:  # a letter may cover games that had no row
        key = {"player": player, "channel": channel, "address": settled.address, "game": settled.game}
        conn.execute(insert(outbox).values(**key, **values))
    elif any(old._mapping[name] != value for name, value in values.items()):
        conn.execute(update(outbox).where(*_match_row(old), outbox.c.n == old.n).values(**values))


def _find_addresses(conn: Connection, people: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return player, channel and address of these people's channels; lock their settings against deletion."""
    if not people:
        return []
    _lock_people(conn, people)
    settings = select(notices).where(notices.c.player.in_(people)).order_by(lock_order(notices.c.player))
    letters = [
        (row.player, "letter", "")
        for row in conn.execute(settings.with_for_update(read=True, key_share=True))
        if row.email_confirmed_at is not None or row.webhook is not None
    ]
    subscriptions = select(push_subscriptions.c.player, push_subscriptions.c.id)
    browsers = conn.execute(subscriptions.where(push_subscriptions.c.player.in_(people)))
    return [*letters, *((row.player, "push", row.id) for row in browsers)]


def _update_marks(
    conn: Connection,
    player: str,
    are_letters: bool,
    rows: Mapping[str, OutboxRow],
    pending: Sequence[PendingNotice],
) -> dict[str, OutboxRow]:
    """Return the rows, with new marks for turns whose deadline was moved by a credit or a pause."""
    updated = dict(rows)
    for item in pending:
        row = updated.get(item.game)
        if row is None or item.deadline is None or not is_same_turn(row, item):
            continue
        mark = replace(item, event=row.event).letter_key if are_letters else item.push_mark
        if row.mark != mark and not _has_other_acted(conn, item.game, row.seq, player):
            updated[item.game] = replace(row, mark=mark)
    return updated


def _has_other_acted(conn: Connection, game: str, seq: int, player: str) -> bool:
    """Return whether anyone but this person has made a move since this seq."""
    own_seats = select(seats.c.seat).join(players, players.c.id == seats.c.person)
    own_seats = own_seats.where(
        seats.c.game == game, or_(players.c.id == player, players.c.claimed_by == player)
    )
    query = select(log.c.seq).where(log.c.game == game, log.c.seq > seq, log.c.kind == "action")
    return conn.execute(query.where(log.c.seat.not_in(own_seats)).limit(1)).first() is not None


def _make_recipient(
    row: Any,
    pending: Sequence[PendingNotice],
    switches_by_game: Mapping[str, Mapping[str, bool]],
    browsers: Sequence[Browser],
    letters: Mapping[str, OutboxRow],
) -> Recipient:
    is_confirmed = row.email is not None and row.email_confirmed_at is not None
    is_callable = row.webhook is not None and row.webhook_failures < MAX_WEBHOOK_FAILURES
    return Recipient(
        player=row.player,
        name=row.name,
        language=row.language,
        email=row.email if is_confirmed else None,
        stop_token=row.stop_token,
        webhook=row.webhook if is_callable else None,
        webhook_key=row.webhook_key,
        webhook_form=row.webhook_form,
        last_letter_at=row.told_at,
        # Workers of release 0.1.0 record in `notices` what their letters covered.
        covered_keys=(
            *row.told_of,
            *(letter.mark for letter in letters.values() if letter.sent_at is not None),
        ),
        pending=tuple(pending),
        wishes=decode_wishes(row, switches_by_game),
        browsers=tuple(browsers),
        letters=letters,
    )
