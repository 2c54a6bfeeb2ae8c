"""Database outages: nothing is acknowledged meanwhile, nothing is lost, and no player loses time.

The long form, 1 to 60 seconds each, is `make soak PART=database-sqlite` and `PART=database-postgresql`.
"""

from __future__ import annotations

from pathlib import Path

from tools.services import Postgres
from tools.soak.fork_server import ForkServer
from tools.soak.outages import take_away


async def test_play_survives_sqlite_locked_slow_and_full(fork_server: ForkServer, tmp_path: Path) -> None:
    run = await take_away(fork_server, tmp_path, seconds=[0.7], seed=7, tables=2)
    print(run)
    assert run.tally.wrong == []
    assert len(run.outages) == 3
    assert run.promised == 0
    assert run.told > 0


async def test_play_survives_postgresql_refusing_hanging_slow_read_only_and_full(
    fork_server: ForkServer, postgres: Postgres, tmp_path: Path
) -> None:
    run = await take_away(fork_server, tmp_path, seconds=[0.7], seed=7, tables=2, postgres=postgres)
    print(run)
    assert run.tally.wrong == []
    assert len(run.outages) == 5
    assert run.promised == 0
    assert run.told > 0
