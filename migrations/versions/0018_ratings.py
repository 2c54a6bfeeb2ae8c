"""Add ratings: which games are rated, and the projection of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_IS_RATED = "is_rated IS TRUE AND status = 'finished'"


def upgrade() -> None:
    # With a default, because workers of the previous release insert games without these columns.
    op.add_column("games", sa.Column("is_rated", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("rated_at", sa.BigInteger(), nullable=True))
    _create_partial_index("games_rated", "games", ["is_rated", "ended_at", "id"], _IS_RATED)
    is_pending = "is_rated AND status = 'finished' AND rated_at IS NULL"
    _create_partial_index("games_to_rate", "games", ["rated_at", "ended_at", "id"], is_pending)
    op.create_table(
        "ratings",
        sa.Column("person", sa.String(length=32), nullable=False),
        sa.Column("pool", sa.String(length=16), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=True),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("person", "pool"),
    )
    op.create_index("ratings_by_pool", "ratings", ["pool", "mu", "last_at", "sigma", "games"])
    op.create_table(
        "rating_changes",
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("person", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("pool", sa.String(length=16), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.Column("company", sa.String(length=64), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("timed_out", sa.Boolean(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("void", sa.String(length=24), nullable=True),
        sa.Column("mu_before", sa.Double(), nullable=False),
        sa.Column("sigma_before", sa.Double(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=True),
        sa.Column("best", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("game", "person"),
    )
    op.create_index("rating_changes_by_person", "rating_changes", ["person", "pool", "games"])
    op.create_index("rating_changes_by_end", "rating_changes", ["ended_at", "game"])
    op.create_index("rating_changes_by_company", "rating_changes", ["company", "ended_at"])
    _create_partial_index(
        "rating_changes_timed_out", "rating_changes", ["person", "ended_at"], "timed_out IS TRUE"
    )
    op.create_table(
        "rating_cursor",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("model", sa.Integer(), nullable=False),
        sa.Column("games", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "rating_settings",
        sa.Column("person", sa.String(length=32), nullable=False),
        sa.Column("hides_ratings", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("is_withheld", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("person"),
    )


def _create_partial_index(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(
        name,
        table,
        columns,
        sqlite_where=sa.text(where.replace("TRUE", "1")),
        postgresql_where=sa.text(where),
    )


def downgrade() -> None:
    for name in ("rating_settings", "rating_cursor", "rating_changes", "ratings"):
        op.drop_table(name)
    for index in ("games_to_rate", "games_rated"):
        op.drop_index(index, "games")
    # Not in batch mode, which copies the table: seats and chat reference it.
    op.drop_column("games", "rated_at")
    op.drop_column("games", "is_rated")
