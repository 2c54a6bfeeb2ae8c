"""The long form of tests/cluster: hundreds of races, killed workers, rolling restarts while many play."""

from __future__ import annotations

from tests.cluster import scenarios
from tools.cluster import Cluster


async def test_a_thousand_races_for_one_version(cluster: Cluster) -> None:
    raced = 0
    while raced < 1000:
        raced += await scenarios.race(cluster, rounds=min(100, 1000 - raced))


async def test_many_bots_and_clocks_on_three_sweepers(cluster: Cluster) -> None:
    await scenarios.sweep(cluster, tables=24, clock_moves=5, bot_moves=30)


async def test_workers_killed_repeatedly(cluster: Cluster) -> None:
    await scenarios.kill(cluster, times=10)


async def test_three_rolling_restarts_under_load(cluster: Cluster) -> None:
    accepted, resumed = await scenarios.roll_under_load(cluster, games=16, rounds=3)
    assert accepted > 1000
    assert resumed > 16
