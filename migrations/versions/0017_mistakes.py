"""Add practice: people's mistakes, and the games to search for them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mistakes",
        sa.Column("person", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("step", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("played", sa.Integer(), nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("person", "game", "step"),
    )
    op.create_index("mistakes_by_due", "mistakes", ["person", "due_at"])
    op.create_index("mistakes_by_found", "mistakes", ["found_at"])
    op.create_table(
        "mistake_searches",
        sa.Column("person", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False, server_default="0"),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("person", "game"),
    )
    is_open = sa.text("done_at IS NULL")
    op.create_index(
        "mistake_searches_open",
        "mistake_searches",
        ["asked_at"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    op.create_index("mistake_searches_by_asked", "mistake_searches", ["asked_at"])


def downgrade() -> None:
    op.drop_table("mistake_searches")
    op.drop_table("mistakes")
