"""Two workers with Redis down, Redis hanging and a frozen worker. Long form: `make soak PART=workers`."""

from __future__ import annotations

from pathlib import Path

from tools.services import Postgres
from tools.soak.fork_server import ForkServer
from tools.soak.workers import upset


async def test_play_continues_while_a_worker_is_frozen_and_nothing_is_written_twice(
    fork_server: ForkServer, postgres: Postgres, tmp_path: Path
) -> None:
    kinds = ("redis down", "redis hangs", "worker frozen")
    run = await upset(fork_server, postgres, tmp_path, faults=3, seconds=0.5, seed=7, tables=2, kinds=kinds)
    print(run)
    assert run.tally.wrong == []
    assert set(run.faults) == set(kinds)
