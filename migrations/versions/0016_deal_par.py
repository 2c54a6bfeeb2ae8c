"""Add par to deals of the day: how the bots did on the deal, and the lease of the worker that computes it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Nullable, because workers of the previous release insert deals without these columns.
    op.add_column("deals", sa.Column("par", sa.Text(), nullable=True))
    op.add_column("deals", sa.Column("par_lease_until", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("deals") as deals:
        deals.drop_column("par_lease_until")
        deals.drop_column("par")
