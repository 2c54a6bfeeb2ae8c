"""What tests about pushes share: a site with browsers that subscribed, rounds of telling, and turns that are played."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from app.notify.digest import Notifier
from app.notify.push import PushSender
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


def notifier(site: TestSite) -> Notifier:
    found: Notifier = site.app.state.maintenance._notifier
    return found


def sender(site: TestSite) -> PushSender:
    found: PushSender = site.app.state.maintenance._sender
    return found


async def send(site: TestSite) -> None:
    """Whatever is due goes out."""
    await sender(site).round()
    await sender(site).finish()


async def tell(site: TestSite, wait: int = 20) -> None:
    """A round of telling, after a turn has waited long enough to be told."""
    site.pass_time(wait)
    await notifier(site).round()
    await send(site)


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
