"""A deal of the day that ten people have played, in a database on which the browser tests start their server."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.game_server import GameServer
from tests.web.deal.playing import deal_site

PEOPLE = tuple(f"Sailor {letter}" for letter in "ABCDEFGHIJ")
ACCOUNTS = PEOPLE[:4]
PASSWORD = "plank, parrot, doubloon"


def played_day(database: Path) -> dict[str, str]:
    """Let ten people, four of them with an account, play today's deal; return their cookies by name."""
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        ThreadPoolExecutor(1) as apart,
    ):  # Playwright runs an event loop in this thread
        return apart.submit(asyncio.run, _play(f"sqlite:///{database}", monkeypatch)).result()


async def _play(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    cookies: dict[str, str] = {}
    async with deal_site(url, monkeypatch, time.time_ns() // 1_000_000) as site:
        for number, name in enumerate(PEOPLE):
            person = await site.person(name)
            if name in ACCOUNTS:
                await person.request("POST", "/api/v1/account/register", json={"password": PASSWORD})
            await person.begin()
            # Two of them play the same moves, and a third one the first six.
            await person.play(1 if number < 2 else number, 6 if number == 2 else 10_000)
            if number == 2:
                await person.play(9)
            cookies[name] = person.http.cookies["cartagena"]
        await site.create_deals()
        await site.site.app.state.queues["deal_pars"].drain()
    return cookies


def open_deal_page(
    browser: Browser, game_server: GameServer, cookie: str | None, **context_options: Any
) -> tuple[Page, list[str]]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, service_workers="block", **context_options
    )
    if cookie is not None:
        context.add_cookies([{"name": "cartagena", "value": cookie, "url": game_server.url}])
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.goto(f"{game_server.url}/deal", wait_until="networkidle")
    return page, complaints


# Replace the histogram by the widest one: bars of several turns, one with the own result and par.
SHOW_WIDE_HISTOGRAM = """async () => {
  const page = document.querySelector('script[src*="pages/deal.js"]').src;
  const {Histogram} = await import(page.replace("deal.js", "deal_results.js"));
  const [par, mine] = [{how: "won", turns: 21}, {how: "won", turns: 22, counts: true}];
  const distribution = {won: [[8, 1], [22, 12], [41, 1]], beaten: 1, given_up: 1};
  document.querySelector("[data-histogram]").replaceChildren(Histogram({distribution, par}, mine));
}"""
