"""Add the queue of erasures, and indexes that find a person's rows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "erasures",
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("done_to", sa.String(length=40), nullable=False),
        sa.Column("without_trace", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("player"),
    )
    seated = sa.text("kind = 'seated'")
    op.create_index(
        "log_by_sitter", "log", ["who", "game"], sqlite_where=seated, postgresql_where=seated, unique=False
    )
    op.create_index("chat_by_person", "chat", ["person"], unique=False)
    op.create_index("mutes_by_person", "mutes", ["person"], unique=False)
    op.create_index("mutes_by_muted", "mutes", ["muted"], unique=False)


def downgrade() -> None:
    op.drop_index("mutes_by_muted", table_name="mutes")
    op.drop_index("mutes_by_person", table_name="mutes")
    op.drop_index("chat_by_person", table_name="chat")
    op.drop_index("log_by_sitter", table_name="log")
    op.drop_table("erasures")
