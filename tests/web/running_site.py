"""A whole app for tests: its database migrated, its lifespan begun, reached by clients without a network."""

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
from tests.rounds import first_rounds

ORIGIN = "http://testserver"
BROWSER = {
    "origin": ORIGIN,
    "sec-fetch-site": "same-origin",
    "user-agent": "Mozilla/5.0 (X11; Linux) Firefox/140.0",
}


# argon2id as ever, with less work a password: what the real one costs is looked at in tests/web/auth/test_passwords.py,
# and the servers that tests start as processes hash with it.
QUICK = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)


class TestSite:
    """An app that runs, and browsers for it; time is turned by hand."""

    __test__ = False

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self.clients: list[httpx.AsyncClient] = []

    @property
    def site(self) -> Site:
        site: Site = self.app.state.site
        return site

    def browser(self, address: str = "198.51.100.7", **headers: str) -> httpx.AsyncClient:
        """A browser with cookies of its own, that sends what browsers send."""
        return self.program(address, **{**BROWSER, **headers})

    def program(self, address: str = "198.51.100.7", **headers: str) -> httpx.AsyncClient:
        """A program: no Origin, no fetch headers."""
        transport = httpx.ASGITransport(self.app, client=(address, 40000), raise_app_exceptions=False)
        client = httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers)
        self.clients.append(client)
        return client

    async def guest(
        self, name: str | None = None, address: str = "198.51.100.7"
    ) -> tuple[httpx.AsyncClient, dict[str, Any]]:
        """A browser that has chosen a name, and what it was told."""
        browser = self.browser(address)
        answer = await browser.post("/api/v1/me", json={} if name is None else {"name": name})
        assert answer.status_code == 200, answer.text
        return browser, answer.json()

    def pass_time(self, seconds: float) -> None:
        """Later, for sessions, codes and retention; what was remembered of people is asked again."""
        former = self.site.clock
        self.site.clock = lambda: former() + seconds
        self.site.known.clear()


@asynccontextmanager
async def running(database_url: str, **changes: object) -> AsyncIterator[TestSite]:
    """An app on this database with these settings."""
    settings = Settings(database=database_url, **changes)  # type: ignore[arg-type]
    is_empty = await at_head(settings.database_url)
    app = create_app(settings)
    async with AsyncExitStack() as stack:
        with first_rounds(are_left_out=is_empty):
            await stack.enter_async_context(app.router.lifespan_context(app))
        test = TestSite(app)
        test.site.passwords = Passwords(QUICK)
        try:
            yield test
        finally:
            for client in test.clients:
                await client.aclose()


def code_of(answer: httpx.Response) -> str:
    """The code of a refusal; the shape of the whole answer is checked on the way."""
    body = answer.json()
    assert set(body) == {"error"}, body
    assert set(body["error"]) == {"code", "message"}, body
    assert body["error"]["message"].endswith((".", "!")), body
    return str(body["error"]["code"])
