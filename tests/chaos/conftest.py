"""The nursery: servers for these tests are forked, so that a kill and a start cost little."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tools.soak.nursery import Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery() as forking:
        yield forking
