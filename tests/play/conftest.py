"""Fixtures for tests of rooms: a stage on SQLite. Tests of the store run on both databases elsewhere."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.bus.local import Hub
from app.store.database import open_database
from app.store.migrate import upgrade
from tests.play.stage import Stage, open_stage


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an empty database with all tables, once; each test copies it."""
    file = tmp_path_factory.mktemp("migrated") / "empty.db"

    async def make() -> None:
        database = open_database(f"sqlite:///{file}")
        await upgrade(database)
        await database.close()

    asyncio.run(make())
    return file


@pytest.fixture
def ready_url(migrated: Path, tmp_path: Path) -> str:
    shutil.copy(migrated, tmp_path / "cartagena.db")
    return f"sqlite:///{tmp_path / 'cartagena.db'}"


@pytest.fixture
async def stage(ready_url: str) -> AsyncIterator[Stage]:
    async with open_stage(ready_url, migrate=False) as opened:
        yield opened


@pytest.fixture
async def shared_stage(ready_url: str) -> AsyncIterator[Stage]:
    """A stage whose game server is one of several workers."""
    async with open_stage(ready_url, hub=Hub(), migrate=False) as opened:
        yield opened
