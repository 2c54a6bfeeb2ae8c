"""Add friends: friendships, requests, private notes about people, and what friends may see."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "friendships",
        _make_player_column("player"),
        _make_player_column("friend"),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "friend"),
    )
    op.create_index("friendships_by_friend", "friendships", ["friend"])
    op.create_table(
        "friend_requests",
        _make_player_column("player"),
        _make_player_column("asked"),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("declined_at", sa.BigInteger(), nullable=True),
        sa.Column("is_withdrawn", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("player", "asked"),
    )
    op.create_index("friend_requests_by_asked", "friend_requests", ["asked", "at"])
    op.create_index("friend_requests_by_at", "friend_requests", ["at"])
    op.create_table(
        "player_notes",
        _make_player_column("player"),
        _make_player_column("about"),
        sa.Column("text", sa.String(length=500), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "about"),
    )
    op.create_index("player_notes_by_about", "player_notes", ["about"])
    op.create_table(
        "friend_settings",
        _make_player_column("player"),
        sa.Column("shows_online", sa.Boolean(), nullable=False),
        sa.Column("shows_seen", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("player"),
    )
    has_time = sa.text("seen_at IS NOT NULL")
    op.create_index(
        "friend_settings_to_forget",
        "friend_settings",
        ["seen_at"],
        sqlite_where=has_time,
        postgresql_where=has_time,
    )


def _make_player_column(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=32), sa.ForeignKey("players.id"), nullable=False)


def downgrade() -> None:
    for name in ("friend_settings", "player_notes", "friend_requests", "friendships"):
        op.drop_table(name)
