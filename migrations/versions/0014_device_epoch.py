"""Add a counter to accounts that "log out everywhere" increments, to invalidate earlier device cookies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A server default, because workers of the previous release insert accounts without this column.
    op.add_column("accounts", sa.Column("device_epoch", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("accounts") as accounts:
        accounts.drop_column("device_epoch")
