"""Servers and clients for tests over sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.sockets.client import Clients
from tests.sockets.running_server import RunningServer, in_process
from tools.soak.fork_server import ForkServer


@pytest.fixture
async def server(database_url: str) -> AsyncIterator[RunningServer]:
    """The whole server, once per kind of database."""
    async with in_process(database_url) as running:
        yield running


@pytest.fixture
async def clients(server: RunningServer) -> AsyncIterator[Clients]:
    seated = Clients(server)
    yield seated
    await seated.close()


@pytest.fixture
async def light_server(sqlite_url: str) -> AsyncIterator[RunningServer]:
    """The whole server on SQLite, for tests that do not depend on the database."""
    async with in_process(sqlite_url) as running:
        yield running


@pytest.fixture
async def light_clients(light_server: RunningServer) -> AsyncIterator[Clients]:
    seated = Clients(light_server)
    yield seated
    await seated.close()


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """The process from which servers are forked that tests stop, kill and restart."""
    with ForkServer() as forking:
        yield forking
