"""What goes past FastAPI's layers is answered as it is by them, and whatever is not plain goes through them."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.web import quick_routes
from app.web.api import games
from tests.web.running_site import TestSite, code_of, running

USUAL = {"content-type": "application/json; charset=utf-8"}  # the same to FastAPI, and not plain
PLAIN = {"content-type": "application/json"}
TABLE = {"options": {"preset": "jamaica", "players": 2}}


async def ask(browser: httpx.AsyncClient, path: str, body: bytes, headers: dict[str, str]) -> httpx.Response:
    return await browser.post(path, content=body, headers=headers)


def shape(answer: httpx.Response) -> tuple[Any, ...]:
    """All of an answer but what is made by chance."""
    kept = {name: value for name, value in answer.headers.items() if name != "set-cookie"}
    kept.pop("content-length", None)
    body = answer.json()
    return answer.status_code, kept, body if "error" in body else sorted(body)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/me", b'{"name":"Anne"}'),
        ("/api/v1/me", b"{}"),
        ("/api/v1/me", b'{"name":"admin"}'),
        ("/api/v1/me", b'{"nome":"Anne"}'),
        ("/api/v1/me", b'{"name":7}'),
        ("/api/v1/me", b'{"name":"A\\u0000"}'),
        ("/api/v1/me", b"[]"),
        ("/api/v1/me", b"no JSON"),
        ("/api/v1/me", b""),
        ("/api/v1/games", b'{"options":{"preset":"jamaica","players":2}}'),
        ("/api/v1/games", b'{"options":{"preset":"jamaica","players":2},"visibility":"password"}'),
        ("/api/v1/games", b'{"options":{"preset":"nowhere","players":2}}'),
        ("/api/v1/games", b'{"options":{"preset":"jamaica","players":2},"absence":-1}'),
        ("/api/v1/games", b"{}"),
        ("/api/v1/games?make_room=perhaps", b'{"options":{"preset":"jamaica","players":2}}'),
    ],
)
async def test_both_ways_give_the_same_answer(sqlite_url: str, path: str, body: bytes) -> None:
    async with running(sqlite_url) as site:
        answers = []
        for headers in (PLAIN, USUAL):
            browser = site.browser()
            answers.append(shape(await ask(browser, path, body, headers)))
            if headers is PLAIN and b"Anne" in body:
                site.pass_time(3600)  # the name is free again
        assert answers[0] == answers[1]


async def test_a_plain_request_passes_no_layer_of_fastapi(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url) as site:
        passed = await _passed(site, monkeypatch)
        assert (await site.browser().post("/api/v1/me", json={})).status_code == 200
        browser, _ = await site.guest()
        made = await browser.post("/api/v1/games", json=TABLE)
        assert made.status_code == 201
        assert passed == []
        keyed = {"Idempotency-Key": "once-and-for-all"}
        first = await browser.post("/api/v1/games", json=TABLE, headers=keyed)
        again = await browser.post("/api/v1/games", json=TABLE, headers=keyed)
        assert first.json()["id"] == again.json()["id"]
        assert passed == ["/api/v1/games"] * 2
        assert b'route="/api/v1/me",status="2xx"} 2.0' in site.site.metrics.text()


async def _passed(site: TestSite, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    passed: list[str] = []
    handle = games.router.routes[0].__class__.handle

    async def noted(route: Any, scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope["path"])
        await handle(route, scope, receive, send)

    monkeypatch.setattr(games.router.routes[0].__class__, "handle", noted)
    return passed


async def test_a_refusal_and_a_fault_are_told_as_everywhere(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url, rooms_per_guest=1) as site:
        browser, _ = await site.guest()
        assert (await browser.post("/api/v1/games", json=TABLE)).status_code == 201
        refused = await browser.post("/api/v1/games", json=TABLE)
        assert (refused.status_code, code_of(refused)) == (409, "too_many_rooms")

        async def fail(*_: Any) -> dict[str, Any]:
            raise RuntimeError("a fault")

        route, model, _answer = quick_routes._QUICK["/api/v1/games"]
        monkeypatch.setitem(quick_routes._QUICK, "/api/v1/games", (route, model, fail))
        failed = await browser.post("/api/v1/games", json=TABLE)
        assert (failed.status_code, code_of(failed)) == (500, "server_fault")
        large = await browser.post("/api/v1/me", json={"name": "a" * 10_000_000})
        assert (large.status_code, code_of(large)) == (413, "too_big")
