"""Players by id: read with bans, a claimed guest as its account, many in three queries; and locked.

Every transaction that writes a row about a person calls `lock_present` first. Claiming and erasing lock the same rows,
so the row is either there when they start or is never written.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, or_, select

from app.store.batches import padded
from app.store.lock_order import lock_order
from app.store.people.tables import bans, players


@dataclass(frozen=True, slots=True)
class Player:
    """A person as the store knows them; `aliases` are guests that this account has claimed."""

    id: str
    name: str
    is_account: bool
    is_bot: bool
    made_at: int
    seen_at: int
    aliases: tuple[str, ...] = ()
    is_banned: bool = False


class PlayerGone(Exception):
    """The player was erased, or claimed by an account, while the request was under way."""


_LOCKED = (
    select(players.c.id, players.c.claimed_by)
    .where(players.c.id.in_(bindparam("ids", expanding=True)), players.c.deleted_at.is_(None))
    .order_by(lock_order(players.c.id))
    .with_for_update()
)


def lock_present(run: Connection, ids: Collection[str], *, unclaimed: bool = False) -> set[str]:
    """Lock these players' rows until the transaction ends; return the ids that are not erased.

    `unclaimed` leaves out guests that an account has claimed. SQLite needs no lock: it has one writer at a time.
    """
    rows = run.execute(_LOCKED, {"ids": padded(sorted(ids))})
    return {row.id for row in rows if not unclaimed or row.claimed_by is None}


def require_present(run: Connection, player: str) -> None:
    """Lock this player's row until the transaction ends; raise PlayerGone if the player was erased or claimed."""
    if not lock_present(run, (player,), unclaimed=True):
        raise PlayerGone


_BANNED = select(bans.c.player).where(
    bans.c.player.in_(bindparam("ids", expanding=True)),
    or_(bans.c.until.is_(None), bans.c.until > bindparam("now")),
)
# Whoever was asked for, and for a claimed guest the account.
_account = players.alias("account")
_PEOPLE = (
    select(players.c.id.label("asked"), _account)
    .select_from(players.join(_account, _account.c.id == func.coalesce(players.c.claimed_by, players.c.id)))
    .where(players.c.id.in_(bindparam("ids", expanding=True)), _account.c.deleted_at.is_(None))
)
_CLAIMED = (
    select(players.c.id, players.c.claimed_by)
    .where(players.c.claimed_by.in_(bindparam("ids", expanding=True)))
    .order_by(players.c.made_at)
)


def players_of(run: Connection, ids: Collection[str], now: int) -> dict[str, Player]:
    """The players of these ids, a claimed guest as its account; who is unknown or deleted is left out."""
    if not ids:
        return {}
    rows = run.execute(_PEOPLE, {"ids": padded(sorted(ids))}).all()
    if not rows:
        return {}
    aliases: dict[str, list[str]] = {row.id: [] for row in rows}
    for claimed in run.execute(_CLAIMED, {"ids": padded(list(aliases))}):
        aliases[claimed.claimed_by].append(claimed.id)
    everybody = [*aliases, *(each for claimed in aliases.values() for each in claimed)]
    banned = {row.player for row in run.execute(_BANNED, {"ids": padded(everybody), "now": now})}
    return {
        row.asked: Player(
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
