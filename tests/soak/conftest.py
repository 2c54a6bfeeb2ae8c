"""Long tests share the servers of the short ones: the browser's house, the cluster's three workers."""

from __future__ import annotations

from tests.browser.conftest import house, person, wardrobe
from tests.cluster.conftest import cluster, shared_cluster

__all__ = ["cluster", "house", "person", "shared_cluster", "wardrobe"]
