"""A graceful restart under load: all clients are told to resume, and none is refused. Long: `PART=restart`."""

from __future__ import annotations

from pathlib import Path

from tools.soak.fork_server import ForkServer
from tools.soak.restart import restart_under_load


async def test_all_clients_are_told_to_resume(
    fork_server: ForkServer, sqlite_url: str, tmp_path: Path
) -> None:
    run = await restart_under_load(fork_server, sqlite_url, tmp_path, restarts=2, seed=7, tables=2)
    print(run)
    assert run.tally.wrong == []
    assert run.refusals == []
    assert set(run.byes) == {"resume"}
    assert set(run.codes) == {4000}
    assert all(run.pauses.values())
