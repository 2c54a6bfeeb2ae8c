"""Real servers for tests, benchmarks and a local cluster: PostgreSQL and Redis, both from PyPI."""

from tools.services.postgres import Postgres
from tools.services.processes import ServiceError
from tools.services.redis_server import RedisServer

__all__ = ["Postgres", "RedisServer", "ServiceError"]
