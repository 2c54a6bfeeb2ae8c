"""Causes of notices that are no log entries: invitations, and changes of a person's settings or addresses."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, or_, select, update

from app.store.games.tables import games, heads, notice_checks, seats
from app.store.people.tables import invitations, outbox, players
from app.store.people.upserts import upsert

UNFINISHED = ("open", "running")


def add_checks(run: Connection, concerned: Iterable[str], now: int) -> None:
    """Write a check for every game, in the transaction of what causes it."""
    rows = [{"game": game, "at": now * 1000, "lease_until": 0, "n": 1} for game in sorted(set(concerned))]
    if rows:
        new = upsert(run, notice_checks)
        run.execute(
            new.on_conflict_do_update(index_elements=["game"], set_={"n": notice_checks.c.n + 1}), rows
        )


def recheck_player(run: Connection, player: str, now: int) -> None:
    """Decide anew about everything of a person: their settings or addresses have changed."""
    run.execute(update(outbox).where(outbox.c.player == player).values(at=now, n=outbox.c.n + 1))
    seated = (
        select(games.c.id)
        .join(heads, heads.c.game == games.c.id)
        .join(seats, seats.c.game == games.c.id)
        .join(players, players.c.id == seats.c.person)
        .where(or_(players.c.id == player, players.c.claimed_by == player))
        .where(games.c.status.in_(UNFINISHED), heads.c.deadline.is_not(None))
    )
    invited = select(invitations.c.game).where(invitations.c.player == player)
    add_checks(run, [*run.scalars(seated), *run.scalars(invited)], now)
