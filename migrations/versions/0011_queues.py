"""Add the table of failed queue rows, and indexes with which retention finds only what is to be deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "queue_failures",
        sa.Column("queue", sa.String(40), primary_key=True),
        sa.Column("key", sa.String(120), primary_key=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("retry_at", sa.BigInteger, nullable=False),
        sa.Column("set_aside_at", sa.BigInteger, nullable=True),
        sa.Column("error", sa.String(200), nullable=False),
        sa.Column("first_at", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("queue_failures")
