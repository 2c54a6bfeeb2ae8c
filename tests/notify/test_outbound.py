"""Requests to user-supplied URLs: certificates are loaded once off the event loop; invalid URLs are rejected."""

from __future__ import annotations

import ssl
import threading
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from app.notify.outbound import BadUrl, Outbound, Unreachable, validate_url
from app.store.tables.people import notices
from tests.notify.push_service import push_service
from tests.notify.pushing import pushing_site
from tests.web.running_site import code_of

BAD = [
    "https://example.org/\x01",
    "https://example.org/\x7f",
    "https://example.org/a\x00b",
    "https://example.org/é",
    "https://exämple.org/",
    "https://example.org/a b",
]


async def test_certificates_are_loaded_once_and_off_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[threading.Thread] = []
    make = ssl.create_default_context

    def create(*given: Any, **named: Any) -> ssl.SSLContext:
        made.append(threading.current_thread())
        return make(*given, **named)

    monkeypatch.setattr(ssl, "create_default_context", create)
    # tests/conftest.py caches this for test clients; here it is under test.
    monkeypatch.setattr("httpx._transports.default.create_ssl_context", httpx.create_ssl_context)
    outbound = Outbound(allow_private=True)
    async with push_service() as service:
        for expected in (1, 1, 1):
            answer = await outbound.post(f"http://127.0.0.1:{service.port}/", b"", {})
            assert answer.status == 201
            assert len(made) == expected
    outbound.close()
    assert made[0] is not threading.current_thread()


async def test_loaded_certificates_are_used_for_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Any] = []
    client = httpx.AsyncClient

    def made(**named: Any) -> httpx.AsyncClient:
        given.append(named["verify"])
        return client(**named)

    monkeypatch.setattr(httpx, "AsyncClient", made)
    outbound = Outbound(allow_private=True)
    async with push_service() as service:
        await outbound.post(f"http://127.0.0.1:{service.port}/", b"", {})
    outbound.close()
    (trusted,) = given
    assert trusted.verify_mode is ssl.CERT_REQUIRED
    assert trusted.check_hostname
    assert trusted.cert_store_stats()["x509_ca"] > 50


@pytest.mark.parametrize("url", BAD)
def test_url_with_invisible_characters_is_rejected(url: str) -> None:
    with pytest.raises(BadUrl, match=r"^That is not an address\.$"):
        validate_url(url, allow_private=False, max_length=500, what="A webhook")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/\x01", "http://127.0.0.1:99999/", "http://[/", "http://a\x00b/", "http://\xad/"]
)
async def test_url_that_cannot_be_called_is_unreachable(url: str) -> None:
    outbound = Outbound(allow_private=True)
    with pytest.raises(Unreachable):
        await outbound.post(url, b"", {})
    outbound.close()


async def test_attack_url_with_hidden_characters_is_rejected_and_a_stored_one_fails(
    sqlite_url: str,
) -> None:
    async with pushing_site(sqlite_url) as site:
        ann, told = await site.guest("Anne Bonfire")
        for url in (bad for bad in BAD if "\x00" not in bad):  # no request body may contain it
            answer = await ann.put("/api/v1/me/notices", json={"webhook": url})
            assert code_of(answer) == "bad_webhook"
            assert answer.json()["error"]["message"] == "That is not an address."
        await ann.put("/api/v1/me/notices", json={"webhook": "http://127.0.0.1:9/"})
        mine = notices.c.player == told["person"]["id"]
        await site.site.notices.database.execute_write(
            update(notices)
            .where(mine)
            .values(webhook="http://127.0.0.1:9/\x01")  # accepted by an older release
        )
        answer = await ann.post("/api/v1/me/notices/test")
        assert (answer.status_code, answer.json()) == (200, {"outcome": "unreachable"})
