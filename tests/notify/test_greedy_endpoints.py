"""Endpoints that never respond, registered by one person or many, must not delay pushes to others."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select

from app.notify.outbound import MAX_LOOK_UPS, MAX_LOOK_UPS_PER_OWNER, Congested, Outbound, TimedOut
from app.notify.push import MAX_CONCURRENT_BROWSERS, MAX_TIMEOUTS
from app.play.queues import ClaimLoop
from app.play.tasks import Tasks
from app.store.people.notice_checks import add_checks
from app.store.people.outbox import OutboxStore
from app.store.people.pushes import MAX_BROWSERS
from app.store.tables.people import invitations, outbox, sessions
from app.web.notice_loops import make_notice_loops
from tests.notify.push_service import PushService, push_service
from tests.notify.pushing import plan_notices, pushing_site, subscribe
from tests.web.running_site import TestSite
from tests.web.tables import open_table

ENDPOINTS = 160


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with pushing_site(sqlite_url) as site:
        yield site


@pytest.fixture
async def silent() -> AsyncIterator[PushService]:
    """A push service that accepts connections and never responds."""
    async with push_service() as service:
        service.gate = asyncio.Event()
        yield service


async def _subscribed(site: TestSite, service: PushService, count: int, number: int) -> str:
    """Add a person with `count` subscriptions there; return the id."""
    _, told = await site.guest(f"Sailor {number}", f"198.51.{number}.7")
    player = str(told["person"]["id"])
    store = site.site.pushes
    (session,) = await store.database.fetch_rows(select(sessions.c.hash).where(sessions.c.player == player))
    for _ in range(count):
        made = service.subscription()
        await store.subscribe(
            player,
            session.hash,
            endpoint=made["endpoint"],
            **made["keys"],
            key=1,
            takes_silent=True,
            language="en",
            now=site.site.now(),
        )
    return player


async def _invite(site: TestSite, host: httpx.AsyncClient, players: list[str]) -> None:
    """Invite these players, so that each has a notice due, in this order."""
    room = await open_table(host)
    for player in players:
        row = {"game": room, "player": player, "inviter": "", "at": site.site.now()}
        await site.site.pushes.database.execute_write(insert(invitations).values(row))
    await site.site.pushes.database.write(lambda conn: add_checks(conn, [room], site.site.now()))
    await plan_notices(site)


def _push_loop(site: TestSite, tasks: Tasks, timeout_seconds: float = 10.0) -> ClaimLoop[Any]:
    """Return a running claim loop, as in a server."""
    store = OutboxStore(site.site.pushes.database)
    outbound = Outbound(allow_private=True, timeout_seconds=timeout_seconds)
    failures = site.app.state.game_server.failures
    loops = make_notice_loops(site.site, store, outbound, failures, tasks)
    return next(loop for loop in loops if loop.name == "push")


@pytest.mark.parametrize("people", [ENDPOINTS // MAX_BROWSERS, ENDPOINTS])
async def test_attack_silent_endpoints_do_not_delay_a_bystanders_push(
    site: TestSite, silent: PushService, service: PushService, people: int
) -> None:
    host, _ = await site.guest("Anne Bonfire")
    greedy = [await _subscribed(site, silent, ENDPOINTS // people, number) for number in range(people)]
    bystander, told = await site.guest("Bo Bellows", "203.0.113.9")
    await subscribe(bystander, service)
    await _invite(site, host, [*greedy, told["person"]["id"]])
    due = select(outbox).where(outbox.c.channel == "push").order_by(outbox.c.at)
    assert len(await site.site.pushes.database.fetch_rows(due)) == ENDPOINTS + 1
    late = outbox.update().where(outbox.c.player == told["person"]["id"]).values(at=outbox.c.at + 1)
    await site.site.pushes.database.execute_write(late)  # so that it is processed last
    site.pass_time(2)
    tasks = Tasks()
    running = asyncio.ensure_future(_push_loop(site, tasks, timeout_seconds=3600).run())
    try:
        async with asyncio.timeout(120):  # long before any request times out
            await service.wait_for_accepted(1)
        assert silent.attempts <= people * MAX_CONCURRENT_BROWSERS, (
            "the number of connections per person is limited"
        )
    finally:
        running.cancel()
        await tasks.cancel()


async def test_attack_time_outs_of_a_person_end_their_claim(site: TestSite, silent: PushService) -> None:
    host, _ = await site.guest("Anne Bonfire")
    greedy = await _subscribed(site, silent, MAX_BROWSERS, 1)
    await _invite(site, host, [greedy])
    loop = _push_loop(site, Tasks(), timeout_seconds=1.0)
    await loop.drain()
    at_most = MAX_TIMEOUTS + MAX_CONCURRENT_BROWSERS - 1
    assert silent.attempts <= at_most
    rows = await site.site.pushes.database.fetch_rows(select(outbox).where(outbox.c.channel == "push"))
    assert all(row.at > site.site.now() for row in rows), "the others are postponed"
    assert 0 < sum(row.attempts for row in rows) <= at_most, "and do not count as attempted"


async def test_attack_silent_name_servers_occupy_few_threads_of_one_owner(
    service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_over = threading.Event()
    look_up = socket.getaddrinfo

    def getaddrinfo(host: Any, *more: Any, **named: Any) -> Any:
        if str(host).endswith(".silent.example"):
            is_over.wait(30)
        return look_up("127.0.0.1", *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    outbound = Outbound(allow_private=True, timeout_seconds=0.3)

    async def post(owner: str, number: int) -> Any:
        try:
            return await outbound.post(f"http://{owner}-{number}.silent.example/", b"", {}, owner=owner)
        except (TimedOut, Congested) as problem:
            return type(problem)

    async def bystanders() -> int:
        answer = await outbound.post(f"http://quick.example:{service.port}/", b"", {}, owner="bystander")
        return answer.status

    try:
        outcomes = await asyncio.gather(*(post("greedy", number) for number in range(10)))
        assert outcomes.count(TimedOut) == MAX_LOOK_UPS_PER_OWNER
        assert outcomes.count(Congested) == 10 - MAX_LOOK_UPS_PER_OWNER, (
            "congestion is not counted as a failure"
        )
        assert await bystanders() == 201
        owners = MAX_LOOK_UPS // MAX_LOOK_UPS_PER_OWNER
        await asyncio.gather(*(post(f"owner{n}", k) for n in range(owners) for k in range(2)))
        with pytest.raises(Congested):
            await bystanders()
    finally:
        is_over.set()
    async with asyncio.timeout(10):
        await outbound._slots.acquire()
        outbound._slots.release()
    assert await bystanders() == 201, "threads are free again after the look-ups have ended"
    outbound.close()
