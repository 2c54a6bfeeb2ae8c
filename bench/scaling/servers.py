"""The servers under test: complete, with sessions, limits, hidden hands, durable commits and metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.cluster import Worker

__all__ = ["ROOMY", "alone"]

# All people of a bench come from one address, and each of them is faster than a person.
ROOMY: dict[str, Any] = {
    "requests_per_second": 100_000.0,
    "requests_burst": 100_000,
    "writes_per_second": 100_000.0,
    "writes_burst": 100_000,
    "guests_per_hour": 1_000_000,
    "frames_per_second": 100_000.0,
    "frames_burst": 100_000,
    "sockets_per_address": 20_000,
    "log_level": "warning",
}


@contextmanager
def alone(folder: Path, file: str = "bench.db", **settings: object) -> Iterator[Worker]:
    """One server on SQLite."""
    given = {**ROOMY, "database": f"sqlite:///{folder / file}", **settings}
    server = Worker(1, folder, given)
    server.log.unlink(missing_ok=True)  # its address is read from there, not that of the one before
    server.start()
    try:
        yield server
    finally:
        server.stop()
