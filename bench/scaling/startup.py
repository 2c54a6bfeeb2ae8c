"""From `cartagena serve` to ready, with no game stored and with a hundred thousand."""

from __future__ import annotations

import tempfile
import urllib.request
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.scaling.meters import memory
from bench.scaling.servers import alone
from bench.scaling.stored import game_id, stock

__all__ = ["startup"]

ROUNDS = 3
ENTRIES = 25  # of each stored game: a file of half a gigabyte


def _fetched(address: str) -> float:
    """Milliseconds of a GET."""
    began = perf_counter()
    with urllib.request.urlopen(address) as answer:
        answer.read()
    return 1000 * (perf_counter() - began)


def startup(games: int = 100_000) -> list[dict[str, Any]]:
    found = []
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as name:
        folder = Path(name)
        began = perf_counter()
        file = stock(folder, games, "full.db", ENTRIES)
        filled = perf_counter() - began
        stock(folder, 1, "empty.db", ENTRIES)
        for label, count in (("empty.db", 1), ("full.db", games)):
            for _ in range(ROUNDS):
                began = perf_counter()
                with alone(folder, label) as server:
                    ready = perf_counter() - began
                    first = _fetched(f"{server.base}/api/v1/games/{game_id(0)}")
                    found.append(
                        {
                            "games": count,
                            "entries": ENTRIES,
                            "ready_s": ready,
                            "mb": memory(server.pid),
                            "first_game_ms": first,
                            "second_game_ms": _fetched(f"{server.base}/api/v1/games/{game_id(0)}"),
                            "list_ms": _fetched(f"{server.base}/api/v1/games?list=watch"),
                            "file_mb": file.stat().st_size / 2**20 if count > 1 else 0,
                            "fill_s": filled if count > 1 else 0,
                        }
                    )
    return found
