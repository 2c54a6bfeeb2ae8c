"""Health, readiness, metrics and logs."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import sys
import threading
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import Connection

from app.play.ports import StoreUnavailable
from app.store.database import MAX_READERS, Database, PostgresDatabase
from app.web.health import DatabaseProbe
from app.web.logs import configure_logs
from tests.web.running_site import code_of, running


async def test_the_process_is_healthy_and_ready_until_it_drains(database_url: str) -> None:
    async with running(database_url) as site:
        browser = site.browser()
        assert (await browser.get("/healthz")).json()["status"] == "ok"
        assert (await browser.get("/readyz")).status_code == 200
        await site.site.drain()
        assert (await browser.get("/healthz")).status_code == 200
        assert (await browser.get("/readyz")).status_code == 503


async def test_readiness_requests_do_not_query_the_database(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(database_url) as site:
        probe: DatabaseProbe = site.app.state.database_probe
        await probe.refresh()  # over its own connection
        asked = 0
        ping = probe._ping

        async def counted() -> None:
            nonlocal asked
            asked += 1
            await ping()

        monkeypatch.setattr(probe, "_ping", counted)
        browser = site.browser()
        answers = [await browser.get("/readyz") for _ in range(200)]
        assert {answer.status_code for answer in answers} == {200}
        assert asked < 20


async def _hold_every_connection(database: Database, stack: AsyncExitStack) -> None:
    if isinstance(database, PostgresDatabase):
        pool: Any = database.engine.pool
        for _ in range(pool.size() + pool._max_overflow):
            await stack.enter_async_context(database.engine.connect())
        return
    is_over, begun = threading.Event(), threading.Barrier(MAX_READERS + 1)

    def hold(run: Connection) -> None:
        begun.wait(30)
        is_over.wait(30)

    readers = [asyncio.create_task(database.read(hold)) for _ in range(MAX_READERS)]
    stack.push_async_callback(asyncio.wait, readers)
    stack.callback(is_over.set)
    await asyncio.to_thread(begun.wait, 30)


async def test_a_busy_connection_pool_does_not_affect_readiness(database_url: str) -> None:
    async with running(database_url) as site, AsyncExitStack() as stack:
        probe: DatabaseProbe = site.app.state.database_probe
        await _hold_every_connection(site.site.people.database, stack)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await site.site.people.ping()
        probe._answered_at = -math.inf
        await probe.refresh()
        assert (await site.browser().get("/readyz")).status_code == 200


async def test_a_hanging_database_is_noticed_and_one_slow_ping_is_not_an_outage(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    pings: list[BaseException | None] = []

    async def ping() -> None:
        problem = pings.pop()
        if problem is not None:
            raise problem

    probe = DatabaseProbe(ping, lambda: now)
    async with running(sqlite_url) as site:
        monkeypatch.setattr(site.app.state, "database_probe", probe)
        browser = site.browser()
        steps: tuple[tuple[float, BaseException | None, int], ...] = (
            (1.0, TimeoutError(), 200),
            (3.0, TimeoutError(), 200),
            (2.0, TimeoutError(), 503),
            (1.0, None, 200),
            (0.1, StoreUnavailable(), 503),
            (1.0, None, 200),
            (1.0, RuntimeError("our fault"), 503),
        )
        for seconds, problem, expected in steps:
            now += seconds
            pings.append(problem)
            await probe.refresh()
            answer = await browser.get("/readyz")
            assert answer.status_code == expected, (now, problem)
            assert expected == 200 or answer.json()["why"] == "database"


async def test_without_its_database_the_server_is_alive_and_answers_503(database_url: str) -> None:
    async with running(database_url) as site:
        browser, _ = await site.guest()
        site.site.player_cache.clear()

        async def gone(*_: object) -> None:
            raise StoreUnavailable

        site.site.people.find_by_session = gone  # type: ignore[method-assign, assignment]
        assert (await browser.get("/healthz")).status_code == 200
        site.app.state.deals.store.find_deal = gone
        front_page = await site.browser().get("/")
        assert front_page.status_code == 200
        assert "deal-card" not in front_page.text
        answer = await browser.get("/api/v1/me")
        assert (answer.status_code, code_of(answer)) == (503, "try_again")
        assert "why" not in answer.json()["error"]
        # the server cannot know whether the write succeeded
        answer = await browser.post("/api/v1/resume-codes", json={})
        assert (answer.status_code, answer.json()["error"]["why"]) == (503, "unconfirmed")


async def test_drain_calls_each_handler_once_in_order(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        said: list[str] = []

        def part(name: str) -> object:
            async def say() -> None:
                assert not site.site.is_ready
                said.append(name)

            return say

        site.site.on_drain += [part("clients told"), part("log flushed")]  # type: ignore[list-item]
        await site.site.drain()
        await site.site.drain()
        assert said == ["clients told", "log flushed"]


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {"host": "localhost:8000"}, 200),
        ("::1", {"host": "[::1]:8000"}, 200),
        ("127.0.0.1", {"host": "evil.example:8000"}, 404),  # DNS rebinding
        ("127.0.0.1", {"host": ""}, 404),
        ("127.0.0.1", {"x-forwarded-for": "203.0.113.9"}, 404),
        ("127.0.0.1", {"via": "1.1 proxy"}, 404),
        ("203.0.113.9", {}, 404),
        ("203.0.113.9", {"x-forwarded-for": "127.0.0.1"}, 404),
        ("203.0.113.9", {"authorization": "Bearer wrong"}, 404),
        ("203.0.113.9", {"authorization": "Bearer "}, 404),
        ("203.0.113.9", {"authorization": "Bearer collector-token"}, 200),
    ],
)
async def test_viewers_cannot_reach_the_metrics(
    sqlite_url: str, address: str, headers: dict[str, str], status: int
) -> None:
    async with running(sqlite_url, metrics_token="collector-token", trusted_hops=1) as site:
        answer = await site.program(address, **headers).get("/metrics")
        assert answer.status_code == status
        if status == 404:
            assert code_of(answer) == "not_found"


async def test_metrics_are_hidden_without_a_token_and_with_loopback_off(sqlite_url: str) -> None:
    async with running(sqlite_url, metrics_loopback=False) as site:
        assert (await site.program("127.0.0.1").get("/metrics")).status_code == 404
        assert (await site.program("127.0.0.1", authorization="Bearer ").get("/metrics")).status_code == 404


async def test_metrics_count_responses_by_route_and_not_by_path(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        await site.browser().get("/api/v1/players/abcdefgh-secret-id")
        site.site.metrics.count_action("action")
        site.site.metrics.count_refusal("stale")
        site.site.metrics.count_commit(0.004, 3)
        site.site.metrics.count_dropped_socket()
        text = (await site.program("127.0.0.1", host="localhost").get("/metrics")).text
        assert "secret-id" not in text
        assert 'route="/api/v1/players/{player}"' in text
        for name in (
            "cartagena_rooms",
            "cartagena_sockets",
            'cartagena_actions_total{by="person",kind="action"} 1.0',
            'cartagena_refusals_total{code="stale"} 1.0',
            "cartagena_commit_seconds_count 1.0",
            "cartagena_committed_entries_total 3.0",
            "cartagena_outbox_drops_total 1.0",
            "cartagena_bus_sent_total 0.0",
            "cartagena_bus_delivered_total 0.0",
            "cartagena_bus_dropped_total 0.0",
        ):
            assert name in text, name


@pytest.fixture
def restored_logging() -> object:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    yield
    root.handlers[:], root.level = before[0], before[1]


def test_a_log_line_is_json_with_its_fields_and_hides_secrets(
    capsys: pytest.CaptureFixture[str], restored_logging: object
) -> None:
    configure_logs("info", "json")
    secrets = {
        "password": "hunter22",
        "resume_code": "AAAA",
        "cookie": "c",
        "server_seed": "ff",
        "hand": ["key"],
    }
    logging.getLogger("cartagena.test").info("it happened", extra={"fields": {"room": "r1", **secrets}})
    line = json.loads(capsys.readouterr().err.strip())
    assert (line["event"], line["room"], line["level"]) == ("it happened", "r1", "info")
    for secret in ("hunter22", "AAAA", "ff", "key"):
        assert secret not in json.dumps({key: line[key] for key in secrets})


def test_a_fault_is_one_line_with_its_traceback(
    capsys: pytest.CaptureFixture[str], restored_logging: object
) -> None:
    configure_logs("info", "json")
    try:
        raise RuntimeError("broken mast")
    except RuntimeError:
        logging.getLogger("cartagena.test").error("fault", exc_info=sys.exc_info())
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert "broken mast" in json.loads(lines[0])["fault"]


def test_a_cancelled_query_on_a_closing_connection_is_not_logged(
    capsys: pytest.CaptureFixture[str], restored_logging: object
) -> None:
    configure_logs("info", "text")
    pool = logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool")
    for problem in (asyncio.CancelledError(), RuntimeError("broken mast")):
        pool.error("Exception terminating connection", exc_info=problem)
    said = capsys.readouterr().err
    assert said.count("Exception terminating connection") == 1
    assert "broken mast" in said
    assert "CancelledError" not in said
