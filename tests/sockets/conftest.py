"""Real servers and crews for tests over sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.sockets.harbour import Running, in_process
from tests.sockets.sailor import Crew
from tools.soak.nursery import Nursery


@pytest.fixture
async def server(database_url: str) -> AsyncIterator[Running]:
    """The whole server on each kind of database."""
    async with in_process(database_url) as running:
        yield running


@pytest.fixture
async def crew(server: Running) -> AsyncIterator[Crew]:
    sailors = Crew(server)
    yield sailors
    await sailors.close()


@pytest.fixture
async def light_server(sqlite_url: str) -> AsyncIterator[Running]:
    """The whole server on SQLite alone, where the database is not the point."""
    async with in_process(sqlite_url) as running:
        yield running


@pytest.fixture
async def light_crew(light_server: Running) -> AsyncIterator[Crew]:
    sailors = Crew(light_server)
    yield sailors
    await sailors.close()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Where servers are forked that tests stop, kill and start again."""
    with Nursery() as forking:
        yield forking
