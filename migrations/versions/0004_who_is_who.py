"""Index changes of players by time, never reuse ban numbers, and store where banned players came from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def _make_bans(*more: sa.Column[object], numbered: bool) -> None:
    op.create_table(
        "bans",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("player", sa.String(length=32), nullable=True),
        sa.Column("address", sa.String(length=64), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=True),
        *more,
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=numbered,
    )


def _remake_bans(*more: sa.Column[object], numbered: bool) -> None:
    """Recreate the table: SQLite sets AUTOINCREMENT only when a table is created."""
    op.drop_index("bans_by_player", table_name="bans")
    op.rename_table("bans", "bans_before")
    _make_bans(*more, numbered=numbered)
    op.execute(
        "INSERT INTO bans (id, player, address, reason, at, until) "
        "SELECT id, player, address, reason, at, until FROM bans_before ORDER BY id"
    )
    op.drop_table("bans_before")
    op.create_index("bans_by_player", "bans", ["player"], unique=False)


def upgrade() -> None:
    op.add_column("players", sa.Column("changed_at", sa.BigInteger(), nullable=True))
    op.create_index("players_by_change", "players", ["changed_at"], unique=False)
    op.add_column("sessions", sa.Column("came_from", sa.String(length=64), nullable=True))
    if op.get_bind().dialect.name == "sqlite":
        _remake_bans(sa.Column("came_from", sa.JSON(), nullable=True), numbered=True)
    else:
        op.add_column("bans", sa.Column("came_from", sa.JSON(), nullable=True))


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _remake_bans(numbered=False)
    else:
        op.drop_column("bans", "came_from")
    op.drop_column("sessions", "came_from")
    op.drop_index("players_by_change", table_name="players")
    op.drop_column("players", "changed_at")
