"""What processes use: CPU to the nanosecond, memory, and what the server itself counts."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterable
from pathlib import Path

import psutil

__all__ = ["cpu", "memory", "metric", "tree"]


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
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    return sum(
        float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? ([0-9.e+]+)$", text, re.MULTILINE)
    )
