"""The servers the tests stand on: real, fresh for every test, gone afterwards."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import asyncpg
import psutil
import pytest
from redis.asyncio import Redis
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

import tools.services.postgres
from app.store.engine import make_engine
from app.store.migrate import upgrade
from tests.databases import Databases
from tools.services import Postgres, RedisServer

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("time_of_asking", ["first", "second"])
async def test_every_test_gets_an_empty_database(database_url: str, time_of_asking: str) -> None:
    engine = create_async_engine(database_url)
    async with engine.begin() as connection:
        await connection.execute(text("CREATE TABLE pirate (name TEXT)"))
        await connection.execute(text("INSERT INTO pirate VALUES (:name)"), {"name": time_of_asking})
        assert (await connection.execute(text("SELECT name FROM pirate"))).scalars().all() == [time_of_asking]
    await engine.dispose()


async def test_a_database_is_handed_on_without_a_row_and_one_with_other_tables_is_not(
    postgres: Postgres,
) -> None:
    databases = Databases(postgres)
    first = databases.take()
    engine = make_engine(postgres.url(first))
    await upgrade(engine)
    async with engine.connect() as left_open:
        await left_open.execute(text("INSERT INTO heads VALUES ('game', 1, '0', NULL, 2)"))
        await left_open.commit()
        databases.give_back(first)
    await engine.dispose()
    assert databases.take() == first
    assert postgres.sql("SELECT count(*) FROM heads", first) == "0"
    postgres.sql("CREATE TABLE pirate (name TEXT)", first)
    databases.give_back(first)
    assert databases.take() != first


async def test_a_database_can_be_cloned_from_a_prepared_one(postgres: Postgres) -> None:
    prepared = postgres.create_database()
    postgres.sql("CREATE TABLE sloop (seats INT); INSERT INTO sloop VALUES (6)", prepared)
    clone = postgres.create_database(template=prepared)
    connection = await asyncpg.connect(postgres.url(clone, driver="postgresql"))
    assert await connection.fetchval("SELECT seats FROM sloop") == 6
    await connection.close()
    for name in (clone, prepared):
        postgres.drop_database(name)


def test_postgres_comes_back_with_its_data_after_kill_9() -> None:
    with Postgres(durable=True) as server:
        server.sql("CREATE TABLE log (seq INT); INSERT INTO log VALUES (1)")
        server.kill()
        server.restart()
        assert server.sql("SELECT seq FROM log") == "1"


def test_postgres_runs_from_a_copy_where_its_user_cannot_reach_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Only the programs are out of reach, as in an environment under /root; the data folder is not.
    monkeypatch.setattr(tools.services.postgres, "_reachable_by_others", lambda path: path.name != "bin")
    with Postgres() as server:
        assert server.sql("SELECT 6 * 7") == "42"


async def test_redis_is_a_real_server_and_comes_back_on_its_port() -> None:
    with RedisServer() as server:
        async with Redis.from_url(server.url) as client:
            assert await client.publish("games", "7") == 0
        port = server.port
        server.pause()
        server.start(port)
        assert server.url.endswith(f":{port}/0")


STARTS_BOTH_AND_WAITS = """
import time
from tools.services import Postgres, RedisServer
postgres, redis = Postgres().start(), RedisServer().start()
print(postgres.pid, redis.pid, flush=True)
time.sleep(60)
"""


def test_no_server_outlives_a_run_that_was_killed() -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", STARTS_BOTH_AND_WAITS], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    servers = [int(pid) for pid in run.stdout.readline().split()]
    assert len(servers) == 2
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    limit = time.monotonic() + 10
    while any(is_alive(pid) for pid in servers) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not [pid for pid in servers if is_alive(pid)]


def is_alive(pid: int) -> bool:
    """A zombie that nobody has buried yet is not alive."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
