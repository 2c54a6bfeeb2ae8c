"""Network faults: the frames that each client received are a prefix of the log. Long form: `make soak PART=network`."""

from __future__ import annotations

from pathlib import Path

from tools.soak.fork_server import ForkServer
from tools.soak.network import KINDS, disturb


async def test_play_continues_through_every_network_fault(
    fork_server: ForkServer, sqlite_url: str, tmp_path: Path
) -> None:
    run = await disturb(fork_server, sqlite_url, tmp_path, faults=len(KINDS), seed=7, tables=2)
    print(run)
    assert run.tally.wrong == []
    assert set(run.faults) == set(KINDS)
    assert run.cut > 0
    assert run.doubled > 0
