"""The outbox in the database: checks of games, rows that are due, and everything that deciding about a person takes.
Implements app.notify.ports.OutboxStore."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from app.notify.ports import Browser, Channel, Pushed, Recipient, Settled, Waiting
from app.notify.switchboard import is_same_turn, mark_of
from app.notify.webpush import VapidKey
from app.store.batches import padded
from app.store.games.tables import games, heads, log, notice_checks, seats
from app.store.lock_order import lock_order
from app.store.people.checks import UNFINISHED, add_checks
from app.store.people.notices import MOST_FAILURES, wishes_of
from app.store.people.tables import (
    game_switches,
    invitations,
    notices,
    outbox,
    players,
    push_subscriptions,
    vapid_keys,
)
from app.store.people.upserts import upsert
from app.store.people.waiting import find_waiting
from app.store.transactions import Queries


class OutboxStore(Queries):
    """Queries about the outbox."""

    # -- checks ------------------------------------------------------------------------------------

    async def seed_checks(self, since: int, now: int) -> None:
        """Check what changed since then in games over days, open and new games: older workers write no checks."""
        # A scalar subquery, one look-up for each unfinished game: as a join, PostgreSQL would read all heads.
        updated_at = select(heads.c.updated_at).where(heads.c.game == games.c.id)
        is_over_days = games.c.terms.like('%"kind":"days"%')
        changed = select(games.c.id).where(
            games.c.status.in_(UNFINISHED),
            or_(is_over_days, games.c.status == "open", games.c.started_at >= since * 1000),
            updated_at.scalar_subquery() >= since * 1000,
        )
        invited = select(invitations.c.game).where(invitations.c.at >= since)
        found = [row[0] for query in (changed, invited) for row in await self.rows(query)]
        for batch in (found[start : start + 200] for start in range(0, len(found), 200)):
            await self.write(partial(add_checks, concerned=batch, now=now))

    async def claim_checks(
        self, now: int, lease: int, limit: int, but: Collection[str]
    ) -> list[tuple[str, int]]:
        ms = now * 1000 + 999  # entries are timed in milliseconds
        table = notice_checks
        ready = (table.c.at <= ms, table.c.lease_until <= ms, table.c.game.not_in(but))
        due = select(table.c.game).where(*ready).order_by(table.c.at).limit(limit)
        if not await self.rows(due):
            return []  # mostly nothing is due: no write lock for that

        def claim(run: Connection) -> list[tuple[str, int]]:
            found = [row.game for row in run.execute(due.with_for_update(skip_locked=True, of=table))]
            mine = update(table).where(table.c.game.in_(found)).values(lease_until=ms + lease * 1000)
            return [(row.game, row.n) for row in run.execute(mine.returning(table.c.game, table.c.n))]

        return await self.write(claim)

    async def fan_out(self, game: str, n: int, now: int) -> bool:
        def read(run: Connection) -> tuple[list[str], dict[str, list[Waiting]]]:
            next_game = run.execute(select(games.c.next_game).where(games.c.id == game)).scalar()
            concerned = [game] if next_game is None else [game, next_game]
            return concerned, find_waiting(run, concerned, now)

        concerned, waiting = await self.read(read)

        def write(run: Connection) -> bool:
            known = run.scalars(select(outbox.c.player).where(outbox.c.game.in_(concerned)))
            addresses = _addresses(run, sorted({*waiting, *known}))
            moved = update(outbox).where(outbox.c.game.in_(concerned))
            is_due = run.execute(moved.values(at=now, n=outbox.c.n + 1)).rowcount > 0
            rows = [
                {"player": player, "channel": channel, "address": address, "game": each, "at": now}
                for player, channel, address in addresses
                for each in dict.fromkeys(item.game for item in waiting.get(player, ()))
            ]
            if rows:
                run.execute(upsert(run, outbox).on_conflict_do_nothing(), rows)
            mine = notice_checks.c.game == game
            run.execute(delete(notice_checks).where(mine, notice_checks.c.n == n))
            run.execute(update(notice_checks).where(mine).values(lease_until=0))
            return is_due or bool(rows)

        return await self.write(write)

    async def release_check(self, game: str) -> None:
        freed = update(notice_checks).where(notice_checks.c.game == game)
        await self.change(freed.values(lease_until=0))

    # -- rows --------------------------------------------------------------------------------------

    async def claim_outbox(
        self, channel: Channel, now: int, lease: int, limit: int, but: Collection[str]
    ) -> list[str]:
        is_due = (outbox.c.channel == channel, outbox.c.at <= now)
        due = (
            select(outbox.c.player)
            .where(*is_due, outbox.c.player.not_in(but))
            .group_by(outbox.c.player)
            .having(func.max(outbox.c.lease_until) <= now)
            # People whose addresses failed come after those who were not tried yet.
            .order_by(func.max(outbox.c.attempts), func.min(outbox.c.at))
            .limit(limit)
        )
        found = [row.player for row in await self.rows(due)]
        if not found:
            return []  # mostly nothing is due: no write lock for that
        leased = select(outbox.c.player).where(
            outbox.c.channel == channel, outbox.c.lease_until > now, outbox.c.player.in_(found)
        )

        def claim(run: Connection) -> list[str]:
            wanting = select(notices.c.player).where(notices.c.player.in_(found))
            # Left by a worker of an older release that erased or claimed a person: no claim would ever take them.
            left = set(found).difference(run.scalars(wanting))
            if left:
                run.execute(delete(outbox).where(outbox.c.player.in_(left)))
            # The person's row is locked, so that two workers never claim different rows of one person.
            people = set(run.scalars(wanting.with_for_update(skip_locked=True)))
            people -= {row.player for row in run.execute(leased)}
            mine = update(outbox).where(*is_due, outbox.c.player.in_(people), outbox.c.lease_until <= now)
            claimed = run.execute(mine.values(lease_until=now + lease).returning(outbox.c.player))
            return list(dict.fromkeys(row.player for row in claimed))

        claimed = set(await self.write(claim))
        return [player for player in found if player in claimed]

    async def release_outbox(self, player: str, channel: Channel) -> None:
        mine = (outbox.c.player == player, outbox.c.channel == channel)
        await self.change(update(outbox).where(*mine).values(lease_until=0))

    async def settle(self, player: str, channel: Channel, rows: Iterable[Settled], now: int) -> None:
        settled = {(each.address, each.game): each for each in rows}

        def write(run: Connection) -> None:
            owner = _lock_people(run, [player]).get(
                player, player
            )  # the account, if it has claimed the guest
            mine = (outbox.c.player == owner, outbox.c.channel == channel)
            known = select(notices.c.player).where(notices.c.player == owner).with_for_update()
            if run.execute(known).first() is None:  # erased meanwhile
                run.execute(delete(outbox).where(*mine))
                return
            found = {(row.address, row.game): row for row in run.execute(select(outbox).where(*mine))}
            for key, row in found.items():
                if owner == player and row.lease_until > 0 and key not in settled:  # its subscription is over
                    run.execute(delete(outbox).where(*_row(row)))
            for key, each in settled.items():
                _settle(run, owner, channel, each, found.get(key))

        await self.write(write)

    # -- people ------------------------------------------------------------------------------------

    async def recipient(self, player: str, now: int) -> Recipient | None:
        def read(run: Connection) -> Recipient | None:
            person = run.execute(_PERSON, {"player": player}).first()
            if person is None:
                return None
            rows: dict[str, dict[str, Pushed]] = {}
            for row in run.execute(select(outbox).where(outbox.c.player == player)):
                key = row.address if row.channel == "push" else ""
                rows.setdefault(key, {})[row.game] = Pushed(
                    row.event, row.mark, row.seq, row.sent_at, row.noted_at, row.attempts, row.n
                )
            concerned = sorted({game for each in rows.values() for game in each if game})
            waiting = find_waiting(run, concerned, now, player).get(player, []) if concerned else []
            rows = {
                key: _with_moved_marks(run, player, key == "", each, waiting) for key, each in rows.items()
            }
            switched = {
                row.game: row.switches
                for row in run.execute(select(game_switches).where(game_switches.c.player == player))
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
                for row in run.execute(_BROWSERS, {"player": player})
            ]
            letters = rows.get("", {})
            return _recipient(person, waiting, switched, browsers, letters)

        return await self.read(read)

    async def claim_letter(self, player: str, told_at: int, now: int) -> bool:
        mine = (notices.c.player == player, notices.c.told_at == told_at)
        return await self.change(update(notices).where(*mine).values(told_at=now)) == 1

    async def unclaim_letter(self, player: str, told_at: int, now: int) -> None:
        mine = (notices.c.player == player, notices.c.told_at == now)
        await self.change(update(notices).where(*mine).values(told_at=told_at))

    async def note_letter(self, player: str, keys: Sequence[str], digest: str | None) -> None:
        told: dict[str, object] = {"told_of": list(keys)}
        if digest is not None:
            told["digested_on"] = digest
        await self.change(update(notices).where(_is_settings_of(player)).values(**told))

    async def count_webhook(self, player: str, *, is_answered: bool) -> None:
        number = 0 if is_answered else notices.c.webhook_failures + 1
        await self.change(update(notices).where(_is_settings_of(player)).values(webhook_failures=number))

    async def end_subscription(self, browser: str) -> None:
        def write(run: Connection) -> None:
            run.execute(delete(push_subscriptions).where(push_subscriptions.c.id == browser))
            run.execute(delete(outbox).where(outbox.c.channel == "push", outbox.c.address == browser))

        await self.write(write)

    async def rest_subscription(self, browser: str, until: int, *, refused_at: int | None = None) -> None:
        values = {"rests_until": until, "refused_at": refused_at}
        await self.change(
            update(push_subscriptions).where(push_subscriptions.c.id == browser).values(**values)
        )


_PERSON = (
    select(notices, players.c.name)
    .join(players, players.c.id == notices.c.player)
    .where(notices.c.player == bindparam("player"), players.c.deleted_at.is_(None))
)
# A subscription whose key was dropped can be sent nothing: it is left out, and the page subscribes anew.
_BROWSERS = (
    select(push_subscriptions, vapid_keys.c.number, vapid_keys.c.private, vapid_keys.c.public)
    .join(vapid_keys, vapid_keys.c.number == push_subscriptions.c.key)
    .where(push_subscriptions.c.player == bindparam("player"))
)


_LOCKED_PEOPLE = (
    select(players.c.id, func.coalesce(players.c.claimed_by, players.c.id).label("owner"))
    .where(players.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(lock_order(players.c.id))
    .with_for_update(read=True, key_share=True)
)


def _lock_people(run: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Keep these players from being claimed or erased until the transaction ends; return the owner of each.

    The lock order is players, notices, outbox, notice_checks. A new row of the outbox refers to its player, which
    locks the player's row: taken last, that lock would deadlock with claims, erasures and changes of settings.
    """
    return {row.id: row.owner for row in run.execute(_LOCKED_PEOPLE, {"ids": padded(sorted(ids))})}


def _is_settings_of(player: str) -> ColumnElement[bool]:
    """The row of notices of a person, or of the account that has claimed them."""
    owner = select(func.coalesce(players.c.claimed_by, players.c.id)).where(players.c.id == player)
    return notices.c.player == owner.scalar_subquery()


def _row(row: Any) -> tuple[ColumnElement[bool], ...]:
    return tuple(column == row._mapping[column.name] for column in outbox.primary_key)


def _settle(run: Connection, player: str, channel: str, each: Settled, old: Any) -> None:
    """Write what has changed: a person with many games has many rows, and few of them are due at once."""
    row = each.row
    is_same = old is None or old.n == row.n  # else something happened since the row was read: it stays due
    if is_same and each.at is None:
        if old is not None:
            run.execute(delete(outbox).where(*_row(old), outbox.c.n == old.n))
        return
    values = {
        "event": row.event,
        "mark": row.mark,
        "seq": row.seq,
        "noted_at": row.queued_at,
        "sent_at": row.sent_at,
        "attempts": row.attempts,
        "lease_until": 0,
        "at": each.at if is_same else old.at,
    }
    if old is None:  # a letter also tells of games that had no row
        key = {"player": player, "channel": channel, "address": each.address, "game": each.game}
        run.execute(insert(outbox).values(**key, **values))
    elif any(old._mapping[name] != value for name, value in values.items()):
        run.execute(update(outbox).where(*_row(old), outbox.c.n == old.n).values(**values))


def _addresses(run: Connection, people: Sequence[str]) -> list[tuple[str, str, str]]:
    """Player, channel and address of everyone of these who wants notices; their rows cannot be deleted meanwhile."""
    if not people:
        return []
    _lock_people(run, people)
    wants = select(notices).where(notices.c.player.in_(people)).order_by(lock_order(notices.c.player))
    found = [
        (row.player, "letter", "")
        for row in run.execute(wants.with_for_update(read=True, key_share=True))
        if row.email_confirmed_at is not None or row.webhook is not None
    ]
    browsers = select(push_subscriptions.c.player, push_subscriptions.c.id)
    theirs = run.execute(browsers.where(push_subscriptions.c.player.in_(people)))
    return [*found, *((row.player, "push", row.id) for row in theirs)]


def _with_moved_marks(
    run: Connection, player: str, are_letters: bool, rows: Mapping[str, Pushed], waiting: Sequence[Waiting]
) -> dict[str, Pushed]:
    """Rows with the mark of the same turn under a deadline that a credit or a pause has moved."""
    found = dict(rows)
    for item in waiting:
        row = found.get(item.game)
        if row is None or item.deadline is None or not is_same_turn(row, item):
            continue
        mark = replace(item, event=row.event).key if are_letters else mark_of(item)
        if row.mark != mark and not _has_acted(run, item.game, row.seq, player):
            found[item.game] = replace(row, mark=mark)
    return found


def _has_acted(run: Connection, game: str, seq: int, but: str) -> bool:
    """Whether anyone but this person has made a move in the game since then."""
    theirs = select(seats.c.seat).join(players, players.c.id == seats.c.person)
    theirs = theirs.where(seats.c.game == game, or_(players.c.id == but, players.c.claimed_by == but))
    query = select(log.c.seq).where(log.c.game == game, log.c.seq > seq, log.c.kind == "action")
    return run.execute(query.where(log.c.seat.not_in(theirs)).limit(1)).first() is not None


def _recipient(
    row: Any,
    waiting: Sequence[Waiting],
    switched: Mapping[str, Mapping[str, bool]],
    browsers: Sequence[Browser],
    letters: Mapping[str, Pushed],
) -> Recipient:
    is_confirmed = row.email is not None and row.email_confirmed_at is not None
    calls = row.webhook is not None and row.webhook_failures < MOST_FAILURES
    return Recipient(
        player=row.player,
        name=row.name,
        language=row.language,
        email=row.email if is_confirmed else None,
        stop_token=row.stop_token,
        webhook=row.webhook if calls else None,
        webhook_key=row.webhook_key,
        webhook_form=row.webhook_form,
        told_at=row.told_at,
        # Workers of older releases note in `notices` what their letters told.
        told_of=(*row.told_of, *(each.mark for each in letters.values() if each.sent_at is not None)),
        waiting=tuple(waiting),
        wishes=wishes_of(row, switched),
        browsers=tuple(browsers),
        letters=letters,
    )
