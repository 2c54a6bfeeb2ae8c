"""BREACH: a page is compressed only if its length cannot reveal its secret."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from tests.web.running_site import TestSite, running

MARK = "Zq7mark00"
FIXED = (
    "/",
    "/new",
    "/rules",
    "/rules/morgan",
    "/tutorial",
    "/about",
    "/me",
    "/account",
    "/replay",
    "/fairness",
)
REFLECTING = (
    f"/?q={MARK}",
    f"/rules/morgan?q={MARK}",
    f"/new?preset={MARK}",
    f"/g/{MARK}",
    f"/g/{MARK}/replay",
    f"/g/{MARK}/review",
    f"/players/{MARK}",
    f"/resume/{MARK}",
    f"/stop/{MARK}",
    f"/nowhere/{MARK}",
)


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url) as test:
        yield test


async def test_foreign_text_is_never_compressed_together_with_a_token(site: TestSite) -> None:
    victim, _ = await site.guest("Ann")
    victim.headers["accept"] = "text/html"
    shown = 0
    for address in REFLECTING:
        answer = await victim.get(address)
        assert len(re.findall('name="csrf" content="[0-9a-f]{40}"', answer.text)) == 1
        assert "content-encoding" not in answer.headers, address
        shown += MARK in answer.text
    assert shown >= 5  # otherwise the addresses above are harmless and the test proves nothing


async def test_a_guess_in_the_address_does_not_affect_the_compressed_length(site: TestSite) -> None:
    victim, _ = await site.guest("Ann")
    page = await victim.get("/")
    found = re.search('name="csrf" content="([0-9a-f]{40})"', page.text)
    assert found is not None
    guesses = (found[1], found[1][::-1], "0" * 40)
    lengths = {(await victim.get(f"/?q={guess}")).headers["content-length"] for guess in guesses}
    assert len(lengths) == 1


async def test_pages_that_do_not_show_their_address_are_compressed(site: TestSite) -> None:
    ann, _ = await site.guest("Ann")
    for address in FIXED:
        answer = await ann.get(address)
        assert answer.headers["content-encoding"] == "gzip", address
        assert "Accept-Encoding" in answer.headers["vary"]
        assert int(answer.headers["content-length"]) * 2 < len(answer.content), address
        plain = await ann.get(address, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.text == answer.text


async def test_without_a_session_every_page_is_compressed(site: TestSite) -> None:
    stranger = site.browser()
    stranger.headers["accept"] = "text/html"
    for address in (*FIXED, *REFLECTING):
        answer = await stranger.get(address)
        assert answer.headers["content-encoding"] == "gzip", address
        assert 'name="csrf" content=""' in answer.text


async def test_the_openapi_description_is_compressed_once(site: TestSite) -> None:
    program = site.program()
    packed = await program.get("/api/v1/openapi.json")
    plain = await program.get("/api/v1/openapi.json", headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) * 4 < int(plain.headers["content-length"])
    kept = site.app.state.openapi_json
    await program.get("/api/v1/openapi.json")
    assert site.app.state.openapi_json is kept
