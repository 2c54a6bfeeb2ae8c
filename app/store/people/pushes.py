"""Web push: VAPID keys and push subscriptions."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from app.store.database import Database
from app.store.people.notice_checks import recheck_player
from app.store.people.notices import ensure_settings_row
from app.store.people.players import new_id
from app.store.people.vapid import VapidKey, generate_key_pair
from app.store.tables.people import outbox, push_subscriptions, vapid_keys
from app.store.upserts import upsert

MAX_BROWSERS = 10  # per person; then a new subscription replaces the oldest


class EndpointTaken(Exception):
    """Another player has subscribed with this endpoint and other keys."""


class PushStore:
    """Queries about VAPID keys and subscriptions."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def get_newest_key(self, now: int) -> VapidKey:
        """Return the key for new subscriptions. The first call of any worker creates it."""
        keys = await self.list_keys()
        if not keys:
            await self._add_key(1, now)
            keys = await self.list_keys()
        return keys[-1]

    async def list_keys(self) -> list[VapidKey]:
        """Return all keys in use, newest last."""
        rows = await self.database.fetch_rows(select(vapid_keys).order_by(vapid_keys.c.number))
        return [VapidKey(row.number, row.private, row.public, row.made_at) for row in rows]

    async def rotate_key(self, now: int, *, drop_old: bool) -> VapidKey:
        """Create a key for new subscriptions. With `drop_old`, delete older keys and their subscriptions."""
        newest = await self.get_newest_key(now)
        await self._add_key(newest.number + 1, now)

        def drop(conn: Connection) -> None:
            conn.execute(delete(push_subscriptions).where(push_subscriptions.c.key <= newest.number))
            conn.execute(delete(vapid_keys).where(vapid_keys.c.number <= newest.number))

        if drop_old:
            await self.database.write(drop)
        return (await self.list_keys())[-1]

    async def _add_key(self, number: int, now: int) -> None:
        private, public = generate_key_pair()
        row = {"number": number, "private": private, "public": public, "made_at": now}
        new = upsert(self.database, vapid_keys).values(**row)
        # No-op if another worker has added this number first.
        await self.database.execute_write(new.on_conflict_do_nothing(index_elements=["number"]))

    async def count_key_uses(self) -> list[dict[str, Any]]:
        """Return each key with the number of its subscriptions and of those that push services refuse."""
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
        return await self.database.fetch_dicts(counted)

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
        zone: str | None = None,
        now: int,
    ) -> None:
        """Add or update a browser's subscription for this player. Raise EndpointTaken or PlayerGone."""
        row = {
            "player": player,
            "session": session,
            "p256dh": p256dh,
            "auth": auth,
            "key": key,
            "takes_silent": takes_silent,
        }

        def write(conn: Connection) -> None:
            ensure_settings_row(conn, player, language, zone)
            same = push_subscriptions.c.endpoint == endpoint
            old = conn.execute(select(push_subscriptions).where(same).with_for_update()).first()
            if old is not None and (old.p256dh, old.auth) != (p256dh, auth) and old.player != player:
                raise EndpointTaken
            if old is not None and old.player == player:
                values = {**row, "refused_at": None, "rests_until": 0}
                conn.execute(update(push_subscriptions).where(same).values(**values))
                return
            if old is not None:
                conn.execute(
                    delete(push_subscriptions).where(same)
                )  # the previous player is no longer notified here
            excess = (
                select(push_subscriptions.c.id)
                .where(push_subscriptions.c.player == player)
                .order_by(push_subscriptions.c.made_at.desc())
                .offset(MAX_BROWSERS - 1)
            )
            ended = [row.id for row in conn.execute(excess)]
            conn.execute(delete(push_subscriptions).where(push_subscriptions.c.id.in_(ended)))
            new = upsert(conn, push_subscriptions).values(**row, id=new_id(), endpoint=endpoint, made_at=now)
            conn.execute(new.on_conflict_do_nothing(index_elements=["endpoint"]))
            recheck_player(conn, player, now)

        await self.database.write(write)

    async def unsubscribe(self, player: str, endpoint: str) -> int:
        """Delete a browser's subscription; return how many were deleted."""
        same = (push_subscriptions.c.player == player, push_subscriptions.c.endpoint == endpoint)
        return await self.database.execute_write(delete(push_subscriptions).where(*same))

    async def end_subscription(self, browser: str) -> None:
        """Delete a subscription and its outbox rows: the push service no longer accepts it."""

        def write(conn: Connection) -> None:
            conn.execute(delete(push_subscriptions).where(push_subscriptions.c.id == browser))
            conn.execute(delete(outbox).where(outbox.c.channel == "push", outbox.c.address == browser))

        await self.database.write(write)

    async def pause_subscription(self, browser: str, until: int, *, refused_at: int | None = None) -> None:
        """Send nothing to a browser until then; 0 ends the pause."""
        values = {"rests_until": until, "refused_at": refused_at}
        await self.database.execute_write(
            update(push_subscriptions).where(push_subscriptions.c.id == browser).values(**values)
        )

    async def list_endpoints(self, player: str) -> list[tuple[str, int]]:
        """Return the endpoints of this player, each with the number of its key."""
        query = select(push_subscriptions).where(push_subscriptions.c.player == player)
        return [(row.endpoint, row.key) for row in await self.database.fetch_rows(query)]
