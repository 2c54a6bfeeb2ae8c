"""A store on each kind of database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.store.engine import make_engine
from app.store.games.store import SqlGameStore, open_store
from app.store.migrate import upgrade


@pytest.fixture
async def migrated_url(database_url: str) -> str:
    engine = make_engine(database_url)
    await upgrade(engine)
    await engine.dispose()
    return database_url


@pytest.fixture
async def store(migrated_url: str) -> AsyncIterator[SqlGameStore]:
    async with open_store(migrated_url, lambda seconds, entries: None) as opened:
        yield opened
