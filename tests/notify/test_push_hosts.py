"""Many pushes at once: a few at a time to one host, without a pause between them, and never all the room for one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import select

from app.notify import push as pushing
from app.notify.outbound import Answer
from app.notify.ports import NewPush
from app.notify.push import A_CLAIM, A_HOST, AT_ONCE, IN_LINE, LEASE
from app.store.people.tables import push_subscriptions, pushes
from tests.notify.push_service import PushService, push_service
from tests.notify.pushing import DAY, sender, subscribe
from tests.web.running_site import TestSite

MANY = 3 * AT_ONCE


async def _owed(site: TestSite, service: PushService, number: int, name: str) -> str:
    """Somebody whose browser is still to be told of so many games."""
    browser, _ = await site.guest(name, f"203.0.113.{10 + len(service.browsers)}")
    made = await subscribe(browser, service)
    same = push_subscriptions.c.endpoint == made["endpoint"]
    ((id_,),) = await site.site.pushes.rows(select(push_subscriptions.c.id).where(same))
    now = site.site.now()
    body = {"headline": "Your turn", "deadline": None}
    owed = [NewPush(id_, f"game-{name}-{n}", "turn", "m", 1, body, now + DAY) for n in range(number)]
    assert await site.site.pushes.enqueue(owed, now) == number
    return str(id_)


async def _left(site: TestSite, browser: str) -> Sequence[Any]:
    unsent = (pushes.c.subscription == browser, pushes.c.sent_at.is_(None))
    return await site.site.pushes.rows(select(pushes).where(*unsent))


async def test_one_round_sends_all_there_is_to_one_host_a_few_at_a_time(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = await _owed(site, service, MANY, "Anne")
    now = float(site.site.now())
    site.site.clock = lambda: now
    outbound = sender(site)._outbound
    post = outbound.post
    under_way = most = 0

    async def counted(*given: Any) -> Answer:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            return await post(*given)
        finally:
            under_way -= 1

    monkeypatch.setattr(outbound, "post", counted)
    async with asyncio.timeout(30):
        await sender(site).round()
        await sender(site).finish()
    assert len(service.received) == MANY, "no round had to be begun for the rest, and time stood still"
    assert most == A_HOST
    assert await _left(site, browser) == []
    assert sender(site)._lines == {}


async def test_attack_a_host_that_never_answers_leaves_room_for_the_others(
    site: TestSite, service: PushService
) -> None:
    service.gate = asyncio.Event()
    await _owed(site, service, MANY, "Anne")
    async with push_service() as quick:
        await _owed(site, quick, AT_ONCE, "Bo")  # written down after all of them
        async with asyncio.timeout(IN_LINE / 2):
            await sender(site).round()
            await quick.taken(AT_ONCE)
    assert service.tries == A_HOST
    held = await site.site.pushes.rows(
        select(pushes).where(pushes.c.lease_until > 0, pushes.c.sent_at.is_(None))
    )
    assert len(held) <= A_HOST + A_CLAIM
    await sender(site).stop()


async def test_what_waits_in_vain_for_a_slow_host_is_written_back_and_that_is_no_attempt(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pushing, "IN_LINE", 0.2)
    service.gate = asyncio.Event()
    browser = await _owed(site, service, A_HOST + 3, "Anne")
    await sender(site).round()
    await service.tried(A_HOST)
    await asyncio.sleep(0.2)
    async with asyncio.timeout(5):
        while len(tasks := sender(site)._tasks) > A_HOST:
            await asyncio.wait(list(tasks), return_when=asyncio.FIRST_COMPLETED)
    now = site.site.now()
    later = [row for row in await _left(site, browser) if row.at > now]
    assert [(row.attempts, row.lease_until) for row in later] == [(0, 0)] * 3
    service.gate.set()
    await sender(site).finish()
    site.pass_time(5)
    await sender(site).round()
    await sender(site).finish()
    assert len(service.received) == A_HOST + 3


async def test_nothing_is_claimed_for_a_host_that_is_left_out(site: TestSite, service: PushService) -> None:
    mine = await _owed(site, service, 2, "Anne")
    async with push_service() as other:
        theirs = await _owed(site, other, 2, "Bo")
    now, book = site.site.now(), site.site.pushes
    prefix = f"http://127.0.0.1:{service.port}"
    assert await book.claim_due(now, LEASE, 0) == []
    claimed = await book.claim_due(now, LEASE, 10, {prefix})
    assert {each.browser for each in claimed} == {theirs}
    claimed = await book.claim_due(now, LEASE, 10, {prefix[:-1], "http://127.0.0._:%"})
    assert {each.browser for each in claimed} == {mine}, "another host, whose name is like it"


async def test_after_it_was_stopped_no_round_begins_by_itself(site: TestSite, service: PushService) -> None:
    browser = await _owed(site, service, MANY, "Anne")
    service.gate = asyncio.Event()
    await sender(site).round()
    await service.tried(A_HOST)
    await sender(site).stop()
    service.gate.set()
    await asyncio.sleep(0.1)
    assert sender(site)._under_way() == []
    assert len(await _left(site, browser)) == MANY
