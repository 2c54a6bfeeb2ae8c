"""Three workers on one PostgreSQL and one Redis: any socket on any worker, and the log arbitrates."""

from __future__ import annotations

import asyncio
import re

import httpx
import orjson
from websockets.asyncio.client import ClientConnection

from bench.scaling.meters import metric
from tests.cluster import scenarios
from tests.cluster.workers import TIMEOUT_SECONDS, PersistentClient, clients_at, log_of, reconnect_at
from tests.sockets.client import play_out
from tools.cluster import Cluster


async def test_a_whole_game_with_players_on_two_workers_and_spectators_on_the_third(cluster: Cluster) -> None:
    one, two, three = cluster.workers
    async with clients_at(one.base, three.base) as (clients, watchers):
        ann, bo = await clients.game(2, "tortuga")
        await bo.leave()
        bo = await reconnect_at(clients, bo, two)
        spectators = [await (await watchers.person()).join(ann.game) for _ in range(2)]
        await ann.until(lambda: ann.of("presence")[-1]["watching"] == 2)
        await play_out([ann, bo])
        everyone = [ann, bo, *spectators]
        await asyncio.gather(*(each.sees("status", "finished") for each in everyone))
        for each in everyone:
            assert (each.seq, each.view, each.table["result"]) == (ann.seq, ann.view, ann.table["result"])
            numbers = [message["seq"] for message in each.log if message["t"] in ("events", "table")]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        async with httpx.AsyncClient() as http:
            addresses = [f"{worker.base}/api/v1/games/{ann.game}/record" for worker in cluster.workers]
            first, *others = [(await http.get(address)).json() for address in addresses]
        assert [first, first] == others
        _, entries = await log_of(cluster, ann.game)
        assert [entry.seq for entry in entries] == list(range(1, ann.seq + 1))


async def test_one_of_two_racing_commands_is_accepted_and_the_other_gets_the_state(
    cluster: Cluster,
) -> None:
    assert await scenarios.race(cluster, rounds=12) == 12


async def test_bots_and_clocks_run_once_with_three_sweeping_workers(cluster: Cluster) -> None:
    await scenarios.sweep(cluster, tables=4, clock_moves=1, bot_moves=4)


async def test_clients_survive_a_worker_killed_during_a_command(cluster: Cluster) -> None:
    await scenarios.kill(cluster, times=1)


async def test_rolling_restart_under_load_loses_and_duplicates_nothing(cluster: Cluster) -> None:
    accepted, resumed = await scenarios.roll_under_load(cluster, games=4, rounds=1)
    assert accepted > 0
    assert resumed > 0, "no client was on a restarted worker"


async def test_game_survives_a_redis_restart(cluster: Cluster) -> None:
    one, two, three = cluster.workers
    async with clients_at(one.base, three.base) as (clients, lookers):
        ann, bo = await clients.game(2, "tortuga")
        await bo.leave()
        bo = await reconnect_at(clients, bo, two)
        looker = await lookers.person()
        async with await looker.open("/ws/lobby") as lobby:
            await lobby.send(orjson.dumps({"do": "hello", "v": 2}).decode())
            await play_out([ann, bo], actions=4)

            cluster.redis.pause()
            await play_out([ann, bo], actions=4)  # each reaches the other worker by the heads
            await ann.command("chat", text="can you hear me?")
            cy = await clients.person()
            opened = await clients.open_table(cy, "jamaica", title="opened in silence")
            await cy.join(opened)
            await cy.command("sit")  # lists show tables with a waiting player
            cluster.redis.start(cluster.redis.port)

            await bo.until(lambda: bo.of("chat"), TIMEOUT_SECONDS)
            assert [line["text"] for line in bo.of("chat")] == ["can you hear me?"]
            await wait_until_listed(lobby, opened)
        await play_out([ann, bo], actions=6)
        assert ann.seq == bo.seq


async def wait_until_listed(lobby: ClientConnection, game: str) -> None:
    """Wait until the lobby lists this table."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        async for frame in lobby:
            message = orjson.loads(frame)
            rows = [*message.get("open", ()), message.get("room", {})]
            if any(row.get("id") == game for row in rows):
                return
    raise AssertionError("the lobby closed")


def sockets_at(cluster: Cluster) -> list[float]:
    return [metric(worker.port, "cartagena_sockets") for worker in cluster.workers]


async def test_table_moves_when_its_worker_dies_and_continues_when_it_returns(
    cluster: Cluster,
) -> None:
    empty = sockets_at(cluster)
    async with clients_at(cluster.base) as (clients,):
        people = [PersistentClient(client) for client in await clients.game(3, "tortuga")]
        clients_of = [each.client for each in people]
        before = sockets_at(cluster)
        assert sorted(now - then for now, then in zip(before, empty, strict=True)) == [0, 0, 3]
        home = cluster.workers[max(range(3), key=lambda n: before[n] - empty[n])]
        sent = await count_when_idle(cluster)
        await play_out(clients_of, actions=20)
        assert redis_messages(cluster) - sent < 5, "no other worker has the table"

        home.kill()
        for each in people:
            await each.client.is_closed()
            await each.ensure_connected()
        now = {
            worker: metric(worker.port, "cartagena_sockets") for worker in cluster.workers if worker.is_alive
        }
        assert 3 in now.values(), "all of them on one other worker"
        await play_out(clients_of, actions=6)

        cluster.heal()
        await play_out(clients_of, actions=6)
        await people[0].client.leave()
        await people[0].client.join(people[0].client.game, resume=True)
        await play_out(clients_of, actions=6)
        assert len({client.seq for client in clients_of}) == 1


def redis_messages(cluster: Cluster) -> int:
    """Return the number of messages published since Redis started."""
    found = re.search(r"cmdstat_publish:calls=(\d+)", cluster.redis.command("INFO", "commandstats").decode())
    return int(found[1]) if found else 0


async def count_when_idle(cluster: Cluster) -> int:
    """The same, once nothing has been said for a second: of seats that were taken, of rooms that were put away."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        sent = -1
        while sent != (now := redis_messages(cluster)):
            sent = now
            await asyncio.sleep(1)
    return sent


async def test_workers_share_state_behind_the_proxy(cluster: Cluster) -> None:
    async with clients_at(cluster.base) as (clients,):
        ann, bo = await clients.game(2, "jamaica")
        async with httpx.AsyncClient(base_url=cluster.base) as http:
            for _ in range(2 * len(cluster.workers)):
                state = (await http.get(f"/api/v1/games/{ann.game}")).json()
                assert state["seq"] >= ann.seq
            answer = await http.get("/metrics")
            assert answer.status_code == 404, "the proxy is no way to the operator's page"
        assert bo.table["status"] == "running"
