"""Notice checks that are not caused by log entries but by invitations and changed settings or addresses."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, or_, select, update

from app.store.tables.games import games, heads, notice_checks, seats
from app.store.tables.people import invitations, outbox, players
from app.store.upserts import upsert

UNFINISHED = ("open", "running")


def add_checks(conn: Connection, game_ids: Iterable[str], now: int) -> None:
    """Add a check for every game, in the transaction of its cause."""
    rows = [{"game": game, "at": now * 1000, "lease_until": 0, "n": 1} for game in sorted(set(game_ids))]
    if rows:
        new = upsert(conn, notice_checks)
        conn.execute(
            new.on_conflict_do_update(index_elements=["game"], set_={"n": notice_checks.c.n + 1}), rows
        )


def recheck_player(conn: Connection, player: str, now: int) -> None:
    """Make all notices of a person due again, because their settings or addresses have changed."""
    conn.execute(update(outbox).where(outbox.c.player == player).values(at=now, n=outbox.c.n + 1))
    seated = (
        select(games.c.id)
        .join(heads, heads.c.game == games.c.id)
        .join(seats, seats.c.game == games.c.id)
        .join(players, players.c.id == seats.c.person)
        .where(or_(players.c.id == player, players.c.claimed_by == player))
        .where(games.c.status.in_(UNFINISHED), heads.c.deadline.is_not(None))
    )
    invited = select(invitations.c.game).where(invitations.c.player == player)
    add_checks(conn, [*conn.scalars(seated), *conn.scalars(invited)], now)
