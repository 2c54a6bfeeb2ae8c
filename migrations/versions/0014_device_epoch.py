"""A counter for each account that "log out everywhere" raises, so that device cookies of before are void."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # With a default in the database: workers of the release before insert accounts without it.
    op.add_column("accounts", sa.Column("device_epoch", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("accounts") as accounts:
        accounts.drop_column("device_epoch")
