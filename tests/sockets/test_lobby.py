"""The lobby over a real socket: lists, changes, filters, quick play."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection

from tests.sockets.client import Client, Clients


class LobbyClient:
    """A client of the lobby socket."""

    def __init__(self, link: ClientConnection) -> None:
        self.link = link

    async def say(self, do: str, **fields: Any) -> None:
        await self.link.send(orjson.dumps({"do": do, **fields}).decode())

    async def next(self, kind: str, **wanted: Any) -> dict[str, Any]:
        async with asyncio.timeout(20):
            while True:
                message: dict[str, Any] = orjson.loads(await self.link.recv())
                if message["t"] == kind and all(message.get(name) == value for name, value in wanted.items()):
                    return message


async def lobby_client(client: Client) -> LobbyClient:
    desk = LobbyClient(await client.open("/ws/lobby"))
    await desk.say("hello", v=2)
    return desk


async def test_the_lobby_shows_tables_appearing_changing_and_disappearing(clients: Clients) -> None:
    wim, ann, bo = await clients.person(), await clients.person(), await clients.person()
    desk, anns = await lobby_client(wim), await lobby_client(ann)
    assert (await desk.next("welcome"))["you"]["person"] == wim.person
    lists = await desk.next("lobby")
    assert lists["mine"] == []
    game = await clients.open_table(ann, title="Come in", options={"first": 0})
    for client in (ann, bo):
        await client.join(game)
        await client.command("sit")
        if client is ann:  # it was empty before
            row = (await desk.next("room", list="open"))["room"]
            assert (row["id"], row["title"], row["seats"], row["taken"]) == (game, "Come in", 2, 1)
        await client.command("ready", ready=True)
    await desk.next("gone", list="open", id=game)
    await ann.command("start")
    assert (await desk.next("room", list="watch"))["room"]["names"] == [ann.name, bo.name]
    while not (await anns.next("room", list="mine"))["room"]["my_turn"]:
        pass
    await bo.act({"type": "resign"})
    await desk.next("gone", list="watch", id=game)
    await anns.next("gone", list="mine", id=game)
    for each in (desk, anns):
        await each.link.close()


async def test_a_filter_applies_to_its_socket_and_bad_messages_are_refused(clients: Clients) -> None:
    ann, wim = await clients.person(), await clients.person()
    desk = LobbyClient(await wim.open("/ws/lobby"))
    await desk.say("filter", preset="tortuga")
    assert (await desk.next("refused"))["code"] == "hello_first"
    await desk.say("hello", v=2)
    await desk.next("lobby")
    await desk.say("filter", preset="tortuga", seats=3)
    await desk.next("lobby")

    async def waiting(preset: str, **wishes: Any) -> str:
        game = await clients.open_table(ann, preset, 3, **wishes)
        await ann.leave()  # otherwise a late frame of the previous table would be taken for this greeting
        await ann.join(game)
        await ann.command("sit")
        return game

    await waiting("jamaica")
    wanted = await waiting("tortuga")
    assert (await desk.next("room"))["room"]["id"] == wanted
    timed = await waiting("tortuga", clock={"kind": "turn", "seconds": 60})
    with_bot = await waiting("tortuga", bots=["sailor"])
    for wish, tables in (
        ({"preset": "tortuga"}, {wanted, timed, with_bot}),
        ({"preset": "tortuga", "clock": "turn"}, {timed}),
        ({"preset": "tortuga", "bots": True}, {with_bot}),
        ({"preset": "tortuga", "bots": False, "clock": "none"}, {wanted}),
        ({"seats": 5}, set()),
    ):
        await desk.say("filter", **wish)
        assert {row["id"] for row in (await desk.next("lobby"))["open"]} == tables
    await desk.say("ping", n=4)
    assert (await desk.next("pong"))["n"] == 4
    await desk.say("filter", colour="red")
    assert (await desk.next("refused"))["code"] == "bad_message"
    await desk.link.close()


async def test_pages_other_than_the_lobby_receive_their_own_games_only(clients: Clients) -> None:
    ann, bo, cy = await clients.person(), await clients.person(), await clients.person()
    desk = LobbyClient(await ann.open("/ws/lobby"))
    await desk.say("hello", v=2, only="open")
    assert (await desk.next("refused"))["code"] == "bad_message"
    visitor = await lobby_client(cy)
    await visitor.next("lobby")
    await desk.say("hello", v=2, only="mine")
    await desk.next("lobby", open=[], watch=[], mine=[])
    other = await clients.open_table(cy, title="not of ann")
    await cy.join(other)
    await cy.command("sit")
    assert (await visitor.next("room", list="open"))["room"]["id"] == other
    game = await clients.open_table(ann)
    await ann.join(game)
    await ann.command("sit")
    async with asyncio.timeout(20):
        first = orjson.loads(await desk.link.recv())
    assert (first["t"], first["list"], first["room"]["id"]) == ("room", "mine", game)
    late = await lobby_client(bo)
    assert (await late.next("lobby"))["people"] == 2  # the page is not a visitor of the lobby
    await desk.say("hello", v=2)  # it becomes one
    assert {row["id"] for row in (await desk.next("lobby"))["open"]} == {game, other}
    for each in (desk, visitor, late):
        await each.link.close()


async def test_quick_play_may_find_a_table_of_any_kind(clients: Clients) -> None:
    ann, bo = await clients.person(), await clients.person()
    made = (await ann.http.post("/api/v1/quick", json={"preset": "jungle", "seats": 4})).json()
    await ann.join(made["id"])
    await ann.command("sit")
    wishes: list[tuple[dict[str, Any], bool]] = [
        ({"any_preset": True, "any_seats": True}, True),
        ({"preset": "jungle", "any_seats": True}, True),
        ({"seats": 4, "any_preset": True}, True),
        ({"seats": 5, "any_preset": True}, False),
    ]
    for wish, is_found in wishes:
        answer = (await bo.http.post("/api/v1/quick", json=wish)).json()
        assert (answer["found"], answer["id"] == made["id"]) == (is_found, is_found), wish


async def test_quick_play_finds_a_suitable_table_or_creates_one(clients: Clients) -> None:
    ann, bo, cy = await clients.person(), await clients.person(), await clients.person()
    first = (await ann.http.post("/api/v1/quick", json={"preset": "tortuga", "seats": 2})).json()
    assert first["found"] is False
    await ann.join(first["id"])
    await ann.command("sit")
    other = (await cy.http.post("/api/v1/quick", json={"preset": "jamaica", "seats": 2})).json()
    assert other["found"] is False
    second = (await bo.http.post("/api/v1/quick", json={"preset": "tortuga", "seats": 2})).json()
    assert second == {**first, "found": True}
    state = (await cy.http.get(f"/api/v1/games/{first['id']}")).json()
    assert (first["commitment"], first["scheme"]) == (state["table"]["commitment"], 2)
    await bo.join(second["id"])
    await bo.command("sit")
    full = (await cy.http.post("/api/v1/quick", json={"preset": "tortuga", "seats": 2})).json()
    assert full["found"] is False
    await ann.leave()
    await bo.leave()
    # Tables whose players have left are skipped.
    left = (await cy.http.post("/api/v1/quick", json={"preset": "hispaniola", "seats": 2})).json()
    again = (await ann.http.post("/api/v1/quick", json={"preset": "hispaniola", "seats": 2})).json()
    assert again["id"] != left["id"]


async def test_quick_play_skips_tables_of_blocked_people(light_clients: Clients) -> None:
    ann, bo, cy = await light_clients.person(), await light_clients.person(), await light_clients.person()
    wish = {"preset": "tortuga", "seats": 3}
    made = (await ann.http.post("/api/v1/quick", json=wish)).json()
    table = made["id"]
    await ann.join(table)
    await ann.command("sit")
    assert (await ann.http.put(f"/api/v1/blocks/{bo.person}")).status_code == 200
    assert (await cy.http.post("/api/v1/quick", json=wish)).json() == {**made, "found": True}
    assert (await bo.http.post("/api/v1/quick", json=wish)).json()["found"] is False
    assert (await cy.http.put(f"/api/v1/blocks/{ann.person}")).status_code == 200
    assert (await cy.http.post("/api/v1/quick", json=wish)).json()["found"] is False


async def test_the_lists_show_the_number_of_spectators(light_clients: Clients) -> None:
    ann, _ = await light_clients.game(2)
    for _ in range(2):
        await (await light_clients.nobody()).join(ann.game)
    desk = await lobby_client(await light_clients.person())
    assert [row["watching"] for row in (await desk.next("lobby"))["watch"]] == [2]
    listed = (await ann.http.get("/api/v1/games?list=watch")).json()["games"]
    assert [row["watching"] for row in listed] == [2]
    await desk.link.close()
