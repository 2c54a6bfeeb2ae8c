"""A socket ends with its session: in every worker, even without a bus message."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

import httpx

from app.play.frames import Frame
from app.store.people.players import PeopleStore, hash_secret
from app.web.auth.sessions import cookie_name
from app.web.maintenance import Maintenance
from app.web.online import OnlinePeople
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
    return hash_secret(client.http.cookies[cookie_name(site.settings)].rpartition(".")[0])


async def second_device(clients: Clients, client: Client) -> Client:
    """Return the same person with another session, through a resume code."""
    code = (await client.http.post("/api/v1/resume-codes", json={})).json()["code"]
    http = httpx.AsyncClient(
        base_url=clients.server.base, headers={"Origin": clients.server.base}, timeout=30
    )
    answer = await http.post("/api/v1/resume", json={"code": code})
    assert answer.json()["person"]["id"] == client.person, answer.text
    other = Client(clients.server, http, client.person, client.name)
    clients.everyone.append(other)
    return other


async def test_logging_out_closes_the_open_socket(light_clients: Clients) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    other = await second_device(light_clients, ann)
    await ann.join(game)
    await other.join(game)
    assert (await ann.http.post("/api/v1/account/logout")).status_code == 200
    assert await ann.is_closed() == 4008
    assert ann.log[-1]["t"] == "bye"
    await other.command("chat", text="still here")
    assert other.closed_with is None, "the other device has its own session"


async def test_lobby_sockets_and_event_streams_end_with_their_session(light_clients: Clients) -> None:
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
    assert link.close_code == 4008, "although it had not sent hello yet"


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


async def test_a_page_reconnects_when_its_browser_gets_a_new_session(
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


async def test_a_socket_of_an_ended_session_is_closed_without_a_bus_message(database_url: str) -> None:
    """As if Redis was unavailable, or another program deleted the session from the database."""
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


async def test_bus_messages_close_sockets_by_session_person_and_address(light_clients: Clients) -> None:
    ann = await light_clients.person()
    game = await light_clients.open_table(ann)
    site = site_of(light_clients.server)
    for key, how in (
        (session_key(ann, site), ["session", 4008, "signed out"]),
        (ann.person, ["person", 4008, "signed out"]),
        ("127.0.0.0/8", ["address", 4008, "signed out"]),
    ):
        page = await light_clients.twin(ann).join(game)
        site.sign_out_here(key, how)  # type: ignore[arg-type]
        assert await page.is_closed() == 4008
    elsewhere = await light_clients.twin(ann).join(game)
    site.sign_out_here("203.0.113.0/24", ("address", 4008, "signed out"))
    assert elsewhere.closed_with is None


class _RecordingListener:
    def __init__(self) -> None:
        self.ended: int | None = None

    def send(self, frame: Frame) -> None: ...
    def send_batch(self, frames: Sequence[Frame]) -> None: ...

    def close(self, code: int, reason: str) -> None:
        self.ended = code


async def test_ended_sessions_are_queried_in_bounded_batches() -> None:
    asked: list[int] = []

    class People(PeopleStore):
        def __init__(self) -> None: ...

        async def filter_live_sessions(self, keys: Collection[str]) -> set[str]:
            asked.append(len(keys))
            return {key for key in keys if key != "s7"}

    ears = [_RecordingListener() for _ in range(2400)]

    async def record_nothing(people: Collection[str], now: int) -> None: ...

    sockets = OpenSockets(OnlinePeople(lambda: 0, record_nothing))
    for number, ear in enumerate(ears):
        sockets.add(ear, f"s{number // 2}", ("p",), "198.51.100.7")
    nobody = _RecordingListener()
    sockets.add(nobody, None, (), "198.51.100.7")
    parts = {"sockets": sockets, "people": People(), "now": lambda _: 0}
    site: Any = type("Parts", (), parts)()
    await Maintenance(site, *[None] * 5).close_ended_sessions()  # type: ignore[arg-type]
    assert asked == [500, 500, 200]
    assert [number for number, ear in enumerate(ears) if ear.ended] == [14, 15]
    assert nobody.ended is None
