"""Bringing a database to the tables this release expects: Alembic on the server's own engine."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.paths import MIGRATIONS

__all__ = ["downgrade", "upgrade"]

_LOCK = 4_711_000_001  # any number that is ours: several workers may start at once


async def upgrade(engine: AsyncEngine, revision: str = "head") -> None:
    """Up to a revision; nothing to do is quick."""
    async with engine.begin() as run:
        if engine.dialect.name == "postgresql":
            await run.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        await run.run_sync(lambda connection: command.upgrade(_config(connection), revision))


async def downgrade(engine: AsyncEngine, revision: str) -> None:
    """Down to a revision; what only newer tables hold is lost."""
    async with engine.begin() as run:
        await run.run_sync(lambda connection: command.downgrade(_config(connection), revision))


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    return config
