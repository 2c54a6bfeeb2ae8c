"""Rows that earlier releases left under a claimed guest's id become the account's; an index of unsettled tries.

Claiming a guest moves these rows now (app/store/people/references.py). The tries of a day keep their order: the one
that counted until now is number 1.
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

# Settings for notices that belong together; the first one says whether the group is set.
_NOTICE_GROUPS = (
    ("email", "email_confirmed_at", "confirm_hash", "confirm_sent_at"),
    ("webhook", "webhook_key", "webhook_failures", "webhook_form"),
    ("switches", "zone", "quiet_from", "quiet_to", "digest_at", "every_channel"),
)


def upgrade() -> None:
    # Partial: a try without a result is one of few, and (day, game) is the order in which they are looked through.
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
    """Give an account these settings of its guests where it has none; of two guests', those with the greater id."""
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
    """Of two rows with one key, the account's stays; of two guests', the one with the greater id."""
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
        # In two passes: (day, person, n) is unique at every moment.
        for sign in (-1, 1):
            bind.execute(
                sa.text("UPDATE deal_tries SET person = :owner, n = :n WHERE game = :game"),
                [{**row, "n": sign * row["n"]} for row in changed],
            )


def downgrade() -> None:
    """The rows stay with the account, as an older release has them too when the account wrote them."""
    op.drop_index("invitations_by_inviter", table_name="invitations")
    op.create_index("deal_tries_by_end", "deal_tries", ["ended_at", "day"])
    op.drop_index("deal_tries_unsettled", table_name="deal_tries")
