"""kill -9 during play: every acknowledged action is in the log once, all clients converge, clocks are credited.

The long form is `make soak PART=kill-sqlite` and `PART=kill-postgresql`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tools.soak.fork_server import ForkServer
from tools.soak.kills import kill_under_play

SEED = 7


async def test_play_survives_kills_at_every_point_on_sqlite(
    fork_server: ForkServer, sqlite_url: str, tmp_path: Path
) -> None:
    plan = ["random", "before_append", "before_commit", "after_commit", "after_ack", "chatting"]
    plan += ["loading", "evicting"]
    run = await kill_under_play(
        fork_server, sqlite_url, tmp_path, plan=plan, seed=SEED, tables=2, in_a_row=True
    )
    print(run)
    assert run.tally.wrong == []
    assert run.kills == Counter(plan)
    assert run.tally.acknowledged > 20
    assert run.tally.credits > 0


async def test_play_survives_kills_around_the_commit_on_postgresql(
    fork_server: ForkServer, postgres_url: str, tmp_path: Path
) -> None:
    plan = ["random", "before_commit", "after_commit", "after_ack"]
    run = await kill_under_play(
        fork_server, postgres_url, tmp_path, plan=plan, seed=SEED, tables=2, in_a_row=True
    )
    print(run)
    assert run.tally.wrong == []
    assert run.kills == Counter(plan)
    assert run.tally.acknowledged > 10


async def test_work_claimed_by_a_dead_worker_is_done_by_the_next(
    fork_server: ForkServer, sqlite_url: str, tmp_path: Path
) -> None:
    """The server is killed with a bot's move leased; its successor does not wait for the lease to expire."""
    run = await kill_under_play(
        fork_server, sqlite_url, tmp_path, plan=["claiming"], seed=SEED, tables=1, bots=["cabin-boy"], pace=0
    )
    print(run)
    assert run.tally.wrong == []
    assert run.kills == {"claiming": 1}
