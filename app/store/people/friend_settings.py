"""What a person's friends may see: that they are online and where they play, and when they were last seen."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from app.store.batcher import pad_to_power_of_two
from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.people.player_rows import require_present
from app.store.tables.friends import friend_settings
from app.store.upserts import upsert

_SELECT_SHOWING = select(friend_settings.c.player).where(
    friend_settings.c.player.in_(bindparam("people", expanding=True)), friend_settings.c.shows_seen
)
# Rows that another worker is writing are skipped: it has just seen them, too.
_LOCK_SHOWING = _SELECT_SHOWING.order_by(lock_order(friend_settings.c.player)).with_for_update(
    skip_locked=True
)
_UPDATE_SEEN = (
    update(friend_settings)
    .where(friend_settings.c.player.in_(bindparam("people", expanding=True)), friend_settings.c.shows_seen)
    .values(seen_at=bindparam("now"))
)


@dataclass(frozen=True, slots=True)
class FriendSettings:
    """The switches of a person. Both are off by default."""

    shows_online: bool = False
    shows_seen: bool = False


class FriendSettingsStore:
    """Queries about the switches, and the time at which people who show it were last seen."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def read(self, player: str) -> FriendSettings:
        """Return a person's switches."""
        rows = await self.database.fetch_rows(
            select(friend_settings).where(friend_settings.c.player == player)
        )
        return FriendSettings(rows[0].shows_online, rows[0].shows_seen) if rows else FriendSettings()

    async def save(self, player: str, settings: FriendSettings, now: int) -> None:
        """Save a person's switches. Turning `shows_seen` off deletes the stored time. Raise PlayerGone."""
        row = {
            "shows_online": settings.shows_online,
            "shows_seen": settings.shows_seen,
            "seen_at": now if settings.shows_seen else None,
        }

        def write(conn: Connection) -> None:
            require_present(conn, player)
            new = upsert(conn, friend_settings).values(player=player, **row)
            conn.execute(new.on_conflict_do_update(index_elements=["player"], set_=row))

        await self.database.write(write)

    async def record_seen(self, people: Collection[str], now: int) -> None:
        """Store that these people were just seen, for those who show it."""
        values = {"people": pad_to_power_of_two(sorted(people))}
        showing = await self.database.read(lambda conn: sorted(conn.scalars(_SELECT_SHOWING, values)))
        if not showing:  # as usual; nothing takes the write lock
            return

        def write(conn: Connection) -> None:
            locked = list(conn.scalars(_LOCK_SHOWING, {"people": pad_to_power_of_two(showing)}))
            if locked:
                conn.execute(_UPDATE_SEEN, {"people": pad_to_power_of_two(locked), "now": now})

        await self.database.write(write, durable=False)
