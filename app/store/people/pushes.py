"""Web push in the database: our keys, the browsers that may be pushed to, and what is still to be pushed to them."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, and_, bindparam, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.notify.ports import Browser, DuePush, NewPush, Pushed, Wishes
from app.notify.webpush import VapidKey, new_keys
from app.store.games.tables import games
from app.store.people.player_rows import require_present
from app.store.people.players import new_id
from app.store.people.tables import game_switches, notices, push_subscriptions, pushes, vapid_keys
from app.store.transactions import Queries

MOST_BROWSERS = 10  # of one person; of more, the oldest goes


class EndpointTaken(Exception):
    """Somebody else is pushed to at this address, with other keys."""


def upsert(engine: AsyncEngine, table: Any) -> Any:
    """An insert that may say what happens to a row that is there already."""
    return sqlite.insert(table) if engine.dialect.name == "sqlite" else postgresql.insert(table)


async def ensure_notice(run: AsyncConnection, player: str, language: str | None) -> None:
    """Create the player's row of settings if there is none; without a language it keeps its own. Raise PlayerGone."""
    await run.run_sync(require_present, player)
    row = {
        "player": player,
        "stop_token": secrets.token_urlsafe(24),
        "told_at": 0,
        "told_of": [],
        "language": language or "en",
        "webhook_failures": 0,
    }
    dialect = sqlite if run.dialect.name == "sqlite" else postgresql
    new: Any = dialect.insert(notices).values(**row)
    if language is None:
        new = new.on_conflict_do_nothing(index_elements=["player"])
    else:
        new = new.on_conflict_do_update(index_elements=["player"], set_={"language": language})
    await run.execute(new)


def wishes_of(row: Any, games: Mapping[str, Mapping[str, bool]] | None = None) -> Wishes:
    """The wishes in a row of notices."""
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


async def browsers_of(run: AsyncConnection, ids: Mapping[str, Any]) -> dict[str, list[Browser]]:
    """The browsers of these people, each with what it was told."""
    told: dict[str, dict[str, Pushed]] = {}
    for row in await run.execute(_TOLD, ids):
        last = Pushed(row.event, row.mark, row.seq, row.sent_at, row.body.get("at", 0))
        told.setdefault(row.subscription, {})[row.game] = last
    found: dict[str, list[Browser]] = {}
    for row in await run.execute(_BROWSERS, ids):
        browser = Browser(row.id, row.made_at, row.takes_silent, told.get(row.id, {}))
        found.setdefault(row.player, []).append(browser)
    return found


_of_people = push_subscriptions.c.player.in_(bindparam("ids", expanding=True))
_BROWSERS = select(push_subscriptions).where(_of_people)
_TOLD = select(pushes).join(push_subscriptions).where(_of_people)


class PushStore(Queries):
    """Queries about pushes; implements app.notify.ports.PushBook."""

    async def newest_key(self, now: int) -> VapidKey:
        """The key that browsers are given; made by whoever asks first, the same for every worker."""
        found = await self.keys()
        if not found:
            await self._add_key(1, now)
            found = await self.keys()
        return found[-1]

    async def ensure_key(self, now: int) -> None:
        """There is a key from the first start on."""
        await self.newest_key(now)

    async def keys(self) -> list[VapidKey]:
        """All keys that still serve, the newest last."""
        rows = await self.rows(select(vapid_keys).order_by(vapid_keys.c.number))
        return [VapidKey(row.number, row.private, row.public, row.made_at) for row in rows]

    async def rotate_key(self, now: int, *, drop_old: bool) -> VapidKey:
        """A new key for browsers that subscribe from now on; the old ones end with `drop_old`, and who had them."""
        newest = await self.newest_key(now)
        await self._add_key(newest.number + 1, now)
        if drop_old:
            async with self.writing() as run:
                old = push_subscriptions.c.key <= newest.number
                await run.execute(delete(push_subscriptions).where(old))
                await run.execute(delete(vapid_keys).where(vapid_keys.c.number <= newest.number))
        return (await self.keys())[-1]

    async def _add_key(self, number: int, now: int) -> None:
        private, public = new_keys()
        row = {"number": number, "private": private, "public": public, "made_at": now}
        new = upsert(self.engine, vapid_keys).values(**row)
        await self.change(new.on_conflict_do_nothing(index_elements=["number"]))  # somebody was first

    async def key_counts(self) -> list[dict[str, Any]]:
        """For the operator: each key, how many browsers it serves and how many are refused with it."""
        subscribed = push_subscriptions.c
        counted = (
            select(
                vapid_keys.c.number,
                vapid_keys.c.public,
                vapid_keys.c.made_at,
                func.count(subscribed.id).label("browsers"),
                func.count(subscribed.refused_at).label("refused"),
            )
            .outerjoin(push_subscriptions, subscribed.key == vapid_keys.c.number)
            .group_by(vapid_keys.c.number, vapid_keys.c.public, vapid_keys.c.made_at)
            .order_by(vapid_keys.c.number)
        )
        return await self.dicts(counted)

    async def subscribe(
        self,
        player: str,
        session: str,
        *,
        endpoint: str,
        p256dh: str,
        auth: str,
        key: int,
        takes_silent: bool,
        language: str | None,
        now: int,
    ) -> None:
        """This browser is told from now on, as this player; raises EndpointTaken."""
        row = {
            "player": player,
            "session": session,
            "p256dh": p256dh,
            "auth": auth,
            "key": key,
            "takes_silent": takes_silent,
        }
        async with self.writing() as run:
            await ensure_notice(run, player, language)
            same = push_subscriptions.c.endpoint == endpoint
            old = (await run.execute(select(push_subscriptions).where(same).with_for_update())).first()
            if old is not None and (old.p256dh, old.auth) != (p256dh, auth) and old.player != player:
                raise EndpointTaken
            if old is not None and old.player == player:
                row |= {"refused_at": None, "rests_until": 0}
                await run.execute(update(push_subscriptions).where(same).values(**row))
                return
            if old is not None:
                await run.execute(delete(push_subscriptions).where(same))  # who was here before is not told
            kept = (
                select(push_subscriptions.c.id)
                .where(push_subscriptions.c.player == player)
                .order_by(push_subscriptions.c.made_at.desc())
                .offset(MOST_BROWSERS - 1)
            )
            ended = [each.id for each in await run.execute(kept)]
            await run.execute(delete(push_subscriptions).where(push_subscriptions.c.id.in_(ended)))
            new = upsert(self.engine, push_subscriptions).values(
                **row, id=new_id(), endpoint=endpoint, made_at=now
            )
            await run.execute(new.on_conflict_do_nothing(index_elements=["endpoint"]))

    async def unsubscribe(self, player: str, endpoint: str) -> int:
        """This browser is told nothing any more."""
        mine = (push_subscriptions.c.player == player, push_subscriptions.c.endpoint == endpoint)
        return await self.change(delete(push_subscriptions).where(*mine))

    async def endpoints(self, player: str) -> list[tuple[str, int]]:
        """Where this player is told, each with the number of its key."""
        mine = select(push_subscriptions).where(push_subscriptions.c.player == player)
        return [(row.endpoint, row.key) for row in await self.rows(mine)]

    # -- what is to be pushed ----------------------------------------------------------------------

    async def enqueue(self, pushes_: Sequence[NewPush], now: int) -> int:
        """Writes them down, each in place of an older one of its browser and game; how many are new."""

        def write(run: Connection) -> int:
            written = 0
            for each in pushes_:
                row = {
                    "event": each.event,
                    "mark": each.mark,
                    "seq": each.seq,
                    "body": {**each.body, "at": now},
                    "at": now,
                    "expires_at": each.expires_at,
                    "attempts": 0,
                    "lease_until": 0,
                    "sent_at": now if each.is_told else None,
                }
                new = upsert(self.engine, pushes).values(
                    **row, subscription=each.browser, game=each.game, n=1
                )
                newer = new.on_conflict_do_update(
                    index_elements=["subscription", "game"],
                    set_={**{name: new.excluded[name] for name in row}, "n": pushes.c.n + 1},
                    where=or_(pushes.c.mark != each.mark, pushes.c.event != each.event),
                )
                written += run.execute(newer).rowcount
            return written

        return await self.write(write)

    async def note_mark(self, browser: str, game: str, mark: str) -> None:
        """The turn they know of has another deadline now."""
        which = (pushes.c.subscription == browser, pushes.c.game == game)
        await self.change(update(pushes).where(*which).values(mark=mark))

    async def forget(self, browser: str, games: Sequence[str]) -> None:
        """Nothing is to be told or withdrawn there."""
        which = (pushes.c.subscription == browser, pushes.c.game.in_(games))
        await self.change(delete(pushes).where(*which))

    async def claim_due(self, now: int, lease: int, limit: int, but: Collection[str] = ()) -> list[DuePush]:
        """What is due and leased to nobody, now leased to us; two workers never get the same.

        `but`: nothing for these hosts, each with its scheme and in small letters.
        """
        is_due = and_(pushes.c.sent_at.is_(None), pushes.c.at <= now, pushes.c.lease_until <= now)
        ready = (
            select(pushes.c.subscription, pushes.c.game, pushes.c.n)
            .join(push_subscriptions)
            .where(is_due, push_subscriptions.c.rests_until <= now, *(~_is_at(host) for host in but))
            .order_by(pushes.c.at)
            .limit(limit)
        )
        if not await self.rows(ready.limit(1)):
            return []  # mostly nothing is due: no write lock for that

        def claim(run: Connection) -> list[Any]:
            claimed = []
            for row in run.execute(ready.with_for_update(of=pushes, skip_locked=True)).all():
                mine = and_(pushes.c.subscription == row.subscription, pushes.c.game == row.game)
                taken = update(pushes).where(mine, is_due).values(lease_until=now + lease)
                if run.execute(taken).rowcount == 1:
                    claimed.append(run.execute(_WHOLE.where(mine)).one())
            return claimed

        return [_due(row) for row in await self.write(claim)]

    async def wanted(self, push: DuePush) -> tuple[Wishes, str] | None:
        """What its reader wants to hear now, and the table's title; None when it is not to be sent any more."""
        found = await self.rows(
            select(notices, game_switches.c.switches.label("of_game"), games.c.terms)
            .select_from(pushes)
            .join(push_subscriptions, push_subscriptions.c.id == pushes.c.subscription)
            .join(notices, notices.c.player == push_subscriptions.c.player)
            .outerjoin(
                game_switches,
                and_(game_switches.c.player == notices.c.player, game_switches.c.game == pushes.c.game),
            )
            .outerjoin(games, games.c.id == pushes.c.game)
            .where(_same(push))
        )
        if not found:
            return None
        (row,) = found
        title = orjson.loads(row.terms).get("title", "") if row.terms is not None else ""
        return wishes_of(row, {push.game: row.of_game or {}}), title

    async def sent(self, push: DuePush, now: int) -> None:
        """It is with the push service; a withdrawal is over with that."""
        if push.event == "gone":
            await self.drop(push)
        else:
            await self.change(update(pushes).where(_same(push)).values(sent_at=now, lease_until=0))

    async def later(self, push: DuePush, at: int, *, counts: bool = True) -> None:
        """It is tried again then."""
        again = {"at": at, "lease_until": 0, "attempts": pushes.c.attempts + (1 if counts else 0)}
        await self.change(update(pushes).where(_same(push)).values(**again))

    async def drop(self, push: DuePush) -> None:
        """It is not tried again."""
        await self.change(delete(pushes).where(_same(push)))

    async def end(self, browser: str) -> None:
        """The browser takes no more; what was meant for it goes with it."""
        await self.change(delete(push_subscriptions).where(push_subscriptions.c.id == browser))

    async def refused(self, push: DuePush, now: int, until: int) -> None:
        """The push service does not believe that it is us. The browser is kept, and rests."""
        resting = {"refused_at": now, "rests_until": until}
        mine = push_subscriptions.c.id == push.browser

        def rest(run: Connection) -> None:
            run.execute(update(push_subscriptions).where(mine).values(**resting))
            run.execute(update(pushes).where(_same(push)).values(lease_until=0))

        await self.write(rest)

    async def believed(self, push: DuePush) -> None:
        """It does again."""
        mine = (push_subscriptions.c.id == push.browser, push_subscriptions.c.refused_at.is_not(None))
        await self.change(update(push_subscriptions).where(*mine).values(refused_at=None, rests_until=0))


_WHOLE = (
    select(
        pushes,
        push_subscriptions.c.endpoint,
        push_subscriptions.c.p256dh,
        push_subscriptions.c.auth,
        notices.c.language,
        vapid_keys.c.number,
        vapid_keys.c.private,
        vapid_keys.c.public,
    )
    .join(push_subscriptions, push_subscriptions.c.id == pushes.c.subscription)
    .join(vapid_keys, vapid_keys.c.number == push_subscriptions.c.key)
    .join(notices, notices.c.player == push_subscriptions.c.player)
)


def _is_at(host: str) -> Any:
    """Whether a browser's push service is at this host."""
    endpoint = func.lower(push_subscriptions.c.endpoint)
    return or_(
        endpoint == host,
        *(endpoint.startswith(f"{host}{after}", autoescape=True) for after in "/?"),
    )


def _same(push: DuePush) -> Any:
    """This very notice: a newer one in its place is not touched."""
    return and_(pushes.c.subscription == push.browser, pushes.c.game == push.game, pushes.c.n == push.n)


def _due(row: Any) -> DuePush:
    return DuePush(
        browser=row.subscription,
        key=VapidKey(row.number, row.private, row.public),
        **{
            name: getattr(row, name)
            for name in (
                *("game", "event", "mark", "body", "n", "attempts", "expires_at"),
                *("endpoint", "p256dh", "auth", "language"),
            )
        },
    )
