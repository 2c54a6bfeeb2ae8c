"""Helpers for tests of notices: sites, subscriptions, rounds of sending, and turns."""

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
DAY_SECONDS = 86_400


@asynccontextmanager
async def pushing_site(database_url: str, **more: object) -> AsyncIterator[TestSite]:
    """Yield a site that sends notices only when a test processes its queues."""
    settings = {"webhook_private": True, "notify_seconds": 9999.0, "public_url": "http://testserver"}
    async with running(database_url, secret="k" * 40, **{**settings, **more}) as site:
        await site.app.state.maintenance.stop()  # on a busy machine it could send in the middle of a test
        yield site


def queue(site: TestSite, name: str) -> ClaimLoop[Any]:
    """Return the claim loop of `notice_checks`, `letter` or `push`."""
    found: ClaimLoop[Any] = site.app.state.queues[name]
    return found


async def process(site: TestSite, *names: str) -> None:
    """Process everything that is due in these queues."""
    for name in names:
        await queue(site, name).drain()


def _count_sent(site: TestSite, *channels: str) -> int:
    text = site.site.metrics.text().decode()
    found = re.findall(r'cartagena_notices_total{outcome="sent",way="(\w+)"} (\d+)', text)
    return sum(int(number) for way, number in found if way in channels)


async def plan_notices(site: TestSite) -> None:
    """Check games that have changed, so that outbox rows become due."""
    await process(site, "notice_checks")


async def write_letters(site: TestSite) -> int:
    """Check games and send e-mails and webhook calls; return how many were sent."""
    before = _count_sent(site, "mail", "webhook")
    await process(site, "notice_checks", "letter")
    return _count_sent(site, "mail", "webhook") - before


async def send(site: TestSite) -> int:
    """Send the pushes that are due; return how many were sent."""
    before = _count_sent(site, "push")
    await process(site, "push")
    return _count_sent(site, "push") - before


async def notify(site: TestSite, wait: int = 20) -> None:
    """Pass time, so that turns have settled, and send all notices that are due."""
    site.pass_time(wait)
    await process(site, "notice_checks", "letter", "push")


async def subscribe(browser: httpx.AsyncClient, service: PushService, **more: Any) -> dict[str, Any]:
    """Register a new subscription, as the page does; return it."""
    subscription = service.subscription()
    answer = await browser.post("/api/v1/me/push", json={**subscription, "silent": True, **more})
    assert answer.status_code == 200, answer.text
    return subscription


async def is_turn_of(browser: httpx.AsyncClient, room: str) -> bool:
    return bool((await browser.get(f"/api/v1/games/{room}")).json().get("choices"))


async def play_turn(browser: httpx.AsyncClient, room: str) -> None:
    """Act until it is another player's turn."""
    for _ in range(6):
        state = (await browser.get(f"/api/v1/games/{room}")).json()
        if not state.get("choices"):
            return
        ending = [choice["action"] for choice in state["choices"] if choice["action"]["type"] == "end"]
        action = ending[0] if ending else state["choices"][0]["action"]
        answer = await command(browser, room, "act", version=state["seq"], action=action)
        assert answer.status_code == 200, answer.text


async def find_mover(room: str, *browsers: httpx.AsyncClient) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    """Return the browser whose turn it is, and the other one."""
    first, second = browsers
    return (first, second) if await is_turn_of(first, room) else (second, first)


async def two_guests(site: TestSite) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    return ann, bo


async def open_waiting_table(
    site: TestSite, service: PushService
) -> tuple[httpx.AsyncClient, httpx.AsyncClient, str]:
    """Start a correspondence game of two subscribed guests; return mover, other and game. No notice was sent yet."""
    ann, bo = await two_guests(site)
    for browser in (ann, bo):
        await subscribe(browser, service)
    room = await play_table(ann, bo, title="Friday's table", **DAYS)
    mover, other = await find_mover(room, ann, bo)
    return mover, other, room
