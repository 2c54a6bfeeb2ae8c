"""Hanging receivers: pushes do not wait for them, letters are up to date, and stopping ends them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress

import httpx
import pytest
from sqlalchemy import update

from app.notify.mail import MailFailed
from app.notify.outbound import CONGESTED_RETRY_SECONDS, Congested
from app.store.tables.people import notices
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    find_mover,
    plan_notices,
    play_turn,
    pushing_site,
    queue,
    send,
    subscribe,
    write_letters,
)
from tests.notify.test_webhooks import Receiver
from tests.web.running_site import TestSite
from tests.web.tables import play_table


class SlowReceiver(Receiver):
    """Accepts a call and responds when it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.called = asyncio.Event()
        self.calls = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        self.called.set()
        await self.gate.wait()
        with (
            closing(writer),
            suppress(ConnectionError, asyncio.IncompleteReadError),
        ):  # the caller may have disconnected
            await super().serve(reader, writer)


@asynccontextmanager
async def _slow() -> AsyncIterator[SlowReceiver]:
    receiver = SlowReceiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver
        receiver.gate.set()


@pytest.fixture
async def slow() -> AsyncIterator[SlowReceiver]:
    async with _slow() as receiver:
        yield receiver


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with pushing_site(sqlite_url) as site:
        yield site


async def _person(site: TestSite, name: str) -> tuple[str, httpx.AsyncClient]:
    browser, told = await site.guest(name)
    return told["person"]["id"], browser


async def _call(browser: httpx.AsyncClient, receiver: SlowReceiver) -> None:
    url = {"webhook": f"http://127.0.0.1:{receiver.port}/hook"}
    assert (await browser.put("/api/v1/me/notices", json=url)).status_code == 200


async def _table(mover: httpx.AsyncClient, other: httpx.AsyncClient) -> str:
    """Start a game in which it is the turn of `mover`; return it."""
    room = await play_table(mover, other, **DAYS)
    if (await find_mover(room, mover, other))[0] is other:
        await play_turn(other, room)
    return room


def _pushed(service: PushService) -> list[str]:
    return [notice.content["url"] for notice in service.received if notice.content["t"] == "turn"]


async def test_attack_hanging_webhook_delays_no_pushes(
    site: TestSite, slow: SlowReceiver, service: PushService
) -> None:
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    await subscribe(bo, service)
    await _table(ann, bo)
    first = await _table(bo, ann)
    async with asyncio.timeout(8):  # a call may take more than ten seconds
        site.pass_time(20)
        letters = asyncio.ensure_future(write_letters(site))
        await slow.called.wait()
        await send(site)
        assert _pushed(service) == [f"/g/{first}"]
        second = await _table(bo, ann)
        site.pass_time(20)
        await plan_notices(site)
        await send(site)
        assert _pushed(service) == [f"/g/{first}", f"/g/{second}"], "later pushes do not wait either"
        assert await queue(site, "letter").claim() == [], "no second call while one is running"
        assert slow.calls == 1
        slow.gate.set()
        assert await letters == 1
    site.pass_time(31 * 60)
    assert await write_letters(site) == 0, "what was sent is recorded"
    assert slow.calls == 1


async def test_turn_played_after_the_claim_is_not_in_the_letter(site: TestSite, slow: SlowReceiver) -> None:
    (mine, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    slow.gate.set()
    await _call(ann, slow)
    room = await _table(ann, bo)
    await plan_notices(site)
    assert await queue(site, "letter").claim() == [mine]
    await play_turn(ann, room)
    await queue(site, "letter")._process(mine)
    assert slow.calls == 0, "it is no longer their turn"
    await play_turn(bo, room)
    assert await write_letters(site) == 1


@pytest.mark.parametrize("fault", [TimeoutError, ValueError])
async def test_attack_hanging_mail_server_or_bad_letter_delays_no_webhook(
    sqlite_url: str, slow: SlowReceiver, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    is_ended = asyncio.Event()

    async def hang(*_args: object) -> None:
        await is_ended.wait()
        raise MailFailed if fault is TimeoutError else fault

    async with pushing_site(sqlite_url, smtp_host="127.0.0.1") as site:
        (player, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
        await _call(ann, slow)
        await ann.put("/api/v1/me/notices/wishes", json={"every_channel": True})
        address = {"email": "ann@example.org", "email_confirmed_at": site.site.now()}
        await site.site.notices.database.execute_write(
            update(notices).where(notices.c.player == player).values(**address)
        )
        await _table(ann, bo)
        monkeypatch.setattr(site.site.mailer, "send", hang)
        slow.gate.set()
        letters = asyncio.ensure_future(write_letters(site))
        async with asyncio.timeout(8):
            await slow.called.wait()
        is_ended.set()
        assert await letters == 1
        site.pass_time(31 * 60)
        assert await write_letters(site) == 0, "they were notified, though not by e-mail"
        assert slow.calls == 1


async def test_interrupted_webhook_call_is_repeated_after_the_interval(
    site: TestSite, slow: SlowReceiver
) -> None:
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    await _table(ann, bo)
    letters = asyncio.ensure_future(write_letters(site))
    await slow.called.wait()
    letters.cancel()  # as when a server stops
    await asyncio.gather(letters, return_exceptions=True)
    slow.gate.set()
    assert await write_letters(site) == 0, "it may have arrived"
    site.pass_time(31 * 60)
    assert await write_letters(site) == 1


async def test_our_own_congestion_is_not_counted_as_a_webhook_failure(
    site: TestSite, slow: SlowReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    slow.gate.set()
    await _table(ann, bo)

    async def full(*_args: object, **_named: object) -> None:
        raise Congested

    with monkeypatch.context() as busy:
        busy.setattr(site.site.webhooks, "call", full)
        assert await write_letters(site) == 0
    assert (await ann.get("/api/v1/me/notices")).json()["webhook_failures"] == 0
    site.pass_time(CONGESTED_RETRY_SECONDS)
    assert await write_letters(site) == 1, "long before the interval has passed"
