"""Add the deal of the day: deals and tries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deals",
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("server_seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("opponents", sa.Text(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("day"),
    )
    op.create_table(
        "deal_tries",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("person", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("is_won", sa.Boolean(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=True),
        sa.Column("spaces", sa.Integer(), nullable=True),
        sa.Column("line", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("game"),
    )
    op.create_index("deal_tries_by_person", "deal_tries", ["day", "person", "n"], unique=True)
    op.create_index("deal_tries_by_player", "deal_tries", ["person"], unique=False)
    op.create_index("deal_tries_by_end", "deal_tries", ["ended_at", "day"], unique=False)


def downgrade() -> None:
    op.drop_index("deal_tries_by_end", table_name="deal_tries")
    op.drop_index("deal_tries_by_player", table_name="deal_tries")
    op.drop_index("deal_tries_by_person", table_name="deal_tries")
    op.drop_table("deal_tries")
    op.drop_table("deals")
