"""Reading and locking of players by id.

Every transaction that writes a row about a person calls `lock_present` first. Claiming and erasing lock the same rows,
so such a row exists when they start, or is never written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, or_, select

from app.store.batcher import pad_to_power_of_two
from app.store.lock_order import lock_order
from app.store.tables.people import bans, players


@dataclass(frozen=True, slots=True)
class Player:
    """A guest or an account. `aliases` are the ids of guests that the account has claimed.

    Check the owner of a seat with `owns`, not with `id`: an account owns the seats of its guests.
    """

    id: str
    name: str
    is_account: bool
    is_bot: bool
    made_at: int
    seen_at: int
    aliases: tuple[str, ...] = ()
    is_banned: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id that this person has played under."""
        return (self.id, *self.aliases)

    def owns(self, player: str | None) -> bool:
        """Return whether a seat taken by `player` belongs to this person."""
        return player is not None and (player == self.id or player in self.aliases)


class PlayerGone(Exception):
    """The player was erased, or claimed by an account, during the request."""


_LOCK_PLAYERS = (
    select(players.c.id, players.c.claimed_by)
    .where(players.c.id.in_(bindparam("ids", expanding=True)), players.c.deleted_at.is_(None))
    .order_by(lock_order(players.c.id))
    .with_for_update()
)


def lock_present(conn: Connection, ids: Collection[str], *, unclaimed: bool = False) -> set[str]:
    """Lock these players' rows until the transaction ends; return the ids that are not erased.

    With `unclaimed`, guests claimed by an account are left out. SQLite has one writer at a time and needs no lock.
    """
    rows = conn.execute(_LOCK_PLAYERS, {"ids": pad_to_power_of_two(sorted(ids))})
    return {row.id for row in rows if not unclaimed or row.claimed_by is None}


def require_present(conn: Connection, player: str) -> None:
    """Lock this player's row until the transaction ends; raise PlayerGone if the player was erased or claimed."""
    if not lock_present(conn, (player,), unclaimed=True):
        raise PlayerGone


_SELECT_BANNED_IDS = select(bans.c.player).where(
    bans.c.player.in_(bindparam("ids", expanding=True)),
    or_(bans.c.until.is_(None), bans.c.until > bindparam("now")),
)
# For a claimed guest, the account.
_account = players.alias("account")
_SELECT_ACCOUNTS_BY_ID = (
    select(players.c.id.label("requested"), _account)
    .select_from(players.join(_account, _account.c.id == func.coalesce(players.c.claimed_by, players.c.id)))
    .where(players.c.id.in_(bindparam("ids", expanding=True)), _account.c.deleted_at.is_(None))
)
_SELECT_CLAIMED_GUESTS = (
    select(players.c.id, players.c.claimed_by)
    .where(players.c.claimed_by.in_(bindparam("ids", expanding=True)))
    .order_by(players.c.made_at)
)


def read_players(conn: Connection, ids: Collection[str], now: int) -> dict[str, Player]:
    """Return the players with these ids, in three queries. A claimed guest is returned as its account.

    Unknown and deleted players are left out.
    """
    if not ids:
        return {}
    rows = conn.execute(_SELECT_ACCOUNTS_BY_ID, {"ids": pad_to_power_of_two(sorted(ids))}).all()
    if not rows:
        return {}
    aliases: dict[str, list[str]] = {row.id: [] for row in rows}
    for guest in conn.execute(_SELECT_CLAIMED_GUESTS, {"ids": pad_to_power_of_two(list(aliases))}):
        aliases[guest.claimed_by].append(guest.id)
    all_ids = [*aliases, *(guest for guests in aliases.values() for guest in guests)]
    banned = {
        row.player
        for row in conn.execute(_SELECT_BANNED_IDS, {"ids": pad_to_power_of_two(all_ids), "now": now})
    }
    return {
        row.requested: Player(
            row.id,
            row.name,
            row.is_account,
            row.is_bot,
            row.made_at,
            row.seen_at,
            tuple(aliases[row.id]),
            not banned.isdisjoint((row.id, *aliases[row.id])),
        )
        for row in rows
    }
