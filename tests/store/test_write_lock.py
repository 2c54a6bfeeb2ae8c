"""SQLite's write lock: who does not get it, and who keeps it."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.play.ports import StoreUnavailable
from app.store.engine import sqlite_file
from app.store.games import sqlite_writer
from app.store.games.store import open_store
from tests.databases import at_head
from tests.store.samples import append_of, new_game


@pytest.fixture
async def url(sqlite_url: str) -> str:
    await at_head(sqlite_url)
    return sqlite_url


@contextmanager
def rival(url: str) -> Iterator[sqlite3.Connection]:
    """Another process, say: it takes no turns."""
    connection = sqlite3.connect(sqlite_file(url), timeout=0, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


async def test_what_could_not_be_stored_is_logged_by_the_name_of_its_error(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sqlite_writer, "BUSY_SECONDS", 0)
    async with open_store(url, lambda seconds, entries: None) as store:
        row = await new_game(store)
        with rival(url) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable):
                await store.append(append_of(row, 2))
        assert await store.append(append_of(row, 2)) is True
    said = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert said == ["1 entries could not be stored: OperationalError SQLITE_BUSY"]
