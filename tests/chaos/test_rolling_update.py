"""Old and new workers on one log: an update under play. Long form: `make soak PART=rolling`."""

from __future__ import annotations

from pathlib import Path

from tools.services import Postgres
from tools.soak.fork_server import ForkServer
from tools.soak.rolling import UNKNOWN_RULES, roll


async def test_games_that_began_under_the_old_release_end_under_the_new_and_nobody_is_lost(
    fork_server: ForkServer, postgres: Postgres, tmp_path: Path
) -> None:
    run = await roll(fork_server, postgres, tmp_path, seed=11, tables=1)
    print(run)
    assert run.tally.wrong == []
    assert run.began == {"old": 2, "new, unsealed": 2, "new, sealed": 1}
    assert run.ended == run.verified == run.began.total()
    assert run.updates == {"new after SIGTERM": 3}
    assert run.closes[UNKNOWN_RULES] > 0, "the old worker refused the sealed table knowingly"
    assert run.tally.acknowledged > 0
