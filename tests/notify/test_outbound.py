"""Posting to strangers' addresses: certificates read once and beside the loop, and addresses that cannot be called."""

from __future__ import annotations

import ssl
import threading
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from app.notify.outbound import BadUrl, NotReached, Outbound, checked_url
from app.store.people.tables import notices
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


async def test_the_certificates_are_read_once_and_not_by_the_loops_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[threading.Thread] = []
    make = ssl.create_default_context

    def create(*given: Any, **named: Any) -> ssl.SSLContext:
        made.append(threading.current_thread())
        return make(*given, **named)

    monkeypatch.setattr(ssl, "create_default_context", create)
    # tests/conftest.py spares the tests' own clients this: here it is looked at.
    monkeypatch.setattr("httpx._transports.default.create_ssl_context", httpx.create_ssl_context)
    outbound = Outbound(private=True)
    async with push_service() as service:
        for expected in (1, 1, 1):
            answer = await outbound.post(f"http://127.0.0.1:{service.port}/", b"", {})
            assert answer.status == 201
            assert len(made) == expected
    outbound.close()
    assert made[0] is not threading.current_thread()


async def test_the_certificates_that_were_read_are_those_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[Any] = []
    client = httpx.AsyncClient

    def made(**named: Any) -> httpx.AsyncClient:
        given.append(named["verify"])
        return client(**named)

    monkeypatch.setattr(httpx, "AsyncClient", made)
    outbound = Outbound(private=True)
    async with push_service() as service:
        await outbound.post(f"http://127.0.0.1:{service.port}/", b"", {})
    outbound.close()
    (trusted,) = given
    assert trusted.verify_mode is ssl.CERT_REQUIRED
    assert trusted.check_hostname
    assert trusted.cert_store_stats()["x509_ca"] > 50


@pytest.mark.parametrize("url", BAD)
def test_an_address_has_letters_that_can_be_seen_only(url: str) -> None:
    with pytest.raises(BadUrl, match=r"^That is not an address\.$"):
        checked_url(url, private=False, longest=500, what="A webhook")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/\x01", "http://127.0.0.1:99999/", "http://[/", "http://a\x00b/", "http://\xad/"]
)
async def test_an_address_that_cannot_be_called_is_not_reached(url: str) -> None:
    outbound = Outbound(private=True)
    with pytest.raises(NotReached):
        await outbound.post(url, b"", {})
    outbound.close()


async def test_attack_an_address_with_hidden_letters_is_refused_and_an_old_one_is_a_failed_call(
    sqlite_url: str,
) -> None:
    async with pushing_site(sqlite_url) as site:
        ann, told = await site.guest("Anne Bonfire")
        for url in (each for each in BAD if "\x00" not in each):  # that no body may have
            answer = await ann.put("/api/v1/me/notices", json={"webhook": url})
            assert code_of(answer) == "bad_webhook"
            assert answer.json()["error"]["message"] == "That is not an address."
        await ann.put("/api/v1/me/notices", json={"webhook": "http://127.0.0.1:9/"})
        mine = notices.c.player == told["person"]["id"]
        await site.site.notices.change(
            update(notices)
            .where(mine)
            .values(webhook="http://127.0.0.1:9/\x01")  # as an older release took it
        )
        answer = await ann.post("/api/v1/me/notices/test")
        assert (answer.status_code, answer.json()) == (200, {"outcome": "unreachable"})
