"""A seat over a socket: how the client reacts when the server closes, refuses or lets a bot play."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from app.client.api import RETRY_PAUSES_SECONDS, Api
from app.client.errors import ApiError, SeatLost, Unreachable
from app.client.seat import Seat, play_seat
from tests.bots.test_third_party import create_token
from tests.client.test_api import RecordedSleeps
from tests.sockets.running_server import free_port, in_process

Json = dict[str, Any]
Script = Callable[[ServerConnection, list[Json]], Awaitable[None]]

WELCOME = {"t": "welcome", "v": 1, "seq": 3, "you": {"seat": 0}}
OVER: Json = {"status": "aborted", "result": {"winner": None, "places": [1, 1], "reason": "aborted"}}


def table(bot: str | None = None, **changed: Any) -> Json:
    return {"status": "running", "result": None, "seats": [{"bot": bot}, {"bot": "sailor"}], **changed}


def unexpected_player(_: Seat) -> Json:
    raise AssertionError("no move was requested")


@asynccontextmanager
async def scripted_server(script: Script, slept: RecordedSleeps) -> AsyncIterator[tuple[Api, list[Json]]]:
    """A server that follows a script for each socket; yields its address and the received messages."""
    received: list[Json] = []

    async def handle(socket: ServerConnection) -> None:
        await script(socket, received)

    port = free_port()
    async with (
        serve(handle, "127.0.0.1", port),
        Api(f"http://127.0.0.1:{port}", "t", sleep=slept.sleep) as api,
    ):
        yield api, received


async def tell(socket: ServerConnection, *frames: Json) -> None:
    for frame in frames:
        await socket.send(json.dumps(frame))


@pytest.mark.parametrize("code", [4001, 4002, 4008, 4009, 4010, 1009])
async def test_a_final_close_code_is_not_retried(code: int):
    async def close(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        await socket.close(code)

    async with scripted_server(close, RecordedSleeps()) as (api, received):
        with pytest.raises(SeatLost):
            await play_seat(api, "g", unexpected_player)
        assert len(received) == 1


@pytest.mark.parametrize(("code", "wait"), [(4005, 60.0), (4006, 10.0), (4000, 0.0), (1011, 0.0)])
async def test_other_close_codes_are_retried_after_the_documented_wait(code: int, wait: float):
    async def close(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        await socket.close(code)

    slept = RecordedSleeps()
    async with scripted_server(close, slept) as (api, received):
        with pytest.raises(Unreachable):
            await play_seat(api, "g", unexpected_player)
        assert len(received) == 1 + len(RETRY_PAUSES_SECONDS)
    assert list(slept) == [max(wait, pause) for pause in RETRY_PAUSES_SECONDS]


async def test_a_successful_connection_resets_the_retry_count():
    async def close(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        if len(received) == 9:
            state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(**OVER), "view": None}
            await tell(socket, WELCOME, state)
        elif len(received) % 2:
            await tell(socket, WELCOME)
        await socket.close(4000)

    slept = RecordedSleeps()
    async with scripted_server(close, slept) as (api, _):
        assert await play_seat(api, "g", unexpected_player) == OVER["result"]
    assert slept == [0.2, 0.5] * 4


async def test_a_refused_hello_is_resent():
    async def script(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        await tell(socket, {"t": "refused", "id": None, "code": "try_again", "message": "Again."})
        received.append(json.loads(await socket.recv()))
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(**OVER), "view": None}
        await tell(socket, WELCOME, state)

    async with scripted_server(script, RecordedSleeps()) as (api, received):
        await play_seat(api, "g", unexpected_player)
        assert [message["do"] for message in received] == ["hello", "hello"]


async def test_a_seat_played_by_a_bot_is_taken_back_once():
    async def script(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table("mate"), "view": None}
        moved = {"t": "events", "seq": 4, "events": []}
        await tell(socket, WELCOME, state, moved)
        received.append(json.loads(await socket.recv()))
        ended = {"t": "table", "seq": 5, "kind": "aborted", "you": {"seat": 0}, "table": table(**OVER)}
        await tell(socket, ended)

    async with scripted_server(script, RecordedSleeps()) as (api, received):
        await play_seat(api, "g", unexpected_player)
        assert [message["do"] for message in received] == ["hello", "return"]


async def test_a_refusal_without_an_id_settles_the_pending_move():
    """Older servers refuse a message they cannot read without its id."""
    asked = []

    def player(seat: Seat) -> Json:
        asked.append(seat)
        return {"type": "end"}

    async def script(socket: ServerConnection, received: list[Json]) -> None:
        await socket.recv()
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(), "view": {"players": []}}
        choices = [{"action": {"type": "end"}}]
        await tell(socket, WELCOME, {**state, "choices": choices})
        await socket.recv()
        await tell(socket, {"t": "refused", "id": None, "code": "bad_message", "message": "What?"})
        received.append(json.loads(await socket.recv()))
        await tell(socket, {**state, "seq": 4, "table": table(**OVER), "ack": received[0]["id"]})

    async with scripted_server(script, RecordedSleeps()) as (api, _):
        api.seen = lambda game: _history_json()  # type: ignore[method-assign]
        await play_seat(api, "g", player)
    assert len(asked) == 2


async def _history_json() -> Json:
    return {"steps": [], "seq": 3}


async def test_after_a_gap_the_full_state_is_requested():
    async def script(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        state = {"t": "state", "seq": 3, "you": {"seat": 0}, "table": table(), "view": None}
        await tell(socket, WELCOME, state, {"t": "events", "seq": 5, "events": []})
        received.append(json.loads(await socket.recv()))
        await tell(socket, WELCOME, {**state, "seq": 5, "table": table(**OVER)})

    async with scripted_server(script, RecordedSleeps()) as (api, received):
        await play_seat(api, "g", unexpected_player)
        assert received == [{"do": "hello", "v": 2}] * 2


async def test_a_lost_opening_is_resent_under_its_id():
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

    async def script(socket: ServerConnection, received: list[Json]) -> None:
        received.append(json.loads(await socket.recv()))
        if len(received) == 1:
            await tell(
                socket, WELCOME, {"t": "state", "seq": 3, "you": {"seat": 0}, "table": sealed, "view": None}
            )
            received.append(json.loads(await socket.recv()))
            await socket.close(4000)
            return
        received.append(json.loads(await socket.recv()))
        await tell(
            socket,
            WELCOME,
            {"t": "state", "seq": 4, "you": {"seat": 0}, "table": table(**OVER), "view": None},
        )

    async with scripted_server(script, RecordedSleeps()) as (api, received):
        await play_seat(api, "g", unexpected_player)
    assert [message["do"] for message in received] == ["hello", "void", "hello", "void"]
    assert received[1] == received[3]


async def test_a_client_without_admission_or_seat_gives_up(sqlite_url: str):
    async with (
        in_process(sqlite_url) as server,
        Api(server.base, await create_token(server, "Hostess")) as host,
        Api(server.base, await create_token(server, "Visitor")) as guest,
    ):
        options = {"preset": "jamaica", "players": 2}
        locked = await host.create(options, visibility="password", password="open sesame")
        with pytest.raises(ApiError) as refused:
            await play_seat(guest, locked, unexpected_player)
        assert refused.value.code == "password_required"
        game = await host.create(options)
        with pytest.raises(SeatLost):
            await play_seat(guest, game, unexpected_player)
