"""Remove titles from queued pushes: they are read from the game when a push is sent, and erased with their author."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "UPDATE pushes SET body = json_remove(body, '$.title') WHERE json_type(body, '$.title') IS NOT NULL"
        )
    else:
        op.execute(
            "UPDATE pushes SET body = CAST(CAST(body AS jsonb) - 'title' AS json)"
            " WHERE CAST(body AS jsonb) -> 'title' IS NOT NULL"
        )


def downgrade() -> None:
    """The older release expects a title wherever there is a headline; for an empty one it shows the game's name."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "UPDATE pushes SET body = json_set(body, '$.title', '') WHERE json_type(body, '$.headline') IS NOT NULL"
        )
    else:
        op.execute(
            "UPDATE pushes SET body = CAST(jsonb_set(CAST(body AS jsonb), '{title}', '\"\"') AS json)"
            " WHERE CAST(body AS jsonb) -> 'headline' IS NOT NULL"
        )
