"""Long tests share the servers of the short ones: one game server for browsers, the cluster's three workers."""

from __future__ import annotations

from tests.browser.conftest import context_pool, game_server, person
from tests.cluster.conftest import cluster, shared_cluster

__all__ = ["cluster", "context_pool", "game_server", "person", "shared_cluster"]
