"""Web push in the database: our keys, and the browsers that subscribed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from app.notify.webpush import VapidKey, new_keys
from app.store.people.checks import recheck_player
from app.store.people.notices import ensure_notice
from app.store.people.players import new_id
from app.store.people.tables import push_subscriptions, vapid_keys
from app.store.people.upserts import upsert
from app.store.transactions import Queries

MOST_BROWSERS = 10  # of one person; of more, the oldest goes


class EndpointTaken(Exception):
    """Somebody else is pushed to at this address, with other keys."""


class PushStore(Queries):
    """Queries about keys and subscriptions."""

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

        def write(run: Connection) -> None:
            ensure_notice(run, player, language)
            same = push_subscriptions.c.endpoint == endpoint
            old = run.execute(select(push_subscriptions).where(same).with_for_update()).first()
            if old is not None and (old.p256dh, old.auth) != (p256dh, auth) and old.player != player:
                raise EndpointTaken
            if old is not None and old.player == player:
                values = {**row, "refused_at": None, "rests_until": 0}
                run.execute(update(push_subscriptions).where(same).values(**values))
                return
            if old is not None:
                run.execute(delete(push_subscriptions).where(same))  # the person before is not notified here
            kept = (
                select(push_subscriptions.c.id)
                .where(push_subscriptions.c.player == player)
                .order_by(push_subscriptions.c.made_at.desc())
                .offset(MOST_BROWSERS - 1)
            )
            ended = [each.id for each in run.execute(kept)]
            run.execute(delete(push_subscriptions).where(push_subscriptions.c.id.in_(ended)))
            new = upsert(run, push_subscriptions).values(**row, id=new_id(), endpoint=endpoint, made_at=now)
            run.execute(new.on_conflict_do_nothing(index_elements=["endpoint"]))
            recheck_player(run, player, now)

        await self.write(write)

    async def unsubscribe(self, player: str, endpoint: str) -> int:
        """This browser is told nothing any more."""
        mine = (push_subscriptions.c.player == player, push_subscriptions.c.endpoint == endpoint)
        return await self.change(delete(push_subscriptions).where(*mine))

    async def endpoints(self, player: str) -> list[tuple[str, int]]:
        """Where this player is told, each with the number of its key."""
        mine = select(push_subscriptions).where(push_subscriptions.c.player == player)
        return [(row.endpoint, row.key) for row in await self.rows(mine)]
