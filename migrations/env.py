"""Alembic's environment: runs migrations on the given connection, or on the configured database URL."""

from __future__ import annotations

from typing import Any

from alembic import context
from alembic.ddl.postgresql import PostgresqlImpl
from sqlalchemy import Connection, Index, create_engine

from app.store.tables.games import metadata as games
from app.store.tables.people_metadata import metadata as people


class OnlinePostgresqlImpl(PostgresqlImpl):
    """Creates indexes with IF NOT EXISTS: they may have been built before (app/store/online_indexes.py)."""

    __dialect__ = "postgresql"

    def create_index(self, index: Index, **options: Any) -> None:
        super().create_index(index, **{**options, "if_not_exists": True})


def run(connection: Connection) -> None:
    # SQLite cannot alter most of a table in place; batch mode copies it.
    context.configure(
        connection=connection,
        target_metadata=[games, people],
        render_as_batch=True,
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


handed = context.config.attributes.get("connection")
if handed is not None:
    run(handed)
else:
    engine = create_engine(context.config.get_main_option("sqlalchemy.url") or "")
    with engine.connect() as connection:
        run(connection)
    engine.dispose()
