"""A network that misbehaves: what each client saw is a prefix of the log. Long form: `make soak PART=network`."""

from __future__ import annotations

from pathlib import Path

from tools.soak.fork_server import ForkServer
from tools.soak.network import KINDS, disturb


async def test_every_fault_of_the_network_once(
    fork_server: ForkServer, sqlite_url: str, tmp_path: Path
) -> None:
    run = await disturb(fork_server, sqlite_url, tmp_path, faults=len(KINDS), seed=7, tables=2)
    print(run)
    assert run.tally.wrong == []
    assert set(run.faults) == set(KINDS)
    assert run.cut > 0
    assert run.doubled > 0
