"""Alembic's environment: runs the migrations on the connection it is handed, or on the configured address."""

from __future__ import annotations

from typing import Any

from alembic import context
from alembic.ddl.postgresql import PostgresqlImpl
from sqlalchemy import Connection, Index, create_engine

from app.store.games.tables import metadata as games
from app.store.people import deal_tables


class OnlinePostgresqlImpl(PostgresqlImpl):
    """Alembic's PostgreSQL, with indexes that may have been built already (app/store/online_indexes.py)."""

    __dialect__ = "postgresql"

    def create_index(self, index: Index, **given: Any) -> None:
        super().create_index(index, **{**given, "if_not_exists": True})


def run(connection: Connection) -> None:
    # SQLite cannot alter most of a table in place: batch mode copies it.
    context.configure(
        connection=connection,
        target_metadata=[games, deal_tables.metadata],
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
