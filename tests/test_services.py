"""PostgreSQL and Redis servers of the tests: real, empty for every test, stopped afterwards."""

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
from sqlalchemy import Connection, text

import tools.services.postgres
from app.store.database import open_database
from app.store.migrate import upgrade
from tests.databases import Databases, connect
from tools.services import Postgres, RedisServer

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("iteration", ["first", "second"])
async def test_every_test_gets_an_empty_database(database_url: str, iteration: str) -> None:
    def use(run: Connection) -> list[str]:
        run.execute(text("CREATE TABLE pirate (name TEXT)"))
        run.execute(text("INSERT INTO pirate VALUES (:name)"), {"name": iteration})
        return list(run.scalars(text("SELECT name FROM pirate")))

    database = open_database(database_url)
    assert await database.write(use) == [iteration]
    await database.close()


async def test_pooled_database_is_emptied_and_dropped_if_its_tables_changed(
    postgres: Postgres,
) -> None:
    databases = Databases(postgres)
    first = databases.take()
    database = open_database(postgres.url(first))
    await upgrade(database)
    async with connect(database) as left_open:
        await left_open.execute(text("INSERT INTO heads VALUES ('game', 1, '0', NULL, 2)"))
        await left_open.commit()
        databases.give_back(first)
    await database.close()
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


def test_postgres_keeps_its_data_after_kill_9() -> None:
    with Postgres(durable=True) as server:
        server.sql("CREATE TABLE log (seq INT); INSERT INTO log VALUES (1)")
        server.kill()
        server.restart()
        assert server.sql("SELECT seq FROM log") == "1"


def test_postgres_runs_from_a_copy_if_its_user_cannot_read_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Only the programs are out of reach, as in an environment under /root; the data folder is not.
    monkeypatch.setattr(tools.services.postgres, "_reachable_by_others", lambda path: path.name != "bin")
    with Postgres() as server:
        assert server.sql("SELECT 6 * 7") == "42"


async def test_redis_restarts_on_its_port() -> None:
    with RedisServer() as server:
        async with Redis.from_url(server.url) as client:
            assert await client.publish("games", "7") == 0
        port = server.port
        server.pause()
        server.start(port)
        assert server.url.endswith(f":{port}/0")


START_SERVERS_AND_WAIT = """
import time
from tools.services import Postgres, RedisServer
postgres, redis = Postgres().start(), RedisServer().start()
print(postgres.pid, redis.pid, flush=True)
time.sleep(60)
"""


def test_killed_test_run_leaves_no_server_behind() -> None:
    run = subprocess.Popen(
        [sys.executable, "-c", START_SERVERS_AND_WAIT], cwd=ROOT, stdout=subprocess.PIPE, text=True
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
    """A zombie that has not been reaped is not alive."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
