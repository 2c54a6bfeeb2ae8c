"""Add web push and the switchboard: keys, subscriptions, the push queue, and notice settings."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def _preferences() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("switches", sa.JSON(), nullable=True),
        sa.Column("zone", sa.String(length=64), nullable=True),
        sa.Column("quiet_from", sa.Integer(), nullable=True),
        sa.Column("quiet_to", sa.Integer(), nullable=True),
        sa.Column("digest_at", sa.Integer(), nullable=True),
        sa.Column("digested_on", sa.String(length=10), nullable=True),
        sa.Column("every_channel", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("webhook_form", sa.String(length=12), nullable=False, server_default="plain"),
    )


def upgrade() -> None:
    for column in _preferences():
        op.add_column("notices", column)
    # People who have set both an address and a webhook want both.
    op.execute(
        "UPDATE notices SET every_channel = true WHERE email_confirmed_at IS NOT NULL AND webhook IS NOT NULL"
    )
    op.create_table(
        "game_switches",
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("switches", sa.JSON(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"]),
        sa.PrimaryKeyConstraint("player", "game"),
    )
    op.create_index("game_switches_by_at", "game_switches", ["at"])
    op.create_table(
        "invitations",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("inviter", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"]),
        sa.PrimaryKeyConstraint("game", "player"),
    )
    op.create_index("invitations_by_player", "invitations", ["player", "at"])
    op.create_index("invitations_by_at", "invitations", ["at"])
    op.create_table(
        "vapid_keys",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("private", sa.String(length=64), nullable=False),
        sa.Column("public", sa.String(length=100), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "push_subscriptions",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("session", sa.String(length=64), nullable=False),
        sa.Column("endpoint", sa.String(length=1000), nullable=False),
        sa.Column("p256dh", sa.String(length=100), nullable=False),
        sa.Column("auth", sa.String(length=40), nullable=False),
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("takes_silent", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("refused_at", sa.BigInteger(), nullable=True),
        sa.Column("rests_until", sa.BigInteger(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(["player"], ["players.id"]),
        sa.ForeignKeyConstraint(["session"], ["sessions.hash"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("push_subscriptions_by_player", "push_subscriptions", ["player"])
    op.create_index("push_subscriptions_by_session", "push_subscriptions", ["session"])
    op.create_index("push_subscriptions_by_endpoint", "push_subscriptions", ["endpoint"], unique=True)
    op.create_table(
        "pushes",
        sa.Column("subscription", sa.String(length=32), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("event", sa.String(length=12), nullable=False),
        sa.Column("mark", sa.String(length=80), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["subscription"], ["push_subscriptions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("subscription", "game"),
    )
    op.create_index("pushes_by_at", "pushes", ["sent_at", "at"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def downgrade() -> None:
    for table in ("leases", "pushes", "push_subscriptions", "vapid_keys", "invitations", "game_switches"):
        op.drop_table(table)
    for column in reversed(_preferences()):
        op.drop_column("notices", column.name)
