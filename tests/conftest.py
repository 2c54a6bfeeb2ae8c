"""Fixtures for all tests: real databases, a real Redis, a real browser. Nothing is skipped."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from hypothesis import HealthCheck, settings

from tests.databases import Databases
from tests.slow_tests import sort_slowest_first
from tools.find_chromium import FLAGS, find, find_for_playwright
from tools.services import Postgres, RedisServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.process_groups import ProcessGroups

# Slowness is not a failure: two busy cores make tests slow. CI runs the same cases every time; a developer's run
# generates new ones.
settings.register_profile(
    "cartagena",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("cartagena")

# Every httpx client loads all CA certificates, which takes 35 ms of CPU, although these servers use no TLS. Loading
# them once per process is enough.
pytest.MonkeyPatch().setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the tests if several processes share them; all of them sort alike."""
    shared = getattr(config, "workerinput", None)
    if shared is not None:
        sort_slowest_first(items, int(shared["workercount"]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ProcessGroups | None:
    """Distribute tests by the groups of tests/process_groups.py under `--dist loadscope`."""
    if config.getvalue("dist") != "loadscope":
        return None
    from tests.process_groups import ProcessGroups  # a run in one process needs no xdist

    return ProcessGroups(config, log)


def pytest_collection_finish() -> None:
    """Exclude modules and tests from garbage collection: they live to the end (as in app/cli.py)."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL per test process, started by the first test that uses it."""
    with Postgres() as server:
        yield server


@pytest.fixture(scope="session")
def databases(postgres: Postgres) -> Databases:
    return Databases(postgres)


@pytest.fixture
def postgres_url(postgres: Postgres, databases: Databases) -> Iterator[str]:
    """An empty database for this test; it may already have this release's tables."""
    name = databases.take()
    yield postgres.url(name)
    databases.give_back(name)


@pytest.fixture
def new_postgres_url(postgres: Postgres) -> Iterator[str]:
    """A newly created database."""
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """URL of a file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'cartagena.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Run the test twice, on an empty SQLite and an empty PostgreSQL database."""
    return str(request.getfixturevalue({"sqlite": "sqlite_url", "postgresql": "postgres_url"}[request.param]))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One Redis per test process."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """An empty Redis."""
    redis_server.flush()
    return redis_server.url


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Path of Chromium; if there is none, the error says how to get one."""
    return find()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium per test process: Playwright can be started only once in a process."""
    from playwright.sync_api import expect, sync_playwright  # most tests need no browser

    path = find_for_playwright()
    expect.set_options(timeout=40_000)  # two busy cores make pages slow
    with sync_playwright() as playwright:
        # Pages of a site share a process, so that a second page finds its scripts compiled.
        flags = [*FLAGS, "--process-per-site"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()
