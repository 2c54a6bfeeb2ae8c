"""One cluster for all tests of this folder that a process of the run takes."""

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
    """Three workers that live, whatever the test before did to them."""
    shared_cluster.heal()
    return shared_cluster
