"""The HTTP client for bots: retries, waits and error messages."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from app.client.api import MAX_WAITS, RETRY_PAUSES_SECONDS, Api
from app.client.errors import ApiError, ClientError, Unreachable

Answer = Callable[[httpx.Request], httpx.Response]
OK_RESPONSE = httpx.Response(200, json={"ack": "x", "seq": 1})
BUSY_BODY = {"error": {"code": "too_many", "message": "That was too much at once."}}


class RecordedSleeps(list[float]):
    async def sleep(self, seconds: float) -> None:
        self.append(seconds)


def api_with(answer: Answer, slept: RecordedSleeps) -> Api:
    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return Api("http://server.test", "t", http=http, sleep=slept.sleep)


async def test_a_429_is_retried_after_the_time_the_server_gives():
    answers = [
        httpx.Response(429, json=BUSY_BODY, headers={"Retry-After": "7"}),
        httpx.Response(503, json=BUSY_BODY),
        OK_RESPONSE,
    ]
    slept = RecordedSleeps()
    async with api_with(lambda _: answers.pop(0), slept) as api:
        assert (await api.command("g", "ready", ready=True))["seq"] == 1
    assert slept == [7.0, 1.0]


async def test_a_retried_command_keeps_its_id():
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        return httpx.Response(429, json=BUSY_BODY) if len(bodies) < 3 else OK_RESPONSE

    async with api_with(answer, RecordedSleeps()) as api:
        await api.command("g", "ready", ready=True)
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


async def test_a_request_lost_by_a_proxy_is_retried_only_if_it_is_idempotent():
    answers = [httpx.Response(502), httpx.Response(504), OK_RESPONSE]
    async with api_with(lambda _: answers.pop(0), RecordedSleeps()) as api:
        assert (await api.command("g", "ready", ready=True))["seq"] == 1
    answers = [httpx.Response(502), OK_RESPONSE]
    async with api_with(lambda _: answers.pop(0), RecordedSleeps()) as api:
        with pytest.raises(ClientError):
            await api.create({"preset": "jamaica", "players": 2})
    assert len(answers) == 1


async def test_a_long_retry_after_is_reported_instead_of_waited_for():
    slept = RecordedSleeps()
    busy = httpx.Response(429, json=BUSY_BODY, headers={"Retry-After": "900"})
    async with api_with(lambda _: busy, slept) as api:
        with pytest.raises(ApiError, match="15 minutes") as refused:
            await api.create({"preset": "jamaica", "players": 2})
    assert refused.value.code == "too_many"
    assert slept == []


async def test_a_server_that_stays_busy_is_given_up():
    slept = RecordedSleeps()
    async with api_with(lambda _: httpx.Response(503, json=BUSY_BODY), slept) as api:
        with pytest.raises(ApiError):
            await api.state("g")
    assert len(slept) == MAX_WAITS


async def test_an_unreachable_server_is_retried_and_then_reported():
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("All connection attempts failed")

    slept = RecordedSleeps()
    async with api_with(refuse, slept) as api:
        with pytest.raises(Unreachable, match=r"Cannot reach http://server\.test"):
            await api.create({"preset": "jamaica", "players": 2})
    assert tuple(slept) == RETRY_PAUSES_SECONDS


async def test_a_lost_answer_is_requested_again_only_if_that_is_safe():
    """Creating a table has no command id, so repeating it would create two."""
    asked = []

    def lose(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        raise httpx.ReadError("lost")

    async with api_with(lose, RecordedSleeps()) as api:
        with pytest.raises(Unreachable):
            await api.create({"preset": "jamaica", "players": 2})
        assert len(asked) == 1
        with pytest.raises(Unreachable):
            await api.command("g", "start")
        assert len(asked) == 2 + len(RETRY_PAUSES_SECONDS)


OTHER_SERVERS = {
    "a page": httpx.Response(200, html="<p>Welcome to nginx!"),
    "another API": httpx.Response(200, json=[1, 2]),
    "moved": httpx.Response(308, headers={"Location": "https://server.test/api/v1/games/g"}),
}


@pytest.mark.parametrize("which", OTHER_SERVERS)
async def test_a_server_that_is_not_cartagena_is_reported(which: str):
    async with api_with(lambda _: OTHER_SERVERS[which], RecordedSleeps()) as api:
        with pytest.raises(Unreachable, match=r"address"):
            await api.state("g")


def test_secrets_that_headers_cannot_carry_are_refused():
    with pytest.raises(ClientError, match="The token"):
        Api("http://server.test", "t\nX-Evil: 1")
    with pytest.raises(ClientError, match="The password"):
        Api("http://server.test", "t", password="sésame")
