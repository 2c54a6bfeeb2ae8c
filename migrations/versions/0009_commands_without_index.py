"""Drop the index of commands in the log: the writer of an entry has read all earlier ones."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("log_by_command", table_name="log")


def downgrade() -> None:
    op.create_index("log_by_command", "log", ["game", "seat", "command"], unique=True)
