"""Webhooks with a real receiver: signed, opt-in, and without access to the private network."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import hmac
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from app.notify.outbound import BadUrl
from app.notify.webhook import WebhookFailed, Webhooks, sign, validate_url
from app.store.people.outbox import OutboxStore
from tests.notify.pushing import DAYS, pushing_site, write_letters
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import play_table


class Receiver:
    """A small HTTP server that records requests and responds with `status`."""

    def __init__(self) -> None:
        self.posted: list[tuple[dict[str, str], bytes]] = []
        self.status = "200 OK"
        self.extra = ""
        self.port = 0
        self._call = asyncio.Event()

    async def next_call(self) -> None:
        """Return when another call has arrived."""
        self._call.clear()
        await self._call.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.posted.append(({"line": lines[0], **headers}, body))
        self._call.set()
        writer.write(
            f"HTTP/1.1 {self.status}\r\n{self.extra}content-length: 0\r\nconnection: close\r\n\r\n".encode()
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(
        database_url, webhook_private=True, public_url="http://testserver", secret="k" * 40
    ) as test:
        await test.app.state.maintenance.stop()
        yield test


async def _set(browser: Any, receiver: Receiver) -> str:
    url = f"http://127.0.0.1:{receiver.port}/hook?me=1"
    answer = await browser.put("/api/v1/me/notices", json={"webhook": url})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["webhook_key"])


async def test_turn_is_posted_and_signed_with_the_owners_key(site: TestSite, receiver: Receiver) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    keys = {await _set(browser, receiver) for browser in (ann, bo)}
    assert len(keys) == 2
    room = await play_table(ann, bo, **DAYS)
    assert await write_letters(site) == 1
    ((headers, body),) = receiver.posted
    assert headers["line"] == "POST /hook?me=1 HTTP/1.1"
    at, code = (part.split("=", 1)[1] for part in headers["x-cartagena-signature"].split(","))
    good = [hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest() for key in keys]
    assert code in good
    told = json.loads(body)
    assert told["event"] == "your_turn"
    assert [game["id"] for game in told["games"]] == [room]
    fields = {"id", "title", "url", "deadline", "waits_for", "preset", "opponents", "text"}
    assert set(told["games"][0]) == fields, "where to look, not what is in the game"
    assert told["games"][0]["preset"] == "tortuga"
    (opponent,) = told["games"][0]["opponents"]
    assert opponent in ("Anne Bonfire", "Bo Bellows")
    assert told["games"][0]["text"].startswith(f"Your turn against {opponent} — Tortuga, until ")
    assert told["games"][0]["waits_for"] == "move"


async def test_failing_webhook_is_not_called_until_it_is_saved_again(
    site: TestSite, receiver: Receiver
) -> None:
    ann, told = await site.guest("Anne Bonfire")
    await _set(ann, receiver)
    for _ in range(10):
        await OutboxStore(site.site.notices.database).record_webhook_result(
            told["person"]["id"], is_answered=False
        )
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    await play_table(ann, bo, **DAYS)
    assert await write_letters(site) == 0
    assert receiver.posted == []
    assert (await ann.get("/api/v1/me/notices")).json()["webhook_failures"] == 10
    await _set(ann, receiver)
    assert (await ann.get("/api/v1/me/notices")).json()["webhook_failures"] == 0


async def test_webhook_key_changes_only_with_the_url(site: TestSite, receiver: Receiver) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    first = await _set(ann, receiver)
    assert await _set(ann, receiver) == first
    answer = await ann.put("/api/v1/me/notices", json={"webhook": "https://elsewhere.example/hook"})
    assert answer.json()["webhook_key"] != first


async def test_owner_can_test_the_webhook_and_learns_only_its_status(
    site: TestSite, receiver: Receiver
) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    assert code_of(await ann.post("/api/v1/me/notices/test")) == "no_webhook"
    await _set(ann, receiver)
    assert (await ann.post("/api/v1/me/notices/test")).json() == {"outcome": "sent"}
    receiver.status = "500 Oops"
    assert (await ann.post("/api/v1/me/notices/test")).json() == {"outcome": "answered 500"}


@pytest.mark.parametrize("settings", [{"webhooks": False}, {"public_url": ""}], ids=str)
async def test_a_server_that_no_longer_calls_webhooks_sends_no_test(
    sqlite_url: str, receiver: Receiver, settings: dict[str, object]
) -> None:
    async with pushing_site(sqlite_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        await _set(ann, receiver)
        site.site.settings = dataclasses.replace(site.site.settings, **settings)  # type: ignore[arg-type]
        assert code_of(await ann.post("/api/v1/me/notices/test")) == "no_webhooks"
        assert receiver.posted == []


async def test_redirect_is_not_followed(receiver: Receiver) -> None:
    async with receiving() as secret:
        receiver.status, receiver.extra = (
            "302 Found",
            f"location: http://127.0.0.1:{secret.port}/internal\r\n",
        )
        with pytest.raises(WebhookFailed, match="answered 302"):
            await Webhooks(allow_private=True).call(f"http://127.0.0.1:{receiver.port}/", "key", {}, 1)
        assert secret.posted == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook",
        "ftp://example.org/",
        "https:///nowhere",
        "https://user:password@example.org/",
        "https://example.org:22/",
        "https://127.0.0.1/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[fd00::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://0.0.0.0/",
        "https://example.org/#part",
        "https://exa mple.org/",
        "javascript:alert(1)",
        "https://example.org/" + "x" * 600,
    ],
)
def test_private_url_is_rejected(url: str) -> None:
    with pytest.raises(BadUrl):
        validate_url(url, allow_private=False)


def test_public_url_is_accepted() -> None:
    for url in ("https://example.org/hook?x=1", "https://example.org:8443/", "https://93.184.215.14/"):
        assert validate_url(url, allow_private=False) == url


async def test_host_that_resolves_to_a_private_address_is_not_called(receiver: Receiver) -> None:
    with pytest.raises(WebhookFailed, match="private address"):
        await Webhooks(allow_private=False).call(f"http://localhost:{receiver.port}/", "key", {}, 1)
    assert receiver.posted == []


async def test_host_is_resolved_once_and_the_checked_address_is_called(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    really = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        asked.append(host)
        if host != "rebinding.example":
            return really(host, port, *more, **named)
        return [(2, 1, 6, "", ("127.0.0.1" if asked.count(host) == 1 else "10.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    webhooks = Webhooks(allow_private=True)
    await webhooks.call(f"http://rebinding.example:{receiver.port}/", "key", {}, 1)
    webhooks.close()
    ((headers, _),) = receiver.posted
    assert headers["host"] == f"rebinding.example:{receiver.port}"
    assert asked.count("rebinding.example") == 1


async def test_api_rejects_a_private_url_like_any_other_failure(
    sqlite_url: str,
) -> None:
    async with running(sqlite_url, public_url="http://testserver") as site:
        browser, _ = await site.guest()
        answer = await browser.put("/api/v1/me/notices", json={"webhook": "https://10.0.0.1/"})
        assert code_of(answer) == "bad_webhook"
        await browser.put("/api/v1/me/notices", json={"webhook": "https://localhost/"})
        assert (await browser.post("/api/v1/me/notices/test")).json() == {"outcome": "unreachable"}


def test_signature_depends_on_key_time_and_body() -> None:
    signatures = {sign(key, at, body) for key in "ab" for at in (1, 2) for body in (b"x", b"y")}
    assert len(signatures) == 8


async def test_tests_are_limited_per_person(site: TestSite, receiver: Receiver) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    await _set(ann, receiver)
    answers = [(await ann.post("/api/v1/me/notices/test")).status_code for _ in range(12)]
    assert answers == [200] * 10 + [429] * 2
    assert len(receiver.posted) == 10
