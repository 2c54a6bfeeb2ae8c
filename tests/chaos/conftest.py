"""The fork server: servers of these tests are forked, so that killing and starting them is cheap."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.soak.fork_server import ForkServer


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    with ForkServer() as forking:
        yield forking
