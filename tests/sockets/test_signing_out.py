"""A socket ends with the session it came with: in every worker, and also when nobody could tell it so."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

import httpx

from app.play.frames import Frame
from app.store.people.players import PeopleStore, hashed
from app.web.auth.sessions import cookie_name
from app.web.maintenance import Maintenance
from app.web.site import Site
from app.web.ws.open_sockets import OpenSockets
from tests.sockets.client import Client, Clients
from tests.sockets.running_server import RunningServer, in_process

PASSWORD = "plank, parrot, doubloon"


def site_of(server: RunningServer) -> Site:
    site: Site = server._app.state.site  # type: ignore[union-attr]
    return site


def maintenance_of(server: RunningServer) -> Maintenance:
    maintenance: Maintenance = server._app.state.maintenance  # type: ignore[union-attr]
    return maintenance


def session_key(client: Client, site: Site) -> str:
    return hashed(client.http.cookies[cookie_name(site.settings)].rpartition(".")[0])


async def second_device(clients: Clients, client: Client) -> Client:
    """The same person with a session of its own, by a resume code."""
    code = (await client.http.post("/api/v1/resume-codes", json={})).json()["code"]
    http = httpx.AsyncClient(
        base_url=clients.server.base, headers={"Origin": clients.server.base}, timeout=30
    )
    answer = await http.post("/api/v1/resume", json={"code": code})
    assert answer.json()["person"]["id"] == client.person, answer.text
    other = Client(clients.server, http, client.person, client.name)
    clients.everyone.append(other)
    return other


async def test_whoever_logged_out_cannot_go_on_chatting_on_an_open_socket(light_clients: Clients) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    other = await second_device(light_clients, ann)
    await ann.join(game)
    await other.join(game)
    assert (await ann.http.post("/api/v1/account/logout")).status_code == 200
    assert await ann.is_closed() == 4008
    assert ann.log[-1]["t"] == "bye"
    await other.command("chat", text="still here")
    assert other.closed_with is None, "the other device has a session of its own"


async def test_the_lobby_and_a_stream_of_events_end_with_their_session(light_clients: Clients) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    link = await ann.open("/ws/lobby")
    async with ann.http.stream("GET", f"/api/v1/games/{game}/events") as stream:
        lines = stream.aiter_lines()
        assert "welcome" in await anext(lines)
        await ann.http.post("/api/v1/account/logout")
        async with asyncio.timeout(20):
            await link.wait_closed()
            async for _ in lines:
                pass
    assert link.close_code == 4008, "though it had not said hello yet"


async def test_a_programs_socket_ends_with_its_token(light_clients: Clients) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    await ann.http.post("/api/v1/account/register", json={"password": PASSWORD})
    wanted = {"label": "bot", "password": PASSWORD}
    token = (await ann.http.post("/api/v1/account/tokens", json=wanted)).json()["token"]
    nobody = await light_clients.nobody()
    link = await nobody.open(f"/ws/game/{game}", Authorization=f"Bearer {token}")
    (listed,) = (await ann.http.get("/api/v1/account/tokens")).json()["tokens"]
    assert (await ann.http.delete(f"/api/v1/account/tokens/{listed['id']}")).status_code == 200
    async with asyncio.timeout(20):
        await link.wait_closed()
    assert link.close_code == 4008


async def test_a_page_comes_back_by_itself_when_its_browser_gets_a_new_session(
    light_clients: Clients,
) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    await ann.join(game)
    answer = await ann.http.post("/api/v1/account/register", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    assert await ann.is_closed() == 4000
    await ann.join(game, resume=True)
    assert ann.of("welcome")[-1]["you"]["person"] == ann.person


async def test_a_socket_whose_session_ended_unheard_is_found_and_closed(database_url: str) -> None:
    """As when Redis was away at that moment, or another program took the session out of the database."""
    async with in_process(database_url) as server:
        clients = Clients(server)
        ann, bo = await clients.person(), await clients.person()
        game = await clients.open_table(ann)
        await ann.join(game)
        await bo.join(game)
        site = site_of(server)
        await site.people.close_session(ann.http.cookies[cookie_name(site.settings)].rpartition(".")[0])
        await maintenance_of(server).close_ended_sessions()
        assert await ann.is_closed() == 4008
        assert bo.closed_with is None
        await clients.close()


async def test_news_of_other_workers_close_by_session_person_and_address(light_clients: Clients) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    site = site_of(light_clients.server)
    for key, how in (
        (session_key(ann, site), ["session", 4008, "signed out"]),
        (ann.person, ["person", 4008, "signed out"]),
        (ann.person, None),  # as a worker of the release before says it
        ("127.0.0.0/8", ["address", 4008, "signed out"]),
    ):
        page = await light_clients.twin(ann).join(game)
        site.signed_out(key, how)  # type: ignore[arg-type]
        assert await page.is_closed() == 4008
    elsewhere = await light_clients.twin(ann).join(game)
    site.signed_out("203.0.113.0/24", ("address", 4008, "signed out"))
    assert elsewhere.closed_with is None


class _Ear:
    def __init__(self) -> None:
        self.ended: int | None = None

    def tell(self, frame: Frame) -> None: ...
    def tell_several(self, frames: Sequence[Frame]) -> None: ...

    def end(self, code: int, reason: str) -> None:
        self.ended = code


async def test_looking_again_asks_for_a_bounded_number_of_sessions_at_a_time() -> None:
    asked: list[int] = []

    class People(PeopleStore):
        def __init__(self) -> None: ...

        async def live_sessions(self, keys: Collection[str]) -> set[str]:
            asked.append(len(keys))
            return {key for key in keys if key != "s7"}

    ears = [_Ear() for _ in range(2400)]
    sockets = OpenSockets()
    for number, ear in enumerate(ears):
        sockets.add(ear, f"s{number // 2}", ("p",), "198.51.100.7")
    nobody = _Ear()
    sockets.add(nobody, None, (), "198.51.100.7")
    parts = {"sockets": sockets, "people": People(), "now": lambda _: 0}
    site: Any = type("Parts", (), parts)()
    await Maintenance(site, *[None] * 5).close_ended_sessions()  # type: ignore[arg-type]
    assert asked == [500, 500, 200]
    assert [number for number, ear in enumerate(ears) if ear.ended] == [14, 15]
    assert nobody.ended is None
