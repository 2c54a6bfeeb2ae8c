"""What processes use: CPU to the nanosecond, memory, and what the server itself counts."""

from __future__ import annotations

import os
import re
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil

from tools.cluster import Worker
from tools.services import RedisServer

__all__ = ["BusCount", "cpu", "load_of_others", "memory", "metric", "pin", "tree"]

# What the workers count themselves: messages handed to the bus, and messages taken from it.
SENT, DELIVERED = "cartagena_bus_sent_total", "cartagena_bus_delivered_total"


def tree(pid: int) -> list[int]:
    """The process and all below it."""
    process = psutil.Process(pid)
    return [pid, *(child.pid for child in process.children(recursive=True))]


def cpu(pids: Iterable[int]) -> float:
    """Seconds of CPU that all threads of these processes have used: psutil counts in hundredths only."""
    used = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            used += int(task.read_text().split()[0])
    return used / 1e9


def memory(pid: int) -> float:
    """Megabytes that the process itself holds."""
    return float(psutil.Process(pid).memory_info().rss) / 2**20


def metric(port: int, name: str) -> float:
    """The sum of a metric over its labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        text = answer.read().decode()
    return sum(
        float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text, re.MULTILINE)
    )


class BusCount:
    """What goes through Redis from now on: by its own statistics, and by what the workers count."""

    def __init__(self, redis: RedisServer, workers: Sequence[Worker]) -> None:
        self._redis = redis
        self._workers = workers
        self._before = self._now()

    def _now(self) -> dict[str, float]:
        said = self._redis.command("INFO", "everything").decode()
        calls = re.findall(r"^cmdstat_s?publish:calls=(\d+)", said, re.MULTILINE)
        found = {"published": float(sum(map(int, calls)))}
        for way in ("input", "output"):
            count = re.search(rf"^total_net_{way}_bytes:(\d+)", said, re.MULTILINE)
            found[f"{way}_bytes"] = float(count[1]) if count else 0.0
        for name, counter in (("sent", SENT), ("delivered", DELIVERED)):
            found[name] = sum(metric(worker.port, counter) for worker in self._workers)
        return found

    def an_action(self, actions: int) -> dict[str, float]:
        now = self._now()
        return {name: (now[name] - before) / actions for name, before in self._before.items()}


def pin(pids: Iterable[int], cores: set[int]) -> None:
    """All threads of these processes onto these cores; those that they start later follow."""
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").glob("*"):
            with suppress(ProcessLookupError):  # a helper of PostgreSQL's that has ended since
                os.sched_setaffinity(int(task.name), cores)


def _busy() -> float:
    """Seconds that the cores of the machine have worked, for anybody."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - getattr(times, "iowait", 0.0) - getattr(times, "guest", 0.0))


@contextmanager
def load_of_others(to: dict[str, Any], name: str) -> Iterator[None]:
    """Notes how busy the machine was with what is not ours: its load before, and the share of its cores meanwhile.

    What we started ourselves must have ended with the block: only then is its CPU known to be ours.
    """
    load = os.getloadavg()[0]
    began, busy, own = perf_counter(), _busy(), sum(os.times()[:4])
    yield
    seconds = perf_counter() - began
    others = _busy() - busy - (sum(os.times()[:4]) - own)
    to[name] = {
        "load_before": load,
        "others": max(0.0, others / seconds / (os.cpu_count() or 1)),
        "seconds": seconds,
    }
