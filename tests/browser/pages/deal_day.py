"""A day with its deal for the browser's tests: played by ten people before the server is started on its database."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.web.deal.playing import deal_site

PEOPLE = tuple(f"Sailor {letter}" for letter in "ABCDEFGHIJ")
ACCOUNTS = PEOPLE[:4]
PASSWORD = "plank, parrot, doubloon"


def played_day(database: Path) -> dict[str, str]:
    """Ten people have played today's deal, four of them with an account; the cookie of each, by name."""
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        ThreadPoolExecutor(1) as apart,
    ):  # Playwright has a loop here
        return apart.submit(asyncio.run, _play(f"sqlite+aiosqlite:///{database}", monkeypatch)).result()


async def _play(url: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    cookies: dict[str, str] = {}
    async with deal_site(url, monkeypatch, time.time_ns() // 1_000_000) as site:
        for number, name in enumerate(PEOPLE):
            person = await site.person(name)
            if name in ACCOUNTS:
                await person.ask("POST", "/api/v1/account/register", json={"password": PASSWORD})
            await person.begin()
            # Two of them go the same way, and one more for a while.
            await person.play(1 if number < 2 else number, 6 if number == 2 else 10_000)
            if number == 2:
                await person.play(9)
            cookies[name] = person.http.cookies["cartagena"]
        await site.keep_deals()
    return cookies
