"""Move the heads of games to a separate table: they are written with every entry, and narrow rows share pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "heads",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("to_act", sa.String(length=20), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("game"),
    )
    # In the order of creation, so that games played at the same time have adjacent heads.
    op.execute(
        "INSERT INTO heads (game, seq, to_act, deadline, updated_at) "
        "SELECT id, seq, to_act, deadline, updated_at FROM games ORDER BY created_at"
    )
    for name in ("seq", "to_act", "deadline", "updated_at"):
        # Not in batch mode, which copies the table: seats, chat and mutes reference it, so SQLite cannot drop it.
        op.drop_column("games", name)


def downgrade() -> None:
    op.add_column("games", sa.Column("seq", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("games", sa.Column("to_act", sa.String(length=20), nullable=False, server_default=""))
    op.add_column("games", sa.Column("deadline", sa.BigInteger(), nullable=True))
    op.add_column("games", sa.Column("updated_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE games SET (seq, to_act, deadline, updated_at) = "
        "(SELECT seq, to_act, deadline, updated_at FROM heads WHERE heads.game = games.id)"
    )
    op.drop_table("heads")
