"""The JSON API for programs that play without a socket, and the event stream."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import orjson

from app import rules
from tests.sockets.client import Client, Clients, new_command_id


async def command(client: Client, game: str, do: str, **fields: Any) -> httpx.Response:
    if do == "sit":
        fields |= client.keeper.sit_fields((await client.http.get(f"/api/v1/games/{game}")).json()["table"])
    return await client.http.post(
        f"/api/v1/games/{game}/commands", json={"do": do, "id": new_command_id(), **fields}
    )


async def two_programs(clients: Clients) -> tuple[Client, Client, str]:
    ann, bo = await clients.person(), await clients.person()
    game = await clients.open_table(ann, "tortuga", options={"first": 0})
    for client in (ann, bo):
        assert (await command(client, game, "sit")).status_code == 200
        assert (await command(client, game, "ready", ready=True)).status_code == 200
    assert (await command(ann, game, "start")).status_code == 200
    for client in (ann, bo):
        state = (await client.http.get(f"/api/v1/games/{game}")).json()
        wanted = client.keeper.next_command(state["table"], state["you"]["seat"])
        assert wanted is not None
        assert (await command(client, game, **wanted)).status_code == 200
    return ann, bo, game


async def test_two_programs_play_over_http_only(clients: Clients) -> None:
    ann, bo, game = await two_programs(clients)
    for _ in range(6):
        for client in (ann, bo):
            state = (await client.http.get(f"/api/v1/games/{game}")).json()
            if state.get("choices"):
                move = {
                    "id": new_command_id(),
                    "version": state["seq"],
                    "action": state["choices"][0]["action"],
                }
                first = await client.http.post(f"/api/v1/games/{game}/act", json=move)
                assert first.json() == {"ack": move["id"], "seq": state["seq"] + 1}
                again = await client.http.post(f"/api/v1/games/{game}/act", json=move)
                assert again.json() == first.json()
    mine = (await ann.http.get("/api/v1/games", params={"list": "mine"})).json()["games"]
    assert [row["id"] for row in mine] == [game]
    early = await ann.http.get(f"/api/v1/games/{game}/record")
    assert (early.status_code, early.json()["error"]["code"]) == (409, "not_over")
    move = {"id": new_command_id(), "version": 0, "action": {"type": "resign"}}
    await bo.http.post(f"/api/v1/games/{game}/act", json=move)
    record = (await ann.http.get(f"/api/v1/games/{game}/record")).json()
    assert rules.verify(rules.record_from_json(record)).winner == 0
    finished = (await ann.http.get("/api/v1/games", params={"list": "finished"})).json()["games"]
    assert finished[0]["result"]["winner"] == 0


async def test_refusals_over_http_have_a_code_and_the_state(light_clients: Clients) -> None:
    ann, bo, game = await two_programs(light_clients)
    move = {"id": new_command_id(), "version": 99, "action": {"type": "end"}}
    answer = await bo.http.post(f"/api/v1/games/{game}/act", json=move)
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "not_your_turn"
    assert answer.json()["state"]["you"] == {"seat": 1}
    move["action"] = {"type": "fly"}
    assert (await ann.http.post(f"/api/v1/games/{game}/act", json=move)).status_code == 422
    assert (await command(ann, game, "sit")).json()["error"]["code"] == "started"
    assert (await command(ann, game, "hello", v=1)).status_code == 422
    raw = await ann.http.post(f"/api/v1/games/{game}/commands", content=b"{")
    assert raw.json()["error"]["code"] == "bad_message"
    bad = await ann.http.post("/api/v1/games", json={"options": {"preset": "atlantis", "players": 2}})
    assert (bad.status_code, bad.json()["error"]["code"]) == (422, "bad_options")
    nobody = await light_clients.nobody()
    assert (await nobody.http.get("/api/v1/games", params={"list": "mine"})).status_code == 401
    assert (await nobody.http.get(f"/api/v1/games/{game}")).json()["you"] == {"seat": None}
    assert (await command(nobody, game, "chat", text="hi")).status_code == 401


async def test_the_stream_carries_the_frames_of_the_socket(light_clients: Clients) -> None:
    ann, bo, game = await two_programs(light_clients)
    seq = (await ann.http.get(f"/api/v1/games/{game}")).json()["seq"]
    async with bo.http.stream("GET", f"/api/v1/games/{game}/events", params={"since": seq}) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.aiter_lines()

        async def next_of(kind: str) -> tuple[str | None, dict[str, Any]]:
            number = None
            async with asyncio.timeout(20):
                async for line in lines:
                    if line.startswith("id: "):
                        number = line[4:]
                    elif line.startswith("data: "):
                        message = orjson.loads(line[6:])
                        if message["t"] == kind:
                            return number, message
                        number = None
            raise AssertionError("the stream ended")

        _, welcome = await next_of("welcome")
        assert welcome["resumed"] is True
        state = (await ann.http.get(f"/api/v1/games/{game}")).json()
        move = {"id": new_command_id(), "version": seq, "action": state["choices"][0]["action"]}
        await ann.http.post(f"/api/v1/games/{game}/act", json=move)
        number, events = await next_of("events")
        assert number == str(seq + 1) == str(events["seq"])
        assert events["events"][0]["seat"] == 0
    room = light_clients.server.game_server.rooms.get_loaded(game)
    assert room is not None
    for _ in range(200):
        if not len(room.subscribers):
            break
        await asyncio.sleep(0.02)
    assert len(room.subscribers) == 0


async def test_every_route_is_in_the_openapi_description(light_clients: Clients) -> None:
    ann = await light_clients.person()
    paths = (await ann.http.get("/api/v1/openapi.json")).json()["paths"]
    for path in (
        "/api/v1/games",
        "/api/v1/quick",
        "/api/v1/games/{game}",
        "/api/v1/games/{game}/act",
        "/api/v1/games/{game}/commands",
        "/api/v1/games/{game}/events",
        "/api/v1/games/{game}/record",
    ):
        assert path in paths
