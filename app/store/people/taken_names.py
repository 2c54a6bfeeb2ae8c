"""Names in use: those of accounts and of guests seen recently. Of concurrent requests for a name, one gets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, or_, select, text

from app.store.batcher import pad_to_power_of_two
from app.store.tables.people import players

PRESENT_SECONDS = 1800  # a guest seen this recently keeps its name


class LoginTaken(Exception):
    """The name is in use, or this player already has an account."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name with its log-in form, its skeleton, and the skeletons of all names it could be confused with."""

    text: str
    login: str
    skeleton: str
    skeletons: tuple[str, ...]


_SELECT_NAME_OWNERS = select(players.c.id, players.c.skeleton).where(
    players.c.skeleton.in_(bindparam("skeletons", expanding=True)),
    players.c.deleted_at.is_(None),
    or_(
        players.c.is_account,
        and_(players.c.seen_at > bindparam("since"), players.c.claimed_by.is_(None)),
    ),
)
_LOCK_NAMES = text(
    "SELECT pg_advisory_xact_lock(number) FROM (SELECT DISTINCT hashtext(skeleton) AS number "
    "FROM unnest(CAST(:skeletons AS text[])) AS skeleton ORDER BY number) AS numbers"
)


def reserve_name(conn: Connection, name: Name, now: int, player: str | None) -> None:
    """Lock a name until the transaction ends; raise LoginTaken if anyone but `player` uses a confusable name."""
    lock_names(conn, [name])
    if is_taken_by_other(find_name_owners(conn, [name], now), name, player):
        raise LoginTaken


def lock_names(conn: Connection, names: Sequence[Name]) -> None:
    """Serialise transactions that use the same names. SQLite has one writer at a time and needs no lock.

    The locks are taken in the order of the hashes, so that two transactions cannot deadlock.
    """
    if conn.dialect.name == "postgresql":
        conn.execute(_LOCK_NAMES, {"skeletons": sorted({name.skeleton for name in names})})


def find_name_owners(conn: Connection, names: Sequence[Name], now: int) -> dict[str, set[str]]:
    """Return, by skeleton, the accounts and recent guests whose names could be confused with one of these."""
    skeletons = list(dict.fromkeys(skeleton for name in names for skeleton in name.skeletons))
    owners: dict[str, set[str]] = {}
    values = {"skeletons": pad_to_power_of_two(skeletons), "since": now - PRESENT_SECONDS}
    for row in conn.execute(_SELECT_NAME_OWNERS, values):
        owners.setdefault(row.skeleton, set()).add(row.id)
    return owners


def is_taken_by_other(owners: dict[str, set[str]], name: Name, player: str | None) -> bool:
    """Return whether anyone but `player` owns a confusable name."""
    return any(owner != player for skeleton in name.skeletons for owner in owners.get(skeleton, ()))
