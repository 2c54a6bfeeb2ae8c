"""Add the tables of games: log, heads, seats, due work, chat, heartbeats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "beats",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "due",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game"),
    )
    op.create_index("due_by_at", "due", ["at"], unique=False)
    op.create_table(
        "games",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("preset", sa.String(length=40), nullable=False),
        sa.Column("founded", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("is_watchable", sa.Boolean(), nullable=False),
        sa.Column("server_seed", sa.String(length=64), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("creator", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=12), nullable=False),
        sa.Column("to_act", sa.String(length=20), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("bots", sa.Integer(), nullable=False),
        sa.Column("host", sa.String(length=40), nullable=False),
        sa.Column("next_game", sa.String(length=40), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("games_by_creator", "games", ["creator", "status"], unique=False)
    op.create_index("games_by_list", "games", ["status", "is_listed", "created_at"], unique=False)
    op.create_table(
        "log",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=8), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("command", sa.String(length=40), nullable=True),
        sa.Column("who", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("game", "seq"),
    )
    op.create_index("log_by_command", "log", ["game", "seat", "command"], unique=True)
    op.create_table(
        "outages",
        sa.Column("began", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("began"),
    )
    op.create_table(
        "chat",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.String(length=12), nullable=False),
        sa.Column("person", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("preset", sa.String(length=20), nullable=True),
        sa.Column("command", sa.String(length=40), nullable=False),
        sa.Column("is_deleted", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "n"),
    )
    op.create_index("chat_by_at", "chat", ["at"], unique=False)
    op.create_index("chat_by_command", "chat", ["game", "person", "command"], unique=True)
    op.create_table(
        "mutes",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("person", sa.String(length=40), nullable=False),
        sa.Column("muted", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "person", "muted"),
    )
    op.create_table(
        "seats",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.String(length=40), nullable=True),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("colour", sa.String(length=10), nullable=False),
        sa.Column("bot", sa.String(length=20), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["game"],
            ["games.id"],
        ),
        sa.PrimaryKeyConstraint("game", "seat"),
    )
    op.create_index("seats_by_person", "seats", ["person", "game"], unique=False)


def downgrade() -> None:
    op.drop_index("seats_by_person", table_name="seats")
    op.drop_table("seats")
    op.drop_table("mutes")
    op.drop_index("chat_by_command", table_name="chat")
    op.drop_index("chat_by_at", table_name="chat")
    op.drop_table("chat")
    op.drop_table("outages")
    op.drop_index("log_by_command", table_name="log")
    op.drop_table("log")
    op.drop_index("games_by_list", table_name="games")
    op.drop_index("games_by_creator", table_name="games")
    op.drop_table("games")
    op.drop_index("due_by_at", table_name="due")
    op.drop_table("due")
    op.drop_table("beats")
