"""One cluster per test process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.workers import three_workers
from tools.cluster import Cluster
from tools.services import Postgres


@pytest.fixture(scope="session")
def shared_cluster(postgres: Postgres) -> Iterator[Cluster]:
    with three_workers(postgres) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Cluster:
    """Three live workers, whatever the previous test did to them."""
    shared_cluster.heal()
    return shared_cluster
