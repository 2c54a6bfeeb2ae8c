"""A cluster on one machine without Docker: PostgreSQL, Redis, several workers and Caddy (`make cluster`)."""

from tools.cluster.cluster import Cluster
from tools.cluster.worker import Worker

__all__ = ["Cluster", "Worker"]
