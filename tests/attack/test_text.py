"""Text that some part of the server cannot store (lone surrogates, NUL) is refused on every input."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import orjson
import pytest
from fastapi.routing import APIRoute
from websockets.exceptions import InvalidStatus

from app.main import create_app
from app.play.commands import messages as cmd
from app.play.commands.messages import has_nul
from app.play.refusals import Refusal
from app.settings import Settings
from app.web.routing import StrictJsonRoute
from tests.attack.routes import routes
from tests.sockets.client import Client, Clients
from tests.sockets.running_server import in_process
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import open_table

JSON = {"content-type": "application/json"}
SURROGATE, NUL = rb"\ud800", rb"\u0000"
BODIES = {
    "/api/v1/games/{game}/act": rb'{"id":"act-000001","version":1,"action":{"type":"%s"}}',
    "/api/v1/games": rb'{"options":{"preset":"jamaica","players":2},"%s":1}',
    "/api/v1/quick": rb'{"preset":"%s"}',
    "/api/v1/me": rb'{"name":"%s"}',
    "/api/v1/me/notices": rb'{"email":"a%s@example.org"}',
    "/api/v1/reports": rb'{"player":"me","reason":"other","room":"%s"}',
    "/api/v1/account/login": rb'{"name":"%s","password":"plank, parrot"}',
    "/api/v1/games/{game}/commands": rb'{"do":"mute","id":"mute-00001","on":true,"person":"%s"}',
}
NEW_GAME = rb'{"options":{"preset":"jamaica","players":2},%s}'
TERMS = (rb'"bot_level":"%s"', rb'"clock":{"kind":"none","%s":1}', rb'"title":"%s"', rb'"bots":["%s"]')


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url, requests_burst=10_000) as test:
        yield test


async def test_invalid_text_in_a_body_causes_no_fault(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    game = await open_table(ann)
    for letter in (SURROGATE, NUL):
        for path, body in BODIES.items():
            method = "PUT" if path.endswith("notices") else "POST"
            answer = await ann.request(
                method, path.replace("{game}", game), content=body % letter, headers=JSON
            )
            assert answer.status_code == 422, f"{path} {letter!r}: {answer.status_code} {answer.text}"
            assert code_of(answer) in ("bad_request", "bad_message")
        for term in TERMS:
            answer = await ann.post("/api/v1/games", content=NEW_GAME % (term % letter), headers=JSON)
            assert (answer.status_code, code_of(answer)) == (422, "bad_request"), term


async def test_every_json_route_refuses_invalid_text(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    game = await open_table(ann)
    tried = 0
    for method, path in routes(site.app):
        if method not in ("POST", "PUT", "DELETE") or path == "/resume":
            continue
        address = path.replace("{game}", game)
        for letter in (SURROGATE, NUL):
            answer = await ann.request(method, address, content=rb'{"text":"%s"}' % letter, headers=JSON)
            assert answer.status_code < 500, f"{path}: {answer.text}"
        tried += 1
    assert tried > 20


def test_every_route_reads_json_strictly() -> None:
    def walk(found: object) -> list[APIRoute]:
        inner = getattr(found, "original_router", None)
        if inner is not None:
            return [route for each in inner.routes for route in walk(each)]
        return [found] if isinstance(found, APIRoute) else []

    all_routes = [route for each in create_app(Settings()).routes for route in walk(each)]
    assert len(all_routes) > 40
    assert [route.path for route in all_routes if not isinstance(route, StrictJsonRoute)] == []


async def test_a_nul_in_a_path_is_not_found(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    for method, path in routes(site.app):
        if method == "WS":
            continue
        if "{" in path:
            address = re.sub(r"\{[^}]*\}", "x%00y", path)
            answer = await ann.request(method, address)
            assert answer.status_code == 404, f"{method} {address}: {answer.status_code} {answer.text}"
        answer = await ann.request(method, re.sub(r"\{[^}]*\}", "x", path) + "?q=%00")
        assert answer.status_code == 422


async def test_a_socket_refuses_invalid_text_and_stays_open(sqlite_url: str) -> None:
    async with in_process(sqlite_url) as server:
        clients = Clients(server)
        ann, bo = await clients.game(2)
        for letter in (SURROGATE, NUL):
            for body in (
                rb'{"do":"act","id":"act-000001","version":%d,"action":{"type":"%s"}}' % (ann.seq, letter),
                rb'{"do":"act","id":"act-000002","version":%d,"action":{"%s":"end"}}' % (ann.seq, letter),
                rb'{"do":"mute","id":"mute-00001","on":true,"person":"%s"}' % letter,
                rb'{"do":"chat","id":"chat-00001","text":"%s"}' % letter,
            ):
                assert ann.link is not None
                seen = len(ann.of("refused"))
                await ann.link.send(body.decode())
                await _one_more(ann, seen)
                assert ann.of("refused")[-1]["code"] in ("bad_message", "bad_text", "bad_action"), body
        await ann.command("chat", text=r"a backslash and \u0000 are plain text")
        assert bo.closed_with is None
        with pytest.raises(InvalidStatus) as refused:
            await ann.open("/ws/game/x%00y")
        assert refused.value.response.status_code == 403
        await clients.close()


async def _one_more(client: Client, seen: int) -> None:
    await client.until(lambda: len(client.of("refused")) > seen)


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        (r'{"a":"\u0000"}', True),
        (r'{"\u0000":1}', True),
        (r'{"a":"\\\u0000"}', True),
        (r'{"a":"\\u0000"}', False),
        (r'{"a":"\\\\u0000"}', False),
        ('{"a":"plain"}', False),
    ],
)
def test_a_nul_is_found_in_every_notation(text: str, is_there: bool) -> None:
    assert has_nul(text) is has_nul(text.encode()) is is_there
    assert ("\0" in "".join(f"{key}{value}" for key, value in orjson.loads(text).items())) is is_there


def test_a_frame_with_a_lone_surrogate_is_refused() -> None:
    for frame in (r'{"do":"chat","id":"chat-00001","text":"\udfff"}', r'{"do":"\ud800"}'):
        with pytest.raises(Refusal, match="bad_message"):
            cmd.decode(frame)
