"""Access: unknown and private tables look alike, guessing is limited, addresses cannot be forged, sessions rotate."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any

import httpx
import orjson
import pytest
from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from app.main import create_app
from app.settings import Settings
from app.web.security.limits import Limits
from tests.attack.routes import routes
from tests.sockets.client import Clients
from tests.sockets.running_server import RunningServer, in_process
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import open_table, sit

ABSENT = "NoSuchTableAnywhere1"
PASSWORD = "plank, parrot, doubloon"
Told = tuple[int, Any, str]


async def _whole(browser: httpx.AsyncClient, method: str, path: str, room: str, **more: Any) -> Told:
    # Uncompressed: the length of a compressed page depends on the requested address.
    more["headers"] = {**more.get("headers", {}), "Accept-Encoding": "identity"}
    answer = await browser.request(method, path.replace("{game}", room).replace("{room}", room), **more)
    headers = sorted(
        (name, value.replace(room, "ROOM"))
        for name, value in answer.headers.multi_items()
        if name not in ("date", "etag")
    )
    # The token depends on the address alone (test_compressed_pages.py).
    text = re.sub(r'(?<=name="csrf" content=")\w+', "TOKEN", answer.text.replace(room, "ROOM"))
    return answer.status_code, headers, text


async def test_an_unknown_table_and_a_locked_one_get_the_same_answer(sqlite_url: str) -> None:
    """Compare status, headers, body and length of every table route, without and with a wrong password."""
    body = {"do": "chat", "id": "chat-00001", "text": "ahoy"}
    act = {"id": "act-000001", "version": 1, "action": {"type": "end"}}
    hint = {"id": "hint-00001", "version": 1}
    bodies = {
        "commands": body,
        "act": act,
        "hint": hint,
        "try": {"step": 1, "actions": []},
        "invitations": {"player": "p" * 20},
        "again": {},
        "{game}": {"switches": {"turn": False}},
    }
    async with running(sqlite_url) as site:
        host, _ = await site.guest("Anne Bonfire", "198.51.100.1")
        locked = await open_table(host, visibility="unlisted", password="open sesame")
        assert len(locked) == len(ABSENT)
        guest, _ = await site.guest("Bo Bellows", "198.51.100.2")
        found = [route for route in routes(site.app) if re.search(r"(?<!qr/g/)\{(game|room)\}", route[1])]
        assert len(found) > 8
        for method, path in found:
            if method == "WS":
                continue
            for browser in (guest, site.browser("198.51.100.3")):
                for headers in ({}, {"X-Room-Password": "guess"}):
                    more: dict[str, Any] = {"headers": headers}
                    if method in ("POST", "PUT"):
                        more["json"] = bodies[path.rsplit("/", 1)[1]]
                    told = [await _whole(browser, method, path, room, **more) for room in (locked, ABSENT)]
                    assert told[0] == told[1], path


async def test_an_unknown_table_and_a_locked_one_get_the_same_frames(sqlite_url: str) -> None:
    async with in_process(sqlite_url) as server:
        clients = Clients(server)
        locked = await clients.open_table(
            await clients.person(), visibility="unlisted", password="open sesame"
        )
        for password in (None, "guess"):
            assert await _turned_away(server, locked, password) == await _turned_away(
                server, ABSENT, password
            )
        await clients.close()


async def test_only_a_listed_table_says_that_it_has_a_password(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        host, _ = await site.guest("Anne Bonfire", "198.51.100.1")
        guest = site.browser("198.51.100.2")
        for visibility, why in (("open", "listed"), ("unlisted", None)):
            room = await open_table(host, visibility=visibility, password="open sesame")
            for password, code in (("", "password_required"), ("guess", "password_wrong")):
                headers = {"X-Room-Password": password} if password else {}
                answer = await guest.get(f"/api/v1/games/{room}", headers=headers)
                assert answer.status_code == 403
                told = answer.json()["error"]
                assert (told["code"], told.get("why")) == (code, why)
                assert "can't find" not in told["message"] or why is None


async def _turned_away(server: RunningServer, room: str, password: str | None) -> tuple[list[Any], Any]:
    async with (
        asyncio.timeout(300),
        connect(f"{server.sockets}/ws/game/{room}", compression=None, open_timeout=60) as link,
    ):
        await link.send(orjson.dumps({"do": "hello", "v": 2, "password": password}).decode())
        frames = []
        with suppress(ConnectionClosed):
            while True:
                frames.append(await link.recv())
        return frames, link.close_code


async def test_guessing_a_table_password_is_limited_and_does_not_lock_out_neighbours(sqlite_url: str) -> None:
    async with running(sqlite_url, lookups_per_hour=30) as site:
        host, _ = await site.guest("Anne Bonfire", "198.51.100.1")
        friend, _ = await site.guest("Bo Bellows", "198.51.100.2")
        room = await open_table(host, visibility="password", password="open sesame")
        right = {"X-Room-Password": "open sesame"}
        friend.headers.update(right)
        await sit(friend, room)
        del friend.headers["X-Room-Password"]
        thief, _ = await site.guest("Cy Sculpin", "198.51.100.2")
        address = f"/api/v1/games/{room}"
        codes = [
            code_of(await thief.get(address, headers={"X-Room-Password": f"guess {n}"})) for n in range(5)
        ]
        assert codes == ["password_wrong"] * 3 + ["too_fast"] * 2
        assert code_of(await thief.get(address, headers=right)) == "too_fast", "even the correct password"
        assert code_of(await thief.get(f"/api/v1/games/{ABSENT}", headers=right)) == "too_fast"
        assert (await friend.get(address)).status_code == 200, "a seated player can return from any address"
        other, _ = await site.guest("Dee Urchin", "198.51.100.4")
        assert (await other.get(address, headers=right)).status_code == 200
        opened = await open_table(host)
        assert (await thief.get(f"/api/v1/games/{opened}")).status_code == 200, "open tables stay open"


@pytest.mark.parametrize(
    ("hops", "forwarded", "is_counted_together"),
    [
        (0, ["1.2.3.{n}"], True),  # without a trusted proxy the header comes from the client
        (1, ["9.9.9.9"], True),
        (1, ["1.2.3.{n}, 9.9.9.9"], True),  # entries before our proxy's may be anything
        (1, ["1.2.3.{n}", "9.9.9.9"], True),
        (1, ["9.9.9.{n}"], False),
        (2, ["1.2.3.{n}, 9.9.9.9, 10.0.0.2"], True),
        (2, ["9.9.9.{n}, 10.0.0.2"], False),
        (3, ["1.2.3.{n}, 9.9.9.9"], True),  # fewer entries than proxies: the client bypassed them
    ],
)
def test_a_forged_forwarded_for_header_is_ignored(
    hops: int, forwarded: list[str], is_counted_together: bool
) -> None:
    limits = Limits(Settings(trusted_hops=hops), lambda: 0.0)
    keys = set()
    for n in range(20):
        headers = [(b"x-forwarded-for", line.format(n=n).encode()) for line in forwarded]
        headers += [(b"x-real-ip", f"5.5.5.{n}".encode()), (b"forwarded", f"for=6.6.6.{n}".encode())]
        scope = {"type": "websocket", "client": ("198.51.100.7", 1), "headers": headers}
        keys.add(limits.key_of(HTTPConnection(scope)))
    assert len(keys) == (1 if is_counted_together else 20)


def test_addresses_contain_no_secrets_except_one_time_codes() -> None:
    holes = {path for _, path in routes(create_app(Settings())) if "{token}" in path or "{code}" in path}
    # a resume code needs a POST; a stop link only stops e-mail; a token's id is not the token
    assert holes == {"/resume/{code}", "/stop/{token}", "/api/v1/account/tokens/{token}"}


async def _session(browser: httpx.AsyncClient) -> str:
    return str(browser.cookies["cartagena"])


async def _is_dead(site: TestSite, cookie: str) -> bool:
    ghost = site.browser("198.51.100.9")
    ghost.cookies.set("cartagena", cookie)
    site.site.player_cache.clear()
    return (await ghost.get("/api/v1/me")).json()["person"] is None


async def test_a_planted_session_is_invalid_after_a_log_in_claim_or_resume(
    sqlite_url: str,
) -> None:
    """Session fixation: a planted cookie must not share the victim's later identity."""
    async with running(sqlite_url) as site:
        owner, _ = await site.guest("Anne Bonfire", "198.51.100.1")
        before = await _session(owner)
        await owner.post("/api/v1/account/register", json={"password": PASSWORD})
        assert await _session(owner) != before
        assert await _is_dead(site, before)
        victim, _ = await site.guest("Bo Bellows", "198.51.100.2")
        planted = await _session(victim)
        logged_in = await victim.post(
            "/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD, "claim": True}
        )
        assert logged_in.json()["claimed"] == 1
        assert await _is_dead(site, planted)
        code = (await owner.post("/api/v1/resume-codes", json={})).json()["code"]
        third, _ = await site.guest("Cy Sculpin", "198.51.100.3")
        planted = await _session(third)
        assert (await third.post("/api/v1/resume", json={"code": code})).status_code == 200
        assert await _is_dead(site, planted)


async def test_a_token_in_a_cookie_or_query_is_ignored(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        owner, _ = await site.guest("Anne Bonfire", "198.51.100.1")
        await owner.post("/api/v1/account/register", json={"password": PASSWORD})
        token = (
            await owner.post("/api/v1/account/tokens", json={"label": "mine", "password": PASSWORD})
        ).json()["token"]
        program = site.program("198.51.100.2", authorization=f"Bearer {token}")
        assert (await program.get("/api/v1/me")).json()["person"]["name"] == "Anne Bonfire"
        for cookie in ("cartagena", "authorization", "token", "bearer"):
            thief = site.program("198.51.100.3")
            thief.cookies.set(cookie, token)
            assert (await thief.get("/api/v1/me")).json()["person"] is None
        for query in ("token", "access_token", "authorization", "bearer"):
            answer = await site.program("198.51.100.3").get(f"/api/v1/me?{query}={token}")
            assert answer.json()["person"] is None


@pytest.mark.parametrize("scheme", ["Basic", "Digest", "Negotiate", "bearer-ish", ""])
async def test_only_a_bearer_token_exempts_a_write_from_the_csrf_check(sqlite_url: str, scheme: str) -> None:
    """Browsers send other schemes, such as Basic, automatically and with the cookie."""
    async with running(sqlite_url) as site:
        victim, _ = await site.guest("Anne Bonfire", "198.51.100.1")
        foreign = site.program(
            "198.51.100.1", origin="https://evil.example", authorization=f"{scheme} dXNlcjpwYXNz"
        )
        foreign.cookies = victim.cookies
        for path in ("/api/v1/me", "/api/v1/account/login", "/resume", "/api/v1/games"):
            assert code_of(await foreign.post(path, json={})) == "forged", path
