"""Add the tables of people: players, sessions, accounts, blocks, reports and notices."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=80), nullable=False),
        sa.Column("deed", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=96), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("audit_by_at", "audit", ["at"], unique=False)
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
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("bans_by_player", "bans", ["player"], unique=False)
    op.create_table(
        "players",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("skeleton", sa.String(length=96), nullable=False),
        sa.Column("is_account", sa.Boolean(), nullable=False),
        sa.Column("is_bot", sa.Boolean(), nullable=False),
        sa.Column("claimed_by", sa.String(length=32), nullable=True),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["claimed_by"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("players_by_claim", "players", ["claimed_by"], unique=False)
    op.create_index("players_by_seen", "players", ["is_account", "seen_at"], unique=False)
    op.create_index("players_by_skeleton", "players", ["skeleton", "seen_at"], unique=False)
    op.create_table(
        "reports",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("reporter", sa.String(length=32), nullable=False),
        sa.Column("reported", sa.String(length=32), nullable=False),
        sa.Column("room", sa.String(length=64), nullable=True),
        sa.Column("reason", sa.String(length=32), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("settled_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("reports_by_reported", "reports", ["reported"], unique=False)
    op.create_index("reports_by_reporter", "reports", ["reporter", "at"], unique=False)
    op.create_table(
        "accounts",
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("login", sa.String(length=96), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("player"),
        sa.UniqueConstraint("login"),
    )
    op.create_table(
        "blocks",
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("blocked", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["blocked"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("player", "blocked"),
    )
    op.create_index("blocks_by_blocked", "blocks", ["blocked"], unique=False)
    op.create_table(
        "notices",
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("email_confirmed_at", sa.BigInteger(), nullable=True),
        sa.Column("confirm_hash", sa.String(length=64), nullable=True),
        sa.Column("confirm_sent_at", sa.BigInteger(), nullable=True),
        sa.Column("stop_token", sa.String(length=64), nullable=False),
        sa.Column("webhook", sa.String(length=500), nullable=True),
        sa.Column("webhook_key", sa.String(length=64), nullable=True),
        sa.Column("webhook_failures", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("told_at", sa.BigInteger(), nullable=False),
        sa.Column("told_of", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("player"),
    )
    op.create_index("notices_by_stop_token", "notices", ["stop_token"], unique=True)
    op.create_table(
        "recovery_codes",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_index("recovery_codes_by_player", "recovery_codes", ["player"], unique=False)
    op.create_table(
        "resume_codes",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("room", sa.String(length=64), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_index("resume_codes_by_expiry", "resume_codes", ["expires_at"], unique=False)
    op.create_index("resume_codes_by_player", "resume_codes", ["player"], unique=False)
    op.create_table(
        "sessions",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("device", sa.String(length=80), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_index("sessions_by_player", "sessions", ["player"], unique=False)
    op.create_index("sessions_by_seen", "sessions", ["seen_at"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=32), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("made_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("hash"),
    )
    op.create_index("tokens_by_player", "tokens", ["player"], unique=False)


def downgrade() -> None:
    op.drop_index("tokens_by_player", table_name="tokens")
    op.drop_table("tokens")
    op.drop_index("sessions_by_seen", table_name="sessions")
    op.drop_index("sessions_by_player", table_name="sessions")
    op.drop_table("sessions")
    op.drop_index("resume_codes_by_player", table_name="resume_codes")
    op.drop_index("resume_codes_by_expiry", table_name="resume_codes")
    op.drop_table("resume_codes")
    op.drop_index("recovery_codes_by_player", table_name="recovery_codes")
    op.drop_table("recovery_codes")
    op.drop_index("notices_by_stop_token", table_name="notices")
    op.drop_table("notices")
    op.drop_index("blocks_by_blocked", table_name="blocks")
    op.drop_table("blocks")
    op.drop_table("accounts")
    op.drop_index("reports_by_reporter", table_name="reports")
    op.drop_index("reports_by_reported", table_name="reports")
    op.drop_table("reports")
    op.drop_index("players_by_skeleton", table_name="players")
    op.drop_index("players_by_seen", table_name="players")
    op.drop_index("players_by_claim", table_name="players")
    op.drop_table("players")
    op.drop_index("bans_by_player", table_name="bans")
    op.drop_table("bans")
    op.drop_index("audit_by_at", table_name="audit")
    op.drop_table("audit")
