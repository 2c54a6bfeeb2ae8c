"""The client over HTTP: how long it is patient, and what it says in the end."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from app.client.api import MOST_WAITS, PAUSES, Api
from app.client.errors import ApiError, ClientError, Unreachable

Answer = Callable[[httpx.Request], httpx.Response]
DONE = httpx.Response(200, json={"ack": "x", "seq": 1})
BUSY = {"error": {"code": "too_many", "message": "That was too much at once."}}


class Slept(list[float]):
    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


def api_with(answer: Answer, slept: Slept) -> Api:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return Api("http://server.test", "t", http=http, sleep=slept.sleep)


async def test_a_429_is_waited_for_as_long_as_the_server_said():
    answers = [
        httpx.Response(429, json=BUSY, headers={"Retry-After": "7"}),
        httpx.Response(503, json=BUSY),
        DONE,
    ]
    slept = Slept()
    async with api_with(lambda _: answers.pop(0), slept) as api:
        assert (await api.command("g", "ready", ready=True))["seq"] == 1
    assert slept == [7.0, 1.0]


async def test_the_same_command_goes_again_with_the_same_id():
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        return httpx.Response(429, json=BUSY) if len(bodies) < 3 else DONE

    async with api_with(answer, Slept()) as api:
        await api.command("g", "ready", ready=True)
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


async def test_what_a_proxy_lost_goes_again_only_if_it_cannot_be_done_twice():
    answers = [httpx.Response(502), httpx.Response(504), DONE]
    async with api_with(lambda _: answers.pop(0), Slept()) as api:
        assert (await api.command("g", "ready", ready=True))["seq"] == 1
    answers = [httpx.Response(502), DONE]
    async with api_with(lambda _: answers.pop(0), Slept()) as api:
        with pytest.raises(ClientError):
            await api.create({"preset": "jamaica", "players": 2})
    assert len(answers) == 1


async def test_a_quarter_of_an_hour_is_told_instead_of_waited_for():
    slept = Slept()
    busy = httpx.Response(429, json=BUSY, headers={"Retry-After": "900"})
    async with api_with(lambda _: busy, slept) as api:
        with pytest.raises(ApiError, match="15 minutes") as refused:
            await api.create({"preset": "jamaica", "players": 2})
    assert refused.value.code == "too_many"
    assert slept == []


async def test_a_server_that_is_always_busy_is_given_up():
    slept = Slept()
    async with api_with(lambda _: httpx.Response(503, json=BUSY), slept) as api:
        with pytest.raises(ApiError):
            await api.state("g")
    assert len(slept) == MOST_WAITS


async def test_a_server_that_does_not_answer_is_tried_again_and_then_named():
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("All connection attempts failed")

    slept = Slept()
    async with api_with(refuse, slept) as api:
        with pytest.raises(Unreachable, match=r"Cannot reach http://server\.test"):
            await api.create({"preset": "jamaica", "players": 2})
    assert tuple(slept) == PAUSES


async def test_a_lost_answer_is_asked_for_again_only_where_that_counts_once():
    """A table has no id of ours: sent twice it would be two."""
    asked = []

    def lose(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise httpx.ReadError("lost")

    async with api_with(lose, Slept()) as api:
        with pytest.raises(Unreachable):
            await api.create({"preset": "jamaica", "players": 2})
        assert len(asked) == 1
        with pytest.raises(Unreachable):
            await api.command("g", "start")
        assert len(asked) == 2 + len(PAUSES)


NO_SERVERS = {
    "a page": httpx.Response(200, html="<p>Welcome to nginx!"),
    "another API": httpx.Response(200, json=[1, 2]),
    "moved": httpx.Response(308, headers={"Location": "https://server.test/api/v1/games/g"}),
}


@pytest.mark.parametrize("which", NO_SERVERS)
async def test_something_that_is_no_cartagena_server_is_told(which: str):
    async with api_with(lambda _: NO_SERVERS[which], Slept()) as api:
        with pytest.raises(Unreachable, match=r"address"):
            await api.state("g")


def test_secrets_that_http_cannot_carry_are_told():
    with pytest.raises(ClientError, match="The token"):
        Api("http://server.test", "t\nX-Evil: 1")
    with pytest.raises(ClientError, match="The password"):
        Api("http://server.test", "t", password="sésame")
