"""A whole app for tests: database migrated, lifespan running, reached without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
from argon2 import PasswordHasher
from fastapi import FastAPI

from app.main import create_app
from app.settings import Settings
from app.web.auth.passwords import Passwords
from app.web.site import Site
from tests.databases import at_head
from tests.maintenance_rounds import first_rounds

ORIGIN = "http://testserver"
BROWSER = {
    "origin": ORIGIN,
    "sec-fetch-site": "same-origin",
    "user-agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0",
}


# argon2id with less work. tests/web/auth/test_passwords.py tests the real parameters, and servers that tests start as
# processes use them.
FAST_HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


class TestSite:
    """A running app and browsers for it, with a clock set by the test."""

    __test__ = False

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.clients: list[httpx.AsyncClient] = []

    @property
    def site(self) -> Site:
        site: Site = self.app.state.site
        return site

    def browser(self, address: str = "198.51.100.7", **headers: str) -> httpx.AsyncClient:
        """Return a browser with its own cookies and the headers that browsers send."""
        return self.program(address, **{**BROWSER, **headers})

    def program(self, address: str = "198.51.100.7", **headers: str) -> httpx.AsyncClient:
        """Return a program, which sends no Origin and no fetch headers."""
        transport = httpx.ASGITransport(self.app, client=(address, 40000), raise_app_exceptions=False)
        client = httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)
        self.clients.append(client)
        return client

    async def guest(
        self, name: str | None = None, address: str = "198.51.100.7"
    ) -> tuple[httpx.AsyncClient, dict[str, Any]]:
        """Return a browser with a name, and the server's answer."""
        browser = self.browser(address)
        answer = await browser.post("/api/v1/me", json={} if name is None else {"name": name})
        assert answer.status_code == 200, answer.text
        return browser, answer.json()

    def pass_time(self, seconds: float) -> None:
        """Advance the clock of sessions, codes and retention, and clear the player cache."""
        former = self.site.clock
        self.site.clock = lambda: former() + seconds
        self.site.player_cache.clear()


@asynccontextmanager
async def running(database_url: str, **changes: object) -> AsyncIterator[TestSite]:
    """Run an app on this database with these settings."""
    settings = Settings(database=database_url, **changes)  # type: ignore[arg-type]
    is_empty = await at_head(settings.database_url)
    app = create_app(settings)
    async with AsyncExitStack() as stack:
        with first_rounds(skip=is_empty):
            await stack.enter_async_context(app.router.lifespan_context(app))
        test = TestSite(app)
        test.site.passwords = Passwords(FAST_HASHER)
        try:
            yield test
        finally:
            for client in test.clients:
                await client.aclose()


def code_of(answer: httpx.Response) -> str:
    """Return the code of a refusal, and check the format of the answer."""
    body = answer.json()
    assert set(body) == {"error"}, body
    assert {"code", "message"} <= set(body["error"]) <= {"code", "message", "why", "params"}, body
    assert body["error"]["message"].endswith((".", "!")), body
    return str(body["error"]["code"])
