"""Deleted, erased and banned people are disconnected at once in every worker, and stay out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from app.cli import main
from tests.sockets.client import Client, Clients, advance
from tests.sockets.running_server import RunningServer, in_process
from tools.services.redis_server import RedisServer


async def operator(database_url: str, *words: str) -> None:
    """Run `cartagena admin` beside the server."""
    asked = ["admin", "--database", database_url, "--actor", "olga", *words]
    assert await asyncio.to_thread(main, asked) == 0


def names_at(client: Client) -> list[str | None]:
    return [seat["name"] for seat in client.table["seats"]]


async def test_an_erased_persons_socket_is_closed(clients: Clients, database_url: str) -> None:
    ann, bo = await clients.game(2)
    waiting = await clients.open_table(ann, players=3)
    cy = await clients.person()
    for client in (clients.twin(ann), cy):
        await client.join(waiting)
        await client.command("sit")
    lobby = await bo.open("/ws/lobby")
    await operator(database_url, "erase", ann.person, "--reason", "asked by letter")
    assert await ann.is_closed() == 4008
    assert ann.log[-1] == {**ann.log[-1], "t": "bye", "code": "signed_out"}
    await bo.until(lambda: names_at(bo) == [None, bo.name])
    await cy.until(lambda: [seat["person"] for seat in cy.table["seats"]][:2] == [None, cy.person])
    again = clients.twin(ann)
    await again.join(ann.game)  # the cookie is invalid now
    assert again.of("welcome")[0]["you"]["person"] is None
    assert await again.refused("act", version=bo.seq, action={"type": "end"}) == "no_session"
    assert await again.refused("chat", text="still me") == "no_session"
    assert not bo.of("chat")
    await bo.act({"type": "resign"})
    await bo.command("rematch")
    await lobby.close()
    listed = (await bo.http.get("/api/v1/me/games", params={"status": "finished"})).json()["games"]
    assert [player["name"] for player in listed[0]["players"]] == [None, bo.name]
    record = (await bo.http.get(f"/api/v1/games/{bo.game}/record")).json()
    assert [player["name"] for player in record["players"]] == ["", bo.name]


async def test_deleting_oneself_closes_all_devices_and_removes_the_name_at_once(
    clients: Clients,
) -> None:
    ann, bo = await clients.game(2)
    phone = await clients.twin(ann).join(ann.game)
    assert (await ann.http.post("/api/v1/me/delete", json={})).status_code == 200
    assert (await ann.is_closed(), await phone.is_closed()) == (4008, 4008)
    await bo.until(lambda: names_at(bo) == [None, bo.name])


async def test_an_address_ban_closes_open_sockets(light_clients: Clients, sqlite_url: str) -> None:
    ann, bo = await light_clients.game(2)
    nameless = await (await light_clients.nobody()).join(ann.game)
    lobby = await bo.open("/ws/lobby")
    await operator(sqlite_url, "ban", "127.0.0.0/8", "--reason", "flood")
    for client in (ann, bo, nameless):
        assert await client.is_closed() == 4008
    async with asyncio.timeout(20):
        await lobby.wait_closed()
    assert (await light_clients.twin(ann).join(ann.game)).closed_with == 4003


async def test_a_ban_of_another_address_closes_no_socket(light_clients: Clients, sqlite_url: str) -> None:
    ann, bo = await light_clients.game(2)
    await operator(sqlite_url, "ban", "203.0.113.0/24", "--reason", "flood")
    assert light_clients.server._app is not None
    await light_clients.server._app.state.maintenance.apply_operator_changes()
    await ann.act(advance(ann))
    await bo.reaches(ann.seq)
    assert (ann.closed_with, bo.closed_with) == (None, None)


async def test_a_banned_persons_socket_is_closed_and_the_cookie_leads_to_the_ban(
    light_clients: Clients, sqlite_url: str
) -> None:
    ann, _ = await light_clients.game(2)
    await operator(sqlite_url, "ban", ann.person, "--reason", "insults")
    assert await ann.is_closed() == 4008
    again = await light_clients.twin(ann).join(ann.game)
    assert (again.log[0]["code"], again.closed_with) == ("banned", 4003)
    answer = await ann.http.post("/api/v1/me", json={"name": "A New Name"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "banned")


@asynccontextmanager
async def two_workers(postgres_url: str, redis_url: str) -> AsyncIterator[tuple[Clients, Clients]]:
    async with (
        in_process(postgres_url, redis=redis_url) as first,
        in_process(postgres_url, redis=redis_url) as second,
    ):
        groups = Clients(first), Clients(second)
        yield groups
        for clients in groups:
            await clients.close()


def at(server: RunningServer, client: Client) -> Client:
    return Client(server, client.http, client.person, client.name)


@pytest.mark.parametrize("is_away", [False, True])
async def test_a_deleted_person_disappears_from_other_workers(postgres_url: str, is_away: bool) -> None:
    with RedisServer() as redis:  # the person's own socket, which is closed
        await _deleted_while(redis, postgres_url, is_away)


async def _deleted_while(redis: RedisServer, postgres_url: str, is_away: bool) -> None:
    async with two_workers(postgres_url, redis.url) as (here, there):
        ann, bo = await here.game(2)
        far_ann = await at(there.server, ann).join(ann.game)
        far_bo = await at(there.server, bo).join(bo.game)
        there.everyone += [far_ann, far_bo]
        if is_away:
            redis.pause()
        assert (await ann.http.post("/api/v1/me/delete", json={})).status_code == 200
        assert await far_ann.is_closed() == 4008
        await far_bo.until(lambda: names_at(far_bo) == [None, bo.name])
        await bo.until(lambda: names_at(bo) == [None, bo.name])


async def test_a_new_name_reaches_other_workers(postgres_url: str, redis_url: str) -> None:
    async with two_workers(postgres_url, redis_url) as (here, there):
        ann, bo = await here.game(2)
        far_bo = await at(there.server, bo).join(bo.game)
        there.everyone.append(far_bo)
        answer = await ann.http.post("/api/v1/me", json={"name": "Anne of Elsewhere"})
        assert answer.status_code == 200, answer.text
        await far_bo.until(lambda: names_at(far_bo) == ["Anne of Elsewhere", bo.name])
        await bo.until(lambda: names_at(bo) == ["Anne of Elsewhere", bo.name])
