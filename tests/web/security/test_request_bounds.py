"""Bounds on requests before parsing, charges by size, and security headers on every response."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import fastapi.routing
import httpx
import pytest
from fastapi.exceptions import RequestValidationError

from app.main import create_app
from app.settings import Settings
from app.web.security.request_bounds import (
    DEFAULT_BODY_BYTES,
    MAX_HEADERS,
    MAX_HOST_BYTES,
    MAX_QUERY_BYTES,
    MAX_QUERY_FIELDS,
    is_host,
)
from tests.attack.routes import routes
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import open_table

ROOM = "abcdefghijklmnop"
SOME_PATHS = (
    "/",
    "/healthz",
    "/readyz",
    "/static/0/css/tokens.css",
    f"/qr/g/{ROOM}.svg",
    f"/oembed?url=http://testserver/g/{ROOM}",
    "/api/v1/me",
    f"/embed/{ROOM}",
    "/nowhere",
)


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url) as test:
        yield test


def _with_query(path: str, query: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{query}"


async def test_a_long_query_is_refused_everywhere(site: TestSite) -> None:
    browser = site.browser(accept="text/html")
    for path in SOME_PATHS:
        assert (await browser.get(_with_query(path, "a=" + "b" * 1500))).status_code != 414
        for query in ("a=" + "b" * MAX_QUERY_BYTES, "a&" * (MAX_QUERY_FIELDS + 1)):
            answer = await browser.get(_with_query(path, query))
            assert (answer.status_code, code_of(answer)) == (414, "address_too_long"), path


async def test_a_long_path_is_refused(site: TestSite) -> None:
    answer = await site.browser().get("/rules/" + "a" * 3000)
    assert (answer.status_code, code_of(answer)) == (414, "address_too_long")


async def test_an_invalid_host_header_is_refused_everywhere(site: TestSite) -> None:
    long = "a" * (MAX_HOST_BYTES + 1)
    for host in ("[", "[::::]", long, "testserver:99999", "test server", "evil; script-src *", "a/b", "a@b"):
        for path in SOME_PATHS:
            answer = await site.browser(host=host).get(path)
            assert (answer.status_code, code_of(answer)) == (400, "bad_host"), (host, path)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost",
        "play.example.org:8443",
        "192.0.2.7:80",
        "[::1]:8000",
        "[2001:db8::1]",
        "my_host",
        "xn--a.b",
    ],
)
def test_host_headers_of_real_clients_are_accepted(host: str) -> None:
    assert is_host(host.encode())


async def test_two_host_headers_and_too_many_headers_are_refused(site: TestSite) -> None:
    browser = site.program()
    twice = httpx.Headers([("host", "testserver"), ("host", "evil.example")])
    assert code_of(await browser.get("/", headers=twice)) == "bad_host"
    many = {f"x-{number}": "1" for number in range(MAX_HEADERS + 1)}
    answer = await browser.get("/", headers=many)
    assert (answer.status_code, code_of(answer)) == (431, "too_many_headers")


async def test_many_cookies_of_other_sites_do_not_hide_ours(site: TestSite) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    ours = f"cartagena={browser.cookies['cartagena']}"
    for cookies in (f"{ours}; {'a=b; ' * 500}lang=de", f"{'xcartagena=b; ' * 200}{ours};lang=de"):
        program = site.program(cookie=cookies)
        assert (await program.get("/api/v1/me")).json()["person"]["name"] == "Anne Bonfire"
        assert (await program.get("/rules")).headers["content-language"] == "de"


def _posts() -> list[str]:
    found = [path for method, path in routes(create_app(Settings())) if method in ("POST", "PUT")]
    return [re.sub(r"\{[^}]*\}", ROOM, path) for path in found]


async def test_only_record_uploads_accept_a_large_body(site: TestSite) -> None:
    browser = site.browser()
    for path in _posts():
        answer = await browser.post(path, content=b'"' + b"x" * (DEFAULT_BODY_BYTES * 2) + b'"')
        is_larger = path in ("/replay/steps", f"/g/{ROOM}/try")
        assert (answer.status_code == 413) is not is_larger, path
        if not is_larger:
            assert code_of(answer) == "too_big", path


async def _pieces() -> AsyncIterator[bytes]:
    for _ in range(40):
        yield b" " * 1000


async def test_a_chunked_body_is_bounded_too(site: TestSite) -> None:
    answer = await site.browser().post(
        "/api/v1/me", content=_pieces(), headers={"content-type": "application/json"}
    )
    assert (answer.status_code, code_of(answer)) == (413, "too_big")


async def test_an_oversized_page_request_is_413(site: TestSite) -> None:
    for path, size in (("/replay/steps", 950_000), ("/new/check", 5_000), ("/practice/first", 20_000)):
        answer = await site.browser().post(path, content=b'{"a":"' + b"x" * size + b'"}')
        assert (answer.status_code, code_of(answer)) == (413, "too_big"), path


async def test_a_record_with_too_many_moves_is_413(site: TestSite) -> None:
    answer = await site.browser().post("/replay/steps", json={"record": {"actions": [1] * 5000}})
    assert (answer.status_code, code_of(answer)) == (413, "too_big")


async def test_large_requests_cost_more_than_small_ones(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=100, requests_per_second=0.01, writes_burst=10_000) as site:
        large = site.browser("203.0.113.5")
        body = b'{"record": "' + b"x" * 400_000 + b'"}'
        statuses = [(await large.post("/replay/steps", content=body)).status_code for _ in range(4)]
        assert statuses[0] == 422
        assert statuses[-1] == 429, "each is as large as fifty requests"
        small = site.browser("203.0.113.6")
        assert [(await small.get("/api/v1/me")).status_code for _ in range(90)] == [200] * 90
        static = site.browser("203.0.113.7", cookie="a=" + "x" * 14_000)
        statuses = [(await static.get("/static/0/css/tokens.css")).status_code for _ in range(120)]
        assert statuses[-1] == 429, "files are cheap, but large requests for them are not"


async def test_the_largest_record_is_accepted_with_any_limits(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=40, requests_per_second=0.01, writes_burst=10_000) as site:
        body = b'{"record": "' + b"x" * 850_000 + b'"}'
        answer = await site.browser("203.0.113.5").post("/replay/steps", content=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_record")


async def test_health_checks_have_their_own_limit(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=20, requests_per_second=0.01) as site:
        browser = site.browser()
        assert [(await browser.get("/api/v1/me")).status_code for _ in range(21)][-1] == 429
        answers = [(await browser.get("/healthz")).status_code for _ in range(21)]
        assert answers == [200] * 20 + [429]


async def test_validation_stops_at_the_first_unknown_field(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = ",".join(f'"k{number}":1' for number in range(1300))
    seen: list[int] = []

    class Counted(RequestValidationError):
        def __init__(self, errors: Sequence[Any], **given: Any) -> None:
            seen.append(len(errors))
            super().__init__(errors, **given)

    monkeypatch.setattr(fastapi.routing, "RequestValidationError", Counted)
    answer = await site.browser().post(
        "/api/v1/me", content=f"{{{fields}}}", headers={"content-type": "application/json"}
    )
    assert (answer.status_code, code_of(answer)) == (422, "bad_request")
    assert "k0" in answer.json()["error"]["message"]
    assert seen == [1]


LARGE_HEADS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("/", "a&" * 15_000, {}),
    ("/healthz", "a&" * 15_000, {}),
    ("/static/0/css/tokens.css", "a&" * 15_000, {}),
    ("/", "a&" * 1000, {}),
    ("/", "a=%41%42&" * 60, {}),
    ("/", "a=" + "%41" * 600, {}),
    ("/", "", {"cookie": "a;" * 8000}),
    ("/", "", {"accept-language": "a," * 8000}),
    ("/", "", {"host": "a" * 15_000}),
    (f"/qr/g/{ROOM}.svg", "", {"host": "a" * 15_000}),
    ("/", "", {"x-forwarded-for": "1," * 8000}),
    ("/", "", {f"x-{number}": "" for number in range(2500)}),
)


async def _calls_of(site: TestSite, path: str, query: str, headers: dict[str, str]) -> int:
    """Count the Python and C functions that the app calls to answer a request."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: object) -> None: ...

    given = {"host": "testserver", "accept": "text/html", "x-forwarded-for": "203.0.113.5", **headers}
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("198.51.100.7", 40000),
        "server": ("testserver", 80),
    }
    sys.setprofile(count)
    try:
        await site.app(scope, receive, send)
    finally:
        sys.setprofile(None)
    return calls


async def test_a_large_head_costs_hardly_more_than_a_small_one(sqlite_url: str) -> None:
    """The event loop is shared: work for one request delays all others."""
    async with running(sqlite_url, trusted_hops=1) as site:
        for path, query, headers in (("/", "", {}), *LARGE_HEADS):  # fills templates and caches
            await _calls_of(site, path, query, headers)
        small = await _calls_of(site, "/", "", {})
        for path, query, headers in LARGE_HEADS:
            large = await _calls_of(site, path, query, headers)
            print(path, query[:5], [*headers][:1], small, large)
            assert large < 3 * small, (path, query[:5], headers.keys())


async def test_error_pages_for_a_refused_flood_are_limited(sqlite_url: str) -> None:
    async with running(sqlite_url, requests_burst=3, requests_per_second=0.01, trusted_hops=1) as site:
        first = await _calls_of(site, "/", "", {})
        for _ in range(40):
            await _calls_of(site, "/", "", {})
        last = await _calls_of(site, "/", "", {})
        assert last < first / 5
        browser = site.program(accept="text/html", **{"x-forwarded-for": "203.0.113.5"})
        answer = await browser.get("/")
        assert (answer.status_code, code_of(answer)) == (429, "too_many")
        assert int(answer.headers["retry-after"]) > 0
        banned = site.browser("203.0.113.9", accept="text/html", **{"x-forwarded-for": "203.0.113.77"})
        site.site.bans.replace(["203.0.113.77"])
        answers = [await banned.get("/rules") for _ in range(25)]
        assert {answer.status_code for answer in answers} == {403}
        assert answers[0].headers["content-type"].startswith("text/html")
        assert code_of(answers[-1]) == "banned"


# -- trailing slashes ------------------------------------------------------------------------------------------


async def test_a_trailing_slash_causes_no_redirect(sqlite_url: str) -> None:
    public = "https://play.example.org"
    async with running(sqlite_url, public_url=public, secret="k" * 40, trusted_hops=1) as site:
        for path in (f"/g/{ROOM}/", "/resume/ABCD-EFGH-JKMN/", "/rules/", f"/embed/{ROOM}/"):
            answer = await site.browser(host="10.0.0.5:8000").get(path)
            assert answer.status_code == 200, path
            assert "location" not in answer.headers


async def test_a_write_with_a_trailing_slash_is_accepted(site: TestSite) -> None:
    answer = await site.browser().post("/api/v1/me/", json={"name": "Anne Bonfire"})
    assert answer.status_code == 200
    assert answer.json()["person"]["name"] == "Anne Bonfire"


async def test_odd_slashes_are_404_without_a_redirect(site: TestSite) -> None:
    for path in (b"//", b"//evil.example/", b"/g//"):
        url = httpx.URL(scheme="http", host="testserver", raw_path=path)
        answer = await site.browser().get(url)
        assert answer.status_code == 404, path
        assert "location" not in answer.headers


# -- headers of every response ---------------------------------------------------------------------------------


def has_security_headers(answer: httpx.Response) -> bool:
    headers = answer.headers
    nosniff: bool = headers.get("x-content-type-options") == "nosniff"
    if answer.request.url.path.startswith("/static/"):
        return nosniff  # browsers apply the policy of the page that loads the file
    return (
        "frame-ancestors" in headers.get("content-security-policy", "")
        and nosniff
        and "referrer-policy" in headers
    )


async def test_every_route_and_every_kind_of_error_has_the_security_headers(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    paths = [(method, re.sub(r"\{[^}]*\}", ROOM, path)) for method, path in routes(site.app)]
    statuses: set[int] = set()
    for accept in ("text/html", "application/json"):
        for method, path in paths:
            if method != "WS" and not path.endswith("/events"):  # a stream is the last case below
                answer = await browser.request(method, path, headers={"accept": accept})
                assert has_security_headers(answer), (method, path, answer.status_code)
                statuses.add(answer.status_code)
    game = await open_table((await site.guest("Cy Bonfire"))[0])
    errors = [
        await browser.get("/nowhere"),
        await browser.delete("/api/v1/me"),
        await browser.get("/resume"),
        await browser.get("/static/0/nothing.js"),
        await browser.get("/static/0/js/core/i18n.js"),
        await browser.get("/?" + "a" * 5000),
        await browser.get("/", headers={"host": "["}),
        await browser.post("/api/v1/me", content=b"x" * 20_000),
        await browser.post("/api/v1/me", content=b"{"),
        await site.program().post(
            "/api/v1/me", json={}, headers={"cookie": f"cartagena={browser.cookies['cartagena']}"}
        ),
        await browser.get(f"/api/v1/games/{game}/record"),
    ]
    fault = RuntimeError("broken mast")

    async def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(site.site.people, "find_player", fail)
    for accept in ("text/html", "application/json"):
        errors.append(await browser.get("/players/someone", headers={"accept": accept}))
        assert errors[-1].status_code == 500
    for answer in errors:
        assert has_security_headers(answer), answer
    statuses |= {answer.status_code for answer in errors}
    assert {200, 303, 400, 401, 403, 404, 405, 409, 413, 414, 422, 500} <= statuses


async def test_a_fault_in_the_error_page_still_has_the_security_headers(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("broken mast")

    monkeypatch.setattr(site.site.people, "find_player", fail)
    monkeypatch.setattr(site.app.state, "error_page", fail)
    answer = await site.browser(accept="text/html").get("/players/someone")
    assert (answer.status_code, code_of(answer)) == (500, "server_fault")
    assert has_security_headers(answer)
