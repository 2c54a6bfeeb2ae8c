"""Move rows that older releases left under a claimed guest's id to the account; add an index of unsettled tries.

Since this release, claiming a guest moves these rows (app/store/people/references.py). The tries of a day keep their
order, and the one that has counted so far becomes number 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# Table, column with the player's id, the rest of the primary key.
_MOVED = (
    ("notices", "player", ()),
    ("game_switches", "player", ("game",)),
    ("invitations", "player", ("game",)),
    ("blocks", "player", ("blocked",)),
    ("blocks", "blocked", ("player",)),
    ("mutes", "person", ("game", "muted")),
)

# Notice settings that belong together; a group is set if its first column is.
_NOTICE_GROUPS = (
    ("email", "email_confirmed_at", "confirm_hash", "confirm_sent_at"),
    ("webhook", "webhook_key", "webhook_failures", "webhook_form"),
    ("switches", "zone", "quiet_from", "quiet_to", "digest_at", "every_channel"),
)


def upgrade() -> None:
    # Partial: few tries have no result. They are read in the order of (day, game).
    op.create_index(
        "deal_tries_unsettled",
        "deal_tries",
        ["day", "game"],
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.drop_index("deal_tries_by_end", table_name="deal_tries")
    op.create_index("invitations_by_inviter", "invitations", ["inviter"])
    for group in _NOTICE_GROUPS:
        _fill_notices(group)
    for table, column, key in _MOVED:
        _move(table, column, key)
    op.execute("DELETE FROM blocks WHERE player = blocked")
    _move_tries()


def _fill_notices(group: tuple[str, ...]) -> None:
    """Give accounts that have no such settings those of their guests; of two guests, the greater id wins."""
    of_guest = (
        "FROM notices AS guests JOIN players ON players.id = guests.player"
        f" WHERE players.claimed_by = notices.player AND guests.{group[0]} IS NOT NULL"
    )
    values = ", ".join(
        f"{name} = (SELECT guests.{name} {of_guest} ORDER BY guests.player DESC LIMIT 1)" for name in group
    )
    is_unset = f"{group[0]} IS NULL AND EXISTS (SELECT 1 {of_guest})"
    op.execute(f"UPDATE notices SET {values} WHERE {is_unset}")  # noqa: S608 (constants)


def _move(name: str, column: str, key: Iterable[str]) -> None:
    """Of rows with the same key, keep the account's; of two guests, the greater id wins."""
    columns: list[sa.ColumnClause[str]] = [sa.column(each) for each in (column, *key)]
    table, players = sa.table(name, *columns), sa.table("players", sa.column("id"), sa.column("claimed_by"))
    twin, person = table.alias("twin"), table.c[column]

    def owner_of(player: sa.ColumnElement[str]) -> sa.ScalarSelect[str]:
        found = sa.select(players.c.claimed_by).where(players.c.id == player)
        return found.correlate(table, twin).scalar_subquery()

    is_guests = person.in_(sa.select(players.c.id).where(players.c.claimed_by.is_not(None)))
    accounts = twin.c[column] == owner_of(person)
    other_guests = sa.and_(owner_of(twin.c[column]) == owner_of(person), twin.c[column] > person)
    same = (twin.c[each] == table.c[each] for each in key)
    has_twin = sa.exists().where(sa.or_(accounts, other_guests), *same)
    op.execute(sa.delete(table).where(is_guests, has_twin))
    op.execute(sa.update(table).where(is_guests).values({person: owner_of(person)}))


def _move_tries() -> None:
    bind = op.get_bind()
    rows = bind.execute(
        sa.text(
            "SELECT tries.game, tries.day, tries.n, tries.person, COALESCE(players.claimed_by, players.id) AS owner"
            " FROM deal_tries AS tries JOIN players ON players.id = tries.person"
            " WHERE EXISTS (SELECT 1 FROM deal_tries AS claimed JOIN players AS guests ON guests.id = claimed.person"
            " WHERE claimed.day = tries.day AND guests.claimed_by = COALESCE(players.claimed_by, players.id))"
            " ORDER BY owner, tries.day, tries.began_at, tries.n, tries.game"
        )
    ).all()
    changed: list[dict[str, Any]] = [
        {"game": row.game, "owner": owner, "n": number}
        for (owner, _), group in groupby(rows, key=lambda row: (row.owner, row.day))
        for number, row in enumerate(group, 1)
    ]
    if changed:
        # In two passes, so that (day, person, n) stays unique throughout.
        for sign in (-1, 1):
            bind.execute(
                sa.text("UPDATE deal_tries SET person = :owner, n = :n WHERE game = :game"),
                [{**row, "n": sign * row["n"]} for row in changed],
            )


def downgrade() -> None:
    """Keep the rows with the account; an older release reads them as if the account had written them."""
    op.drop_index("invitations_by_inviter", table_name="invitations")
    op.create_index("deal_tries_by_end", "deal_tries", ["ended_at", "day"])
    op.drop_index("deal_tries_unsettled", table_name="deal_tries")
