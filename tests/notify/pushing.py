"""What tests about pushes share: a site with browsers that subscribed, rounds of telling, and turns that are played."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from app.play.queues import ClaimLoop
from tests.notify.push_service import PushService
from tests.web.running_site import TestSite, running
from tests.web.tables import command, play_table

DAYS = {"clock": {"kind": "days", "days": 3}}
DAY = 86_400


@asynccontextmanager
async def pushing_site(database_url: str, **more: object) -> AsyncIterator[TestSite]:
    """Nothing is told by itself: tests begin each round."""
    settings = {"webhook_private": True, "notify_seconds": 9999.0, "public_url": "http://testserver"}
    async with running(database_url, secret="k" * 40, **{**settings, **more}) as site:
        await site.app.state.maintenance.stop()  # a busy machine would have it send in the middle of a test
        yield site


def queue(site: TestSite, name: str) -> ClaimLoop[Any]:
    """The claim loop of `notice_checks`, `letter` or `push`."""
    found: ClaimLoop[Any] = site.app.state.queues[name]
    return found


async def process(site: TestSite, *names: str) -> None:
    """Process all that is due in these queues."""
    for name in names:
        await queue(site, name).drain()


def _sent(site: TestSite, *ways: str) -> int:
    text = site.site.metrics.text().decode()
    found = re.findall(r'cartagena_notices_total{outcome="sent",way="(\w+)"} (\d+)', text)
    return sum(int(number) for way, number in found if way in ways)


async def plan_notices(site: TestSite) -> None:
    """Games that changed are checked: rows of the outbox become due."""
    await process(site, "notice_checks")


async def write_letters(site: TestSite) -> int:
    """Check games and send e-mails and webhook calls; return how many were sent."""
    before = _sent(site, "mail", "webhook")
    await process(site, "notice_checks", "letter")
    return _sent(site, "mail", "webhook") - before


async def send(site: TestSite) -> int:
    """Send the pushes that are due; return how many were sent."""
    before = _sent(site, "push")
    await process(site, "push")
    return _sent(site, "push") - before


async def tell(site: TestSite, wait: int = 20) -> None:
    """Notify of everything, after a turn has waited long enough."""
    site.pass_time(wait)
    await process(site, "notice_checks", "letter", "push")


async def subscribe(browser: httpx.AsyncClient, service: PushService, **more: Any) -> dict[str, Any]:
    """What the page does after the browser subscribed."""
    subscription = service.subscription()
    answer = await browser.post("/api/v1/me/push", json={**subscription, "silent": True, **more})
    assert answer.status_code == 200, answer.text
    return subscription


async def is_turn_of(browser: httpx.AsyncClient, room: str) -> bool:
    return bool((await browser.get(f"/api/v1/games/{room}")).json().get("choices"))


async def play_turn(browser: httpx.AsyncClient, room: str) -> None:
    """Actions until it is somebody else's turn."""
    for _ in range(6):
        state = (await browser.get(f"/api/v1/games/{room}")).json()
        if not state.get("choices"):
            return
        ending = [choice["action"] for choice in state["choices"] if choice["action"]["type"] == "end"]
        action = ending[0] if ending else state["choices"][0]["action"]
        answer = await command(browser, room, "act", version=state["seq"], action=action)
        assert answer.status_code == 200, answer.text


async def in_turn(room: str, *browsers: httpx.AsyncClient) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    """Who is to move, and who is not."""
    first, second = browsers
    return (first, second) if await is_turn_of(first, room) else (second, first)


async def two_guests(site: TestSite) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    return ann, bo


async def waiting_table(
    site: TestSite, service: PushService
) -> tuple[httpx.AsyncClient, httpx.AsyncClient, str]:
    """A table over days; who is to move has subscribed, and was not told yet."""
    ann, bo = await two_guests(site)
    for browser in (ann, bo):
        await subscribe(browser, service)
    room = await play_table(ann, bo, title="Friday's table", **DAYS)
    mover, other = await in_turn(room, ann, bo)
    return mover, other, room
