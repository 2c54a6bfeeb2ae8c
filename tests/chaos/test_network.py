"""A network that misbehaves: what each client saw is a prefix of the log. Long form: `make soak PART=network`."""

from __future__ import annotations

from pathlib import Path

from tools.soak.network import KINDS, disturb
from tools.soak.nursery import Nursery


async def test_every_fault_of_the_network_once(nursery: Nursery, sqlite_url: str, tmp_path: Path) -> None:
    run = await disturb(nursery, sqlite_url, tmp_path, faults=len(KINDS), seed=7, tables=2)
    print(run)
    assert run.tally.wrong == []
    assert set(run.faults) == set(KINDS)
    assert run.cut > 0
    assert run.doubled > 0
