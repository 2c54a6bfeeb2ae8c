"""Index the seats without a finishing place by person: every page counts the games that wait for its reader."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    unplaced = sa.text("place IS NULL")
    op.create_index(
        "seats_without_place",
        "seats",
        ["person", "game"],
        sqlite_where=unplaced,
        postgresql_where=unplaced,
    )


def downgrade() -> None:
    op.drop_index("seats_without_place", table_name="seats")
