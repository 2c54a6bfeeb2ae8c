"""The fork server: servers for these tests are forked, so that a kill and a start cost little."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.soak.fork_server import ForkServer


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    with ForkServer() as forking:
        yield forking
