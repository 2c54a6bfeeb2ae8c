"""Fixtures: a store on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.store.database import open_database
from app.store.games.store import SqlGameStore, open_store
from app.store.migrate import upgrade


@pytest.fixture
async def migrated_url(database_url: str) -> str:
    database = open_database(database_url)
    await upgrade(database)
    await database.close()
    return database_url


@pytest.fixture
async def store(migrated_url: str) -> AsyncIterator[SqlGameStore]:
    async with open_store(migrated_url, lambda seconds, entries: None) as opened:
        yield opened
