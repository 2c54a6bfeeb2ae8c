"""Make the sweeper check every open table, so that abandoned ones are closed."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "INSERT INTO due (game, at, lease_until, n) SELECT id, created_at, 0, 1 FROM games"
        " WHERE status = 'open' AND NOT EXISTS (SELECT 1 FROM due WHERE due.game = games.id)"
    )


def downgrade() -> None:
    """No-op: the older release checks a row without due work once and deletes it."""
