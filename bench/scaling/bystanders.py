"""Tables that go on playing beside what happens to others, in a process of their own: how long their people wait.

python -m bench.scaling.bystanders PORT TABLES RATE; a line on its input ends a window, whose waits it then prints.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from time import perf_counter
from types import TracebackType
from typing import IO, Any

import uvloop

from bench.scaling.table_group import TableGroup, percentile

__all__ = ["Bystanders"]

PLAYERS = 4
_ACTIONS, _LIMIT = 100_000, 600.0  # more than anybody waits for
_LOOK = 0.002


class Bystanders:
    """Started by `with`, playing from then on."""

    def __init__(self, port: int, tables: int, rate: float) -> None:
        command = [sys.executable, "-m", __name__, str(port), str(tables), str(rate)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._told: IO[str] = self._process.stdin
        self._heard: IO[str] = self._process.stdout

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Bystanders:
        try:
            self._answer()  # all are seated
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._told.close()
        self._heard.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def window(self) -> dict[str, Any]:
        """What they waited since this was last asked."""
        self._told.write("\n")
        self._told.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._heard.readline()
        if not line:
            raise RuntimeError(f"those who were to play on ended with {self._process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found


class _Lateness:
    """How late this process itself is, asked every two milliseconds: its share of what its people wait for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._found: list[float] = []
        self._look_later()

    def _look_later(self) -> None:
        self._due = perf_counter() + _LOOK
        self._loop.call_later(_LOOK, self._look)

    def _look(self) -> None:
        self._found.append(perf_counter() - self._due)
        self._look_later()

    def taken(self) -> list[float]:
        """Since this was last asked."""
        found, self._found = self._found, []
        return found


async def _play(port: int, tables: int, rate: float) -> None:
    group = TableGroup([port])
    await group.open_tables(tables, PLAYERS)
    playing = asyncio.create_task(group.play(_ACTIONS, rate, _LIMIT))
    playing.add_done_callback(lambda done: done.exception() and sys.exit(str(done.exception())))
    print("{}", flush=True)
    loop, begin = asyncio.get_running_loop(), 0
    late = _Lateness(loop)
    while await loop.run_in_executor(None, sys.stdin.readline):
        if group.refused:
            sys.exit(f"refused: {group.refused[0][:300]!r}")
        now = perf_counter()
        waits, begin = group.latencies[begin:], len(group.latencies)
        waits += [now - table.began for table in group.tables if table.missing]  # so long at least
        found = {
            "actions": len(waits),
            "p50_ms": 1000 * percentile(waits, 0.5),
            "p99_ms": 1000 * percentile(waits, 0.99),
            "most_ms": 1000 * max(waits, default=0.0),
            "own_p99_ms": 1000 * percentile(late.taken(), 0.99),
        }
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    uvloop.run(_play(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
