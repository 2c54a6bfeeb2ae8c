"""Which names are somebody's: an account's, or that of a guest who is about; and that of two only one gets it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, or_, select, text

from app.store.batches import padded
from app.store.people.tables import players

PRESENT_SECONDS = 1800  # a guest seen this recently keeps its name from others


class LoginTaken(Exception):
    """Another account has this log-in name, or this player has an account already."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name and what it is found by: its log-in, its skeleton, and every skeleton it could be confused by."""

    text: str
    login: str
    skeleton: str
    skeletons: tuple[str, ...]


_OWNERS_OF_NAMES = select(players.c.id, players.c.skeleton).where(
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


def take_name(run: Connection, name: Name, now: int, but: str | None) -> None:
    """Raises LoginTaken when the name is somebody's; of two who ask at once only one gets it."""
    lock_names(run, [name])
    if is_others(owners_of_names(run, [name], now), name, but):
        raise LoginTaken


def lock_names(run: Connection, wanted: Sequence[Name]) -> None:
    """SQLite has one writer at a time anyway; in PostgreSQL those who want the same name wait for each other.

    All lock in the same order, that of the numbers which the names become.
    """
    if run.dialect.name == "postgresql":
        run.execute(_LOCK_NAMES, {"skeletons": sorted({name.skeleton for name in wanted})})


def owners_of_names(run: Connection, wanted: Sequence[Name], now: int) -> dict[str, set[str]]:
    """By skeleton: accounts, and guests who are about, that have a name which looks like one of these."""
    skeletons = list(dict.fromkeys(skeleton for name in wanted for skeleton in name.skeletons))
    owners: dict[str, set[str]] = {}
    values = {"skeletons": padded(skeletons), "since": now - PRESENT_SECONDS}
    for row in run.execute(_OWNERS_OF_NAMES, values):
        owners.setdefault(row.skeleton, set()).add(row.id)
    return owners


def is_others(owners: dict[str, set[str]], name: Name, but: str | None) -> bool:
    return any(owner != but for skeleton in name.skeletons for owner in owners.get(skeleton, ()))
