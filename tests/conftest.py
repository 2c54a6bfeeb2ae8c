"""What every test may ask for: real databases, a real Redis, a real browser. Nothing is skipped."""

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
from tests.longest import longest_first
from tools.find_chromium import FLAGS, find, find_for_playwright
from tools.services import Postgres, RedisServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.together import Together

# Two busy cores make honest tests slow: slowness is no failure here. CI, which decides over a change,
# tries the same cases every time; a developer's run looks for new ones.
settings.register_profile(
    "cartagena",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("cartagena")

# Every client of httpx reads the certificates of all authorities: 35 ms of a core, thousands of times, for
# servers on this machine that are reached without TLS. Once a process is enough.
pytest.MonkeyPatch().setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where several processes share the tests (each of them sorts, and all alike); alone they stay in order."""
    shared = getattr(config, "workerinput", None)
    if shared is not None:
        longest_first(items, int(shared["workercount"]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together | None:
    """`--dist loadscope` hands tests out as tests/together.py says."""
    if config.getvalue("dist") != "loadscope":
        return None
    from tests.together import Together  # a run in one process needs no xdist

    return Together(config, log)


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: the collector need not look through them again and again (app/cli.py)."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL for each worker of the run, started by the first test that asks for it."""
    with Postgres() as server:
        yield server


@pytest.fixture(scope="session")
def databases(postgres: Postgres) -> Databases:
    return Databases(postgres)


@pytest.fixture
def postgres_url(postgres: Postgres, databases: Databases) -> Iterator[str]:
    """A database of this test's own without a row; it may have this release's tables already."""
    name = databases.take()
    yield postgres.url(name)
    databases.give_back(name)


@pytest.fixture
def new_postgres_url(postgres: Postgres) -> Iterator[str]:
    """A database that nobody has ever used."""
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A file that is not there yet."""
    return f"sqlite+aiosqlite:///{tmp_path / 'cartagena.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The test runs twice: once on each kind of database, each time on one of its own without a row."""
    return str(request.getfixturevalue({"sqlite": "sqlite_url", "postgresql": "postgres_url"}[request.param]))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """One Redis for each worker of the run."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """An empty Redis."""
    redis_server.flush()
    return redis_server.url


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser; where there is none this fails with a sentence that says how to get one."""
    return find()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for each worker of the run: Playwright can be started only once in a process."""
    from playwright.sync_api import expect, sync_playwright  # most tests need no browser

    path = find_for_playwright()
    expect.set_options(timeout=40_000)  # two busy cores make honest pages slow
    with sync_playwright() as playwright:
        # Pages of one person and one site share a process: a second page finds its scripts compiled.
        flags = [*FLAGS, "--process-per-site"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()
