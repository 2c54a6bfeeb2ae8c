"""Authorisation: a row for every route, tried as every kind of caller. A new route needs a row.

open       every client, with or without a session
known      a session (even a guest's) or a program's token
own        a session in a browser; a program's token is not enough
browser    every client except a program with a token
account    an account's session in a browser
operator   the operator only; other clients get 404
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from app.main import create_app
from app.settings import Settings
from tests.web.running_site import TestSite, running
from tests.web.tables import play_table

PASSWORD = "plank, parrot, doubloon"

ROWS: dict[tuple[str, str], str] = {
    ("GET", "/api/v1/openapi.json"): "open",
    ("GET", "/healthz"): "open",
    ("GET", "/readyz"): "open",
    ("GET", "/metrics"): "operator",
    ("GET", "/api/v1/me"): "open",
    ("POST", "/api/v1/me"): "browser",
    ("GET", "/api/v1/me/devices"): "known",
    ("GET", "/api/v1/me/games"): "known",
    ("GET", "/api/v1/me/data"): "own",
    ("POST", "/api/v1/me/delete"): "own",
    ("GET", "/api/v1/me/notices"): "own",
    ("PUT", "/api/v1/me/notices"): "own",
    ("POST", "/api/v1/me/notices/confirm"): "own",
    ("POST", "/api/v1/me/notices/test"): "own",
    ("PUT", "/api/v1/me/notices/wishes"): "own",
    ("GET", "/api/v1/me/notices/games/{game}"): "own",
    ("PUT", "/api/v1/me/notices/games/{game}"): "own",
    ("GET", "/api/v1/me/ratings"): "known",
    ("POST", "/api/v1/me/ratings"): "own",
    ("GET", "/api/v1/me/push"): "own",
    ("POST", "/api/v1/me/push"): "own",
    ("POST", "/api/v1/me/push/end"): "own",
    ("POST", "/api/v1/games/{game}/invitations"): "known",
    ("POST", "/api/v1/account/register"): "browser",
    ("POST", "/api/v1/account/login"): "browser",
    ("POST", "/api/v1/account/recover"): "open",
    ("POST", "/api/v1/account/password"): "account",
    ("POST", "/api/v1/account/recovery-codes"): "account",
    ("POST", "/api/v1/account/logout"): "own",
    ("POST", "/api/v1/account/logout-everywhere"): "own",
    ("GET", "/api/v1/account/tokens"): "known",
    ("POST", "/api/v1/account/tokens"): "account",
    ("DELETE", "/api/v1/account/tokens/{token}"): "own",
    ("POST", "/api/v1/resume-codes"): "own",
    ("POST", "/api/v1/resume"): "open",
    ("POST", "/resume"): "open",
    ("GET", "/api/v1/players/{player}"): "open",
    ("GET", "/api/v1/blocks"): "known",
    ("PUT", "/api/v1/blocks/{player}"): "own",
    ("DELETE", "/api/v1/blocks/{player}"): "own",
    ("POST", "/api/v1/reports"): "own",
    ("GET", "/api/v1/friends"): "own",
    ("GET", "/api/v1/friends/scores"): "own",
    ("GET", "/api/v1/friends/relations"): "own",
    ("PUT", "/api/v1/friends/{player}"): "account",
    ("DELETE", "/api/v1/friends/{player}"): "own",
    ("DELETE", "/api/v1/friends/requests/{player}"): "own",
    ("GET", "/api/v1/friends/{player}/tables"): "own",
    ("GET", "/api/v1/me/visibility"): "own",
    ("PUT", "/api/v1/me/visibility"): "account",
    ("GET", "/api/v1/notes/{player}"): "own",
    ("PUT", "/api/v1/notes/{player}"): "own",
    ("DELETE", "/api/v1/notes/{player}"): "own",
    ("DELETE", "/api/v1/games/{game}/invitations"): "known",
    ("POST", "/api/v1/games/{game}/again"): "known",
    ("GET", "/stop/{token}"): "open",
    ("POST", "/stop/{token}"): "open",
    ("GET", "/qr/g/{room}.svg"): "open",
    ("GET", "/api/v1/games"): "open",
    ("POST", "/api/v1/games"): "open",
    ("POST", "/api/v1/quick"): "open",
    ("GET", "/api/v1/games/{game}"): "open",
    ("GET", "/api/v1/games/{game}/record"): "open",
    ("GET", "/api/v1/games/{game}/ratings"): "open",
    ("GET", "/api/v1/games/{game}/seat-ratings"): "open",
    ("GET", "/api/v1/players/{player}/ratings"): "open",
    ("GET", "/api/v1/players/{player}/ratings/{pool}/history"): "open",
    ("GET", "/api/v1/ratings/{pool}"): "open",
    ("GET", "/api/v1/ratings/export"): "open",
    ("GET", "/api/v1/games/{game}/events"): "open",
    ("POST", "/api/v1/games/{game}/act"): "known",
    ("POST", "/api/v1/games/{game}/commands"): "known",
    ("GET", "/api/v1/games/{game}/review"): "open",
    ("GET", "/api/v1/games/{game}/seen"): "open",
    ("POST", "/api/v1/games/{game}/hint"): "known",
    ("GET", "/api/v1/deal"): "open",
    ("POST", "/api/v1/deal"): "browser",
    ("GET", "/api/v1/deal/{day}"): "open",
    ("GET", "/api/v1/deal/{day}/results"): "open",
    ("POST", "/new/check"): "open",
    ("POST", "/practice/{name}"): "open",
    ("GET", "/practice"): "open",
    ("GET", "/practice/mistakes"): "known",
    ("POST", "/practice/mistakes/search"): "known",
    ("POST", "/practice/mistakes/{puzzle}/{step}/play"): "known",
    ("POST", "/practice/mistakes/{puzzle}/{step}/judge"): "known",
    ("GET", "/analysis"): "open",
    ("GET", "/analysis/setup"): "open",
    ("POST", "/analysis/play"): "open",
    ("POST", "/analysis/evaluate"): "open",
    ("POST", "/replay/steps"): "open",
    ("GET", "/g/{game}/seen"): "open",
    ("POST", "/g/{game}/try"): "open",
    ("WS", "/ws/game/{game}"): "open",
    ("WS", "/ws/lobby"): "open",
    ("WS", "/ws/embed/{game}"): "open",
    ("GET", "/share/g/{room}.png"): "open",
    ("GET", "/share/players/{player}.png"): "open",
    ("GET", "/oembed"): "open",
}
# Pages and files are the same for everyone; their contents come from the API above.
PAGES = (
    "/ /deal /deal/{day} "
    "/new /g/{room} /g/{room}/screen /g/{room}/replay /g/{room}/fairness /g/{room}/review /g/{room}/try /replay "
    "/h/{room} /h/{room}/ "
    "/fairness /ratings /rules "
    "/rules/{topic} /tutorial /about /offline /me /friends /players/{player} /account /resume /resume/{code} "
    "/static/{fingerprint}/{name:path} /embed/{room} "
    "/lang/{name}.json /manifest.webmanifest /icon.svg /favicon.ico /worker.js /robots.txt /sitemap.xml"
)
ROWS |= {("GET", page): "open" for page in PAGES.split()}

BODIES: dict[str, dict[str, Any]] = {
    "/api/v1/account/password": {"old": PASSWORD, "new": PASSWORD + "!"},
    "/api/v1/account/recovery-codes": {"password": PASSWORD},
    "/api/v1/account/tokens": {"label": "mine", "password": PASSWORD},
    "/api/v1/me/notices/confirm": {"code": "AAAA-BBBB"},
    "/api/v1/me/push": {"endpoint": "https://push.example/x", "keys": {"p256dh": "AAAA", "auth": "AAAA"}},
    "/api/v1/me/push/end": {"endpoint": "https://push.example/x"},
    "/api/v1/games/{game}/invitations": {"player": "nobody"},
    "/api/v1/notes/{player}": {"text": "Plays fast."},
    "/api/v1/reports": {"player": "nobody", "reason": "other"},
    "/api/v1/me/ratings": {"hides_ratings": False, "withheld": False},
    "/api/v1/games/{game}/commands": {"do": "chat", "id": "chat-00001", "text": "ahoy"},
    "/api/v1/games/{game}/act": {"id": "act-000001", "version": 1, "action": {"type": "end"}},
    "/api/v1/games/{game}/hint": {"id": "hint-00001", "version": 1},
}
SESSION_ENDING_ROUTES = [  # these end sessions of the callers, so each is tried on its own server
    ("POST", "/api/v1/me/delete"),
    ("POST", "/api/v1/account/logout"),
    ("POST", "/api/v1/account/logout-everywhere"),
    ("POST", "/api/v1/account/password"),
]
STREAM_ROUTES = ("/api/v1/games/{game}/events",)  # a stream; tested with the sockets


def _routes() -> Iterator[tuple[str, str]]:
    def walk(routes: Any) -> Iterator[Any]:
        for route in routes:
            inner = getattr(route, "original_router", None)
            yield from walk(inner.routes) if inner is not None else (route,)

    for route in walk(create_app(Settings()).routes):
        for method in sorted((getattr(route, "methods", None) or {"WS"}) - {"HEAD"}):
            yield method, route.path


APP_ROUTES = list(_routes())
TESTED_ROUTES = [
    (method, path) for method, path in APP_ROUTES if method != "WS" and path not in STREAM_ROUTES
]


def test_every_route_has_exactly_one_row() -> None:
    assert [route for route in APP_ROUTES if route not in ROWS] == []
    assert len(APP_ROUTES) == len(set(APP_ROUTES))


class Callers:
    """One caller of every kind, on one server."""

    def __init__(self) -> None:
        self.filled: dict[str, str] = {}
        self.callers: dict[str, httpx.AsyncClient] = {}

    async def call(self, who: str, method: str, path: str) -> httpx.Response:
        address = path
        for hole, value in self.filled.items():
            address = address.replace(hole, value)
        self.callers["nobody"].cookies.clear()  # some routes create a guest for a client without a session
        body = {} if method == "GET" else {"json": BODIES.get(path, {})}
        return await self.callers[who].request(method, address, **body)  # type: ignore[arg-type]


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url, guests_per_hour=1000) as test:
        yield test


@pytest.fixture
async def callers(site: TestSite) -> Callers:
    made = Callers()
    guest, _ = await site.guest("Anne Bonfire", "198.51.100.1")
    account, _ = await site.guest("Bo Bellows", "198.51.100.2")
    other, told = await site.guest("Cy Sculpin", "198.51.100.3")
    await account.post("/api/v1/account/register", json={"password": PASSWORD})
    wanted = {"label": "mine", "password": PASSWORD}
    token = (await account.post("/api/v1/account/tokens", json=wanted)).json()["token"]
    room = await play_table(guest, other)
    banned, banned_told = await site.guest("Dee Urchin", "198.51.100.4")
    await site.site.social.ban(
        "olga", player=banned_told["person"]["id"], address=None, reason="x", until=None, now=site.site.now()
    )
    site.site.player_cache.clear()
    foreign = site.program("198.51.100.5", origin="https://evil.example", **{"sec-fetch-site": "cross-site"})
    foreign.cookies = account.cookies
    made.callers = {
        "nobody": site.browser("198.51.100.6"),
        "guest": guest,
        "account": account,
        "program": site.program("198.51.100.7", authorization=f"Bearer {token}"),
        "stranger": site.program("198.51.100.8", authorization="Bearer ct_wrong"),
        "banned": banned,
        "foreign": foreign,
    }
    made.filled = {
        "{game}": room,
        "{room}": room,
        "{player}": told["person"]["id"],
        "{token}": "0" * 16,
        "{topic}": "options",
        "{code}": "AAAA-BBBB-CCCC",
        "{name}": "nothing",
        "{puzzle}": "nothing",
        "{step}": "0",
        "{fingerprint}": "0",
        "{name:path}": "nothing",
    }
    return made


async def test_every_route_admits_the_callers_of_its_row(callers: Callers) -> None:
    for method, path in TESTED_ROUTES:
        if (method, path) not in SESSION_ENDING_ROUTES:
            await _check(callers, method, path)


@pytest.mark.parametrize(
    ("method", "path"), SESSION_ENDING_ROUTES, ids=[path for _, path in SESSION_ENDING_ROUTES]
)
async def test_routes_that_end_sessions_admit_the_callers_of_their_row(
    callers: Callers, method: str, path: str
) -> None:
    await _check(callers, method, path)


async def _check(callers: Callers, method: str, path: str) -> None:
    kind = ROWS[method, path]
    answers = {
        who: await callers.call(who, method, path) for who in ("foreign", "banned", "stranger", "nobody")
    }
    if method != "GET":
        assert answers["foreign"].status_code == 403, (
            "another site's page must not write with a person's cookie"
        )
        assert answers["foreign"].json()["error"]["code"] == "forged"
    if kind == "operator":
        assert {answer.status_code for answer in answers.values()} == {404}
        return
    if kind in ("open", "browser"):
        assert answers["nobody"].status_code not in (401, 403), f"{path}: {answers['nobody'].text}"
    else:
        for who in ("nobody", "stranger"):
            assert answers[who].status_code == 401, f"{path} {who}: {answers[who].text}"
        assert answers["banned"].status_code == 403, f"{path}: {answers['banned'].text}"
    guest = await callers.call("guest", method, path)
    program = await callers.call("program", method, path)
    account = await callers.call("account", method, path)
    allowed = {
        "open": (guest, program, account),
        "known": (guest, program, account),
        "own": (guest, account),
        "browser": (guest, account),
        "account": (account,),
    }[kind]
    refused = [answer for answer in (guest, program, account) if answer not in allowed]
    for answer in allowed:
        told = answer.json()["error"]["code"] if answer.status_code in (401, 403) else ""
        # refused because of the request and not the caller: a wrong password, another player's seat
        about_request = ("wrong_login", "not_seated", "no_webhooks", "no_mail", "friend_is_guest")
        assert told in ("", *about_request), f"{path}: {answer.text}"
    for answer in refused:
        assert answer.status_code == 403, f"{path}: {answer.text}"
    for answer in (*answers.values(), guest, program, account):
        assert answer.status_code < 500, f"{path}: {answer.text}"
