"""The guard: forged writes, security headers, limits by address, bans, large bodies."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import httpx
import pytest
from starlette.requests import HTTPConnection

from app.play.frames import Frame
from app.play.refusals import LostRaces, Refusal
from app.settings import Settings
from app.web.errors import NotAllowed, status_of
from app.web.online import OnlinePeople
from app.web.security.address import client_address, is_direct_from_loopback
from app.web.security.bans import Bans
from app.web.ws.open_sockets import OpenSockets
from tests.web.running_site import ORIGIN, TestSite, code_of, running

HTTPS = "https://play.example.org"


async def _with_cookie(site: TestSite, **headers: str) -> httpx.AsyncClient:
    browser, _ = await site.guest()
    attacker = site.program(**headers)
    attacker.cookies = browser.cookies
    return attacker


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://testserver.evil.example"},
        {"origin": "http://testserver:81"},
        {"origin": "not an origin"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": ORIGIN, "sec-fetch-site": "same-site"},
        {},
        {"x-csrf": "0" * 40},
        {"x-csrf": ""},
    ],
)
async def test_another_site_cannot_write_with_a_persons_cookie(
    sqlite_url: str, headers: dict[str, str]
) -> None:
    async with running(sqlite_url) as site:
        attacker = await _with_cookie(site, **headers)
        answer = await attacker.post("/api/v1/me", json={"name": "Pwned"})
        assert (answer.status_code, code_of(answer)) == (403, "forged")
        assert (await attacker.get("/api/v1/me")).json()["person"]["name"] != "Pwned"


@pytest.mark.parametrize("headers", [{"origin": ORIGIN}, {"sec-fetch-site": "same-origin"}])
async def test_our_own_page_can_write(sqlite_url: str, headers: dict[str, str]) -> None:
    async with running(sqlite_url) as site:
        browser = await _with_cookie(site, **headers)
        assert (await browser.post("/api/v1/me", json={"name": "Honest Ann"})).status_code == 200


async def test_a_program_with_the_cookie_needs_the_token_of_that_session(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, told = await site.guest()
        program = site.program(**{"x-csrf": told["csrf"]})
        program.cookies = browser.cookies
        assert (await program.post("/api/v1/me", json={"name": "Honest Ann"})).status_code == 200
        _, other = await site.guest()
        program.headers["x-csrf"] = other["csrf"]
        assert code_of(await program.post("/api/v1/me", json={"name": "Honest Bo"})) == "forged"


async def test_with_a_public_url_only_that_origin_is_ours(sqlite_url: str) -> None:
    async with running(sqlite_url, public_url=HTTPS, secret="k" * 40) as site:
        assert (await site.browser(origin=HTTPS).post("/api/v1/me", json={})).status_code == 200
        for origin in (ORIGIN, "http://play.example.org", HTTPS + ":8443"):
            assert code_of(await site.browser(origin=origin).post("/api/v1/me", json={})) == "forged"


@pytest.mark.parametrize("path", ["/api/v1/me", "/nowhere", "/healthz", "/metrics", "/api/v1/openapi.json"])
async def test_every_response_has_the_security_headers(sqlite_url: str, path: str) -> None:
    async with running(sqlite_url) as site:
        answer = await site.browser().get(path)
        policy = answer.headers["content-security-policy"]
        assert "unsafe-inline" not in policy
        assert "unsafe-eval" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script-src 'self';" in policy
        assert not re.search(r"https?://|\*", policy)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["x-frame-options"] == "DENY"


async def test_over_tls_hsts_is_sent(sqlite_url: str) -> None:
    async with running(sqlite_url, public_url=HTTPS, secret="k" * 40) as site:
        answer = await site.browser().get("/healthz")
        assert "max-age=31536000" in answer.headers["strict-transport-security"]


async def test_requests_are_limited_per_address(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=20, requests_per_second=0.01) as site:
        greedy = site.browser("203.0.113.5")
        codes = [(await greedy.get("/api/v1/me")).status_code for _ in range(22)]
        assert codes == [200] * 20 + [429, 429]
        assert (await greedy.get("/healthz")).status_code == 200
        assert (await site.browser("203.0.113.6").get("/api/v1/me")).status_code == 200


async def test_neighbours_in_one_ipv6_network_are_counted_together(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=3, requests_per_second=0.01) as site:
        codes = [
            (await site.browser(f"2001:db8:1:2::{n}").get("/api/v1/me")).status_code for n in range(1, 5)
        ]
        assert codes == [200, 200, 200, 429]


async def test_fifty_people_behind_one_address_can_start_at_once(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        for _ in range(50):
            browser, _told = await site.guest()
            for _ in range(5):
                assert (await browser.get("/api/v1/me")).status_code == 200


@pytest.mark.parametrize(
    ("hops", "forwarded", "counted"),
    [
        (0, "9.9.9.9", "198.51.100.7"),
        (1, "9.9.9.9", "9.9.9.9"),
        (1, "1.1.1.1, 9.9.9.9", "9.9.9.9"),
        (2, "1.1.1.1, 9.9.9.9, 10.0.0.2", "9.9.9.9"),
        (2, "9.9.9.9", "198.51.100.7"),
        (1, "nonsense", "198.51.100.7"),
        (1, "[2001:db8::1]:443", "2001:db8::1"),
        (1, "9.9.9.9:1234", "9.9.9.9"),
    ],
)
async def test_only_trusted_proxies_determine_the_client_address(
    hops: int, forwarded: str, counted: str
) -> None:
    from starlette.requests import HTTPConnection

    from app.settings import Settings
    from app.web.security.address import client_address

    scope = {
        "type": "http",
        "client": ("198.51.100.7", 1),
        "headers": [(b"x-forwarded-for", forwarded.encode())],
    }
    assert client_address(HTTPConnection(scope), Settings(trusted_hops=hops)) == counted


async def test_a_banned_address_or_network_is_refused(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        site.site.bans.replace(["203.0.113.0/24", "2001:db8::/32"])
        for address in ("203.0.113.77", "2001:db8::1"):
            assert code_of(await site.browser(address).get("/api/v1/me")) == "banned"
        assert (await site.browser("198.51.100.9").get("/api/v1/me")).status_code == 200


async def test_an_oversized_body_is_refused_before_it_is_read(sqlite_url: str) -> None:
    async with running(sqlite_url, body_bytes=2048) as site:
        browser = site.browser()
        answer = await browser.post(
            "/api/v1/me",
            content=b'{"name":"' + b"x" * 4000 + b'"}',
            headers={"content-type": "application/json"},
        )
        assert (answer.status_code, code_of(answer)) == (413, "too_big")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b'{"name": 7}', "application/json"),
        (b'{"nom":"x"}', "application/json"),
        (b"\xff\xfe", "application/json"),
        (b"name=x", "text/plain"),
    ],
)
async def test_an_invalid_body_is_refused_in_the_usual_format(
    sqlite_url: str, body: bytes, kind: str
) -> None:
    async with running(sqlite_url) as site:
        answer = await site.browser().post("/api/v1/me", content=body, headers={"content-type": kind})
        assert answer.status_code == 422
        assert code_of(answer) == "bad_request"


async def test_a_refusal_never_repeats_the_sent_value(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        answer = await site.browser().post(
            "/api/v1/account/login", json={"name": "Ann", "password": "hunter22", "extra": "hunter22"}
        )
        assert answer.status_code == 422
        assert "hunter22" not in answer.text


async def test_unknown_paths_and_wrong_methods_answer_in_the_usual_format(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        assert code_of(await site.browser().get("/api/v1/nowhere")) == "not_found"
        assert code_of(await site.browser().delete("/api/v1/me")) == "method_not_allowed"


PAGE = {"accept": "text/html,application/xhtml+xml", "accept-language": "sv"}


async def test_a_banned_or_limited_address_sees_a_page_in_its_language(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=3, requests_per_second=0.005) as site:
        browser = site.browser("203.0.113.9", **PAGE)
        for _ in range(3):
            assert (await browser.get("/rules")).status_code == 200
        limited = await browser.get("/rules")
        assert limited.status_code == 429
        assert limited.headers["content-type"].startswith("text/html")
        assert "om ungefär 4 minuter" in limited.text
        assert int(limited.headers["retry-after"]) <= 200
        site.site.bans.replace(["203.0.113.0/24"])
        banned = await browser.get("/rules")
        assert banned.status_code == 403
        assert banned.headers["content-type"].startswith("text/html")
        assert "stängt av dig" in banned.text
        assert "content-security-policy" in banned.headers
        program = site.program("203.0.113.10", accept="application/json")
        assert code_of(await program.get("/rules")) == "banned"
        assert code_of(await browser.get("/api/v1/me")) == "banned", "the API always answers with JSON"


async def test_no_user_error_is_503(sqlite_url: str) -> None:
    """A proxy takes 503 as a broken worker and avoids it for seconds."""
    public = {"smtp_host": "127.0.0.1", "smtp_port": 1, "public_url": "http://testserver"}
    async with running(sqlite_url, **public) as site:
        ann, _ = await site.guest("Anne Bonfire")
        answer = await ann.put("/api/v1/me/notices", json={"email": "ann@example.org"})
        assert (answer.status_code, code_of(answer)) == (424, "mail_failed"), "nothing listens on port 1"
    assert status_of(LostRaces()) == 409
    assert status_of(Refusal("try_again")) == 503, "the store did not respond"


@pytest.mark.parametrize(
    "banned", ["203.0.113.9", "203.0.113.0/24", "::ffff:203.0.113.9", "::ffff:203.0.113.0/120"]
)
@pytest.mark.parametrize(
    ("peer", "hops", "forwarded"),
    [
        ("203.0.113.9", 0, None),
        ("::ffff:203.0.113.9", 0, None),  # a dual-stack listener
        ("::ffff:cb00:7109", 0, None),
        ("::ffff:10.0.0.2", 1, "::ffff:203.0.113.9"),
        ("10.0.0.2", 1, "[::ffff:203.0.113.9]:4711"),
    ],
)
def test_a_banned_ipv4_address_is_banned_in_mapped_form_too(
    banned: str, peer: str, hops: int, forwarded: str | None
) -> None:
    settings = Settings(trusted_hops=hops)
    bans = Bans(settings)
    bans.replace([banned])
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded is not None else []
    connection = HTTPConnection({"type": "http", "client": (peer, 1), "headers": headers})
    with pytest.raises(NotAllowed):
        bans.check(connection)
    assert client_address(connection, settings) == "203.0.113.9"

    async def record_nothing(people: Collection[str], now: int) -> None: ...

    sockets = OpenSockets(OnlinePeople(lambda: 0, record_nothing))
    ear = _NullListener()
    sockets.add(ear, None, (), client_address(connection, settings))
    assert sockets.close_matching("address", [banned]) == 1
    neighbour = HTTPConnection({"type": "http", "client": ("::ffff:198.51.100.7", 1), "headers": []})
    if not hops:
        bans.check(neighbour)


def test_loopback_is_recognised_behind_a_dual_stack_listener() -> None:
    scope = {"type": "http", "client": ("::ffff:127.0.0.1", 1), "headers": [(b"host", b"localhost:8000")]}
    assert is_direct_from_loopback(HTTPConnection(scope))


class _NullListener:
    def send(self, frame: Frame) -> None: ...
    def send_batch(self, frames: Sequence[Frame]) -> None: ...

    def close(self, code: int, reason: str) -> None: ...
