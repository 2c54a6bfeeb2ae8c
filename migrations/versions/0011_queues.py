"""Add the table of failed queue rows, and indexes of rows that retention may delete."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_GUEST = "is_account IS {no} AND claimed_by IS NULL AND deleted_at IS NULL"
_UNCONFIRMED = "email IS NOT NULL AND email_confirmed_at IS NULL"


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
    # Partial indexes replace full ones and contain only rows yet to be deleted. The previous release can use them too.
    # The old indexes are dropped last, because that locks out all use of their tables.
    op.create_index("reports_by_settled", "reports", ["settled_at"])
    op.create_index("bans_by_until", "bans", ["until"])
    _create_partial("notices_to_forget", "notices", "confirm_sent_at", _UNCONFIRMED)
    _create_partial("chat_to_forget", "chat", "at", "is_deleted IS {no}")
    _create_partial("players_to_forget", "players", "seen_at", _GUEST)
    # Without unclaimed guests, which SQLite would otherwise scan for rows to delete.
    _create_partial("players_by_account", "players", "claimed_by", "claimed_by IS NOT NULL")
    op.drop_index("chat_by_at", table_name="chat")
    op.drop_index("players_by_seen", table_name="players")
    op.drop_index("players_by_claim", table_name="players")


def downgrade() -> None:
    op.create_index("players_by_claim", "players", ["claimed_by"])
    op.drop_index("players_by_account", table_name="players")
    op.drop_index("bans_by_until", table_name="bans")
    op.drop_index("reports_by_settled", table_name="reports")
    op.drop_index("notices_to_forget", table_name="notices")
    op.create_index("players_by_seen", "players", ["is_account", "seen_at"])
    op.drop_index("players_to_forget", table_name="players")
    op.create_index("chat_by_at", "chat", ["at"])
    op.drop_index("chat_to_forget", table_name="chat")
    op.drop_table("queue_failures")


def _create_partial(name: str, table: str, column: str, where: str) -> None:
    op.create_index(
        name,
        table,
        [column],
        sqlite_where=sa.text(where.format(no="0")),
        postgresql_where=sa.text(where.format(no="FALSE")),
    )
