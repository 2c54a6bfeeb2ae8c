"""BREACH: the length of a compressed page reveals nothing about its secret."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx
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


def find_token(page: httpx.Response) -> str:
    found = re.search('name="csrf" content="([0-9a-f]{56})"', page.text)
    assert found is not None
    return found[1]


async def test_foreign_text_never_meets_the_same_token_twice(site: TestSite) -> None:
    victim, told = await site.guest("Ann")
    victim.headers["accept"] = "text/html"
    shown, tokens = 0, {told["csrf"]}
    for address in REFLECTING:
        answer = await victim.get(address)
        assert answer.headers["content-encoding"] == "gzip", address
        tokens.add(find_token(answer))
        shown += MARK in answer.text
    assert shown >= 5  # otherwise the addresses above are harmless and the test proves nothing
    assert len(tokens) == 1 + len(REFLECTING)
    # Neither half is shared: a guess of one page's token is no part of another's.
    for part in (slice(0, 16), slice(16, 56)):
        assert len({token[part] for token in tokens}) == len(tokens)


async def test_a_guess_in_the_address_does_not_affect_the_compressed_length(site: TestSite) -> None:
    """A page repeats a right guess, but the token it then contains is another one."""
    victim, _ = await site.guest("Ann")
    token = find_token(await victim.get("/"))
    for guess in (token, token[16:]):
        assert guess not in (await victim.get(f"/?q={guess}")).text.replace(f"q={guess}", "")


async def test_the_token_of_any_page_is_accepted_for_its_session_only(site: TestSite) -> None:
    victim, _ = await site.guest("Ann")
    other, _ = await site.guest("Bo", "203.0.113.9")
    tokens = [find_token(await victim.get(address)) for address in ("/", "/new", f"/g/{MARK}")]
    for browser, status in ((victim, 200), (other, 403)):
        for token in tokens:
            program = site.program(**{"x-csrf": token})
            program.cookies = browser.cookies
            answer = await program.post("/api/v1/me", json={"name": "Ann Again"})
            assert answer.status_code == status, answer.text
    program = site.program(**{"x-csrf": tokens[0][:-1] + "x"})
    program.cookies = victim.cookies
    assert (await program.post("/api/v1/me", json={"name": "Ann Again"})).status_code == 403


async def test_pages_are_compressed(site: TestSite) -> None:
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
