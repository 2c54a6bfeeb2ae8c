"""Fixtures: a database for rated games."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.store.database import open_database
from tests.store.ratings.rated_games import RatedSite


@pytest.fixture
async def rated(migrated_url: str) -> AsyncIterator[RatedSite]:
    database = open_database(migrated_url)
    yield RatedSite(database)
    await database.close()
