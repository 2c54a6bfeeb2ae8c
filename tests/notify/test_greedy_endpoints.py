"""Endpoints that never answer, registered by one person or many: what the pushes of a bystander cost."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import insert, select

from app.notify.outbound import LOOK_UPS_AT_ONCE, LOOK_UPS_OF_OWNER, Congested, Outbound, TimedOut
from app.notify.push import BROWSERS_AT_ONCE, MAX_TIMEOUTS
from app.play.queues import ClaimLoop
from app.play.tasks import Tasks
from app.store.people.checks import add_checks
from app.store.people.outbox import OutboxStore
from app.store.people.pushes import MOST_BROWSERS
from app.store.people.tables import invitations, outbox, sessions
from app.web.notices import make_notice_loops
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
    """A push service that takes connections and never answers."""
    async with push_service() as service:
        service.gate = asyncio.Event()
        yield service


async def _subscribed(site: TestSite, service: PushService, count: int, number: int) -> str:
    """A person with so many subscriptions there."""
    _, told = await site.guest(f"Sailor {number}", f"198.51.{number}.7")
    player = str(told["person"]["id"])
    store = site.site.pushes
    (session,) = await store.rows(select(sessions.c.hash).where(sessions.c.player == player))
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
    """Everyone of them is to be notified, in this order."""
    room = await open_table(host)
    for player in players:
        row = {"game": room, "player": player, "inviter": "", "at": site.site.now()}
        await site.site.pushes.change(insert(invitations).values(row))
    await site.site.pushes.write(lambda run: add_checks(run, [room], site.site.now()))
    await plan_notices(site)


def _push_loop(site: TestSite, tasks: Tasks, patience: float = 10.0) -> ClaimLoop[Any]:
    """A claim loop that runs by itself, as in a server."""
    store = OutboxStore(site.site.pushes.engine)
    outbound = Outbound(private=True, patience=patience)
    failures = site.app.state.game_server.failures
    loops = make_notice_loops(site.site, store, outbound, failures, tasks)
    return next(loop for loop in loops if loop.name == "push")


@pytest.mark.parametrize("people", [ENDPOINTS // MOST_BROWSERS, ENDPOINTS])
async def test_attack_endpoints_that_never_answer_do_not_delay_a_bystanders_push(
    site: TestSite, silent: PushService, service: PushService, people: int
) -> None:
    host, _ = await site.guest("Anne Bonfire")
    greedy = [await _subscribed(site, silent, ENDPOINTS // people, number) for number in range(people)]
    bystander, told = await site.guest("Bo Bellows", "203.0.113.9")
    await subscribe(bystander, service)
    await _invite(site, host, [*greedy, told["person"]["id"]])
    due = select(outbox).where(outbox.c.channel == "push").order_by(outbox.c.at)
    assert len(await site.site.pushes.rows(due)) == ENDPOINTS + 1
    late = outbox.update().where(outbox.c.player == told["person"]["id"]).values(at=outbox.c.at + 1)
    await site.site.pushes.change(late)  # it is the last one
    site.pass_time(2)
    tasks = Tasks()
    running = asyncio.ensure_future(_push_loop(site, tasks, patience=3600).run())
    try:
        async with asyncio.timeout(120):  # long before any of them times out
            await service.taken(1)
        assert silent.tries <= people * BROWSERS_AT_ONCE, "at most so many connections for one person"
    finally:
        running.cancel()
        await tasks.cancel()


async def test_attack_a_persons_time_outs_end_their_claim(site: TestSite, silent: PushService) -> None:
    host, _ = await site.guest("Anne Bonfire")
    greedy = await _subscribed(site, silent, MOST_BROWSERS, 1)
    await _invite(site, host, [greedy])
    loop = _push_loop(site, Tasks(), patience=1.0)
    await loop.drain()
    at_most = MAX_TIMEOUTS + BROWSERS_AT_ONCE - 1
    assert silent.tries <= at_most
    rows = await site.site.pushes.rows(select(outbox).where(outbox.c.channel == "push"))
    assert all(row.at > site.site.now() for row in rows), "the others wait"
    assert 0 < sum(row.attempts for row in rows) <= at_most, "and that is no attempt of theirs"


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
    outbound = Outbound(private=True, patience=0.3)

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
        assert outcomes.count(TimedOut) == LOOK_UPS_OF_OWNER
        assert outcomes.count(Congested) == 10 - LOOK_UPS_OF_OWNER, "which blames nobody"
        assert await bystanders() == 201
        owners = LOOK_UPS_AT_ONCE // LOOK_UPS_OF_OWNER
        await asyncio.gather(*(post(f"owner{n}", k) for n in range(owners) for k in range(2)))
        with pytest.raises(Congested):
            await bystanders()
    finally:
        is_over.set()
    async with asyncio.timeout(10):
        await outbound._slots.acquire()
        outbound._slots.release()
    assert await bystanders() == 201, "when the threads have ended there is room again"
    outbound.close()
