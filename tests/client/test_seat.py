"""A seat over the socket: what its client does when the server closes, refuses or lets a bot play."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from app.client.api import PAUSES, Api
from app.client.errors import ApiError, SeatLost, Unreachable
from app.client.seat import Seat, play_seat
from tests.bots.test_third_party import token_for
from tests.client.test_api import Slept
from tests.sockets.running_server import free_port, in_process

Json = dict[str, Any]
Script = Callable[[ServerConnection, list[Json]], Awaitable[None]]

WELCOME = {"t": "welcome", "v": 1, "seq": 3, "you": {"seat": 0}}
OVER: Json = {"status": "aborted", "result": {"winner": None, "places": [1, 1], "reason": "aborted"}}


def table(bot: str | None = None, **changed: Any) -> Json:
    return {"status": "running", "result": None, "seats": [{"bot": bot}, {"bot": "sailor"}], **changed}


def never(_: Seat) -> Json:
    raise AssertionError("nobody asked for a move")


@asynccontextmanager
async def scripted(script: Script, slept: Slept) -> AsyncIterator[tuple[Api, list[Json]]]:
    """A server that says what the script says to each socket, and what it heard."""
    heard: list[Json] = []

    async def talk(socket: ServerConnection) -> None:
        await script(socket, heard)

    port = free_port()
    async with serve(talk, "127.0.0.1", port), Api(f"http://127.0.0.1:{port}", "t", sleep=slept.sleep) as api:
        yield api, heard


async def tell(socket: ServerConnection, *frames: Json) -> None:
    for frame in frames:
        await socket.send(json.dumps(frame))


@pytest.mark.parametrize("code", [4001, 4002, 4008, 4009, 4010, 1009])
async def test_a_close_that_no_other_try_can_mend_ends_it(code: int):
    async def close(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        await socket.close(code)

    async with scripted(close, Slept()) as (api, heard):
        with pytest.raises(SeatLost):
            await play_seat(api, "g", never)
        assert len(heard) == 1


@pytest.mark.parametrize(("code", "wait"), [(4005, 60.0), (4006, 10.0), (4000, 0.0), (1011, 0.0)])
async def test_other_closes_are_tried_again_as_the_document_says(code: int, wait: float):
    async def close(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        await socket.close(code)

    slept = Slept()
    async with scripted(close, slept) as (api, heard):
        with pytest.raises(Unreachable):
            await play_seat(api, "g", never)
        assert len(heard) == 1 + len(PAUSES)
    assert list(slept) == [max(wait, pause) for pause in PAUSES]


async def test_a_connection_that_was_in_the_room_begins_the_patience_anew():
    async def close(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        if len(heard) == 9:
            state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(**OVER), "view": None}
            await tell(socket, WELCOME, state)
        elif len(heard) % 2:
            await tell(socket, WELCOME)
        await socket.close(4000)

    slept = Slept()
    async with scripted(close, slept) as (api, _):
        assert await play_seat(api, "g", never) == OVER["result"]
    assert slept == [0.2, 0.5] * 4


async def test_a_hello_that_could_not_be_answered_is_said_again():
    async def talk(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        await tell(socket, {"t": "refused", "id": None, "code": "try_again", "message": "Again."})
        heard.append(json.loads(await socket.recv()))
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(**OVER), "view": None}
        await tell(socket, WELCOME, state)

    async with scripted(talk, Slept()) as (api, heard):
        await play_seat(api, "g", never)
        assert [said["do"] for said in heard] == ["hello", "hello"]


async def test_a_seat_that_a_bot_plays_is_taken_back_once():
    async def talk(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table("mate"), "view": None}
        moved = {"t": "events", "seq": 4, "events": []}
        await tell(socket, WELCOME, state, moved)
        heard.append(json.loads(await socket.recv()))
        ended = {"t": "table", "seq": 5, "kind": "aborted", "you": {"seat": 0}, "table": table(**OVER)}
        await tell(socket, ended)

    async with scripted(talk, Slept()) as (api, heard):
        await play_seat(api, "g", never)
        assert [said["do"] for said in heard] == ["hello", "return"]


async def test_a_refusal_without_an_id_is_not_waited_out_for_ever():
    """Older servers do not name the id of a message they did not understand."""
    asked = []

    def player(seat: Seat) -> Json:
        asked.append(seat)
        return {"type": "end"}

    async def talk(socket: ServerConnection, heard: list[Json]) -> None:
        await socket.recv()
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(), "view": {"players": []}}
        choices = [{"action": {"type": "end"}}]
        await tell(socket, WELCOME, {**state, "choices": choices})
        await socket.recv()
        await tell(socket, {"t": "refused", "id": None, "code": "bad_message", "message": "What?"})
        heard.append(json.loads(await socket.recv()))
        await tell(socket, {**state, "seq": 4, "table": table(**OVER), "ack": heard[0]["id"]})

    async with scripted(talk, Slept()) as (api, _):
        api.seen = lambda game: _past()  # type: ignore[method-assign]
        await play_seat(api, "g", player)
    assert len(asked) == 2


async def _past() -> Json:
    return {"steps": [], "seq": 3}


async def test_after_a_hole_in_the_numbers_everything_is_asked_for_again():
    async def talk(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(), "view": None}
        await tell(socket, WELCOME, state, {"t": "events", "seq": 5, "events": []})
        heard.append(json.loads(await socket.recv()))
        await tell(socket, WELCOME, {**state, "seq": 5, "table": table(**OVER)})

    async with scripted(talk, Slept()) as (api, heard):
        await play_seat(api, "g", never)
        assert heard == [{"do": "hello", "v": 2}] * 2


async def test_an_opening_that_was_lost_with_its_connection_goes_again_under_its_id():
    opening = {
        "seq": 3,
        "asked": False,
        "order": [0, 1],
        "options": {},
        "bots": [None, "mate"],
        "nonces": [None, None],
    }
    opening["seals"] = ["ab" * 32, None]
    sealed = table(status="open", scheme=2, commitment="cd" * 32, opening=opening)

    async def talk(socket: ServerConnection, heard: list[Json]) -> None:
        heard.append(json.loads(await socket.recv()))
        if len(heard) == 1:
            await tell(
                socket, WELCOME, {"t": "state", "seq": 3, "you": {"seat": 0}, "table": sealed, "view": None}
            )
            heard.append(json.loads(await socket.recv()))
            await socket.close(4000)
            return
        heard.append(json.loads(await socket.recv()))
        await tell(
            socket,
            WELCOME,
            {"t": "state", "seq": 4, "you": {"seat": 0}, "table": table(**OVER), "view": None},
        )

    async with scripted(talk, Slept()) as (api, heard):
        await play_seat(api, "g", never)
    assert [said["do"] for said in heard] == ["hello", "void", "hello", "void"]
    assert heard[1] == heard[3]


async def test_whoever_is_not_admitted_or_has_no_seat_is_told_and_does_not_come_again(sqlite_url: str):
    async with (
        in_process(sqlite_url) as server,
        Api(server.base, await token_for(server, "Hostess")) as host,
        Api(server.base, await token_for(server, "Visitor")) as guest,
    ):
        options = {"preset": "jamaica", "players": 2}
        locked = await host.create(options, visibility="password", password="open sesame")
        with pytest.raises(ApiError) as refused:
            await play_seat(guest, locked, never)
        assert refused.value.code == "password_required"
        game = await host.create(options)
        with pytest.raises(SeatLost):
            await play_seat(guest, game, never)
