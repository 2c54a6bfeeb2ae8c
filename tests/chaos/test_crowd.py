"""A spectator that never reads is disconnected and can resume; all others miss nothing. Long: `PART=crowd`."""

from __future__ import annotations

from pathlib import Path

from tools.soak.crowd import freeze_one
from tools.soak.fork_server import ForkServer


async def test_a_frozen_spectator_does_not_slow_the_players(
    fork_server: ForkServer, sqlite_url: str, tmp_path: Path
) -> None:
    run = await freeze_one(fork_server, sqlite_url, tmp_path, spectators=40, actions=15, seed=7)
    print(run)
    assert run.tally.wrong == []
    assert run.drops == 1
    assert run.resumed
    assert run.reached == run.spectators
