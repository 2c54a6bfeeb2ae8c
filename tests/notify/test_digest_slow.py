"""Receivers that hang: no push waits for them, a letter says what is still so, and a stop ends them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import pytest
from sqlalchemy import update

from app.notify.mail import MailFailed
from app.notify.outbound import Congested
from app.notify.push import CONGESTED_RETRY_SECONDS
from app.store.people.tables import notices
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    in_turn,
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


class Slow(Receiver):
    """Takes a call and answers when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.called = asyncio.Event()
        self.calls = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        self.called.set()
        await self.gate.wait()
        with suppress(ConnectionError):  # who called may have gone
            await super().serve(reader, writer)


@asynccontextmanager
async def _slow() -> AsyncIterator[Slow]:
    receiver = Slow()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    async with server:
        yield receiver
        receiver.gate.set()


@pytest.fixture
async def slow() -> AsyncIterator[Slow]:
    async with _slow() as receiver:
        yield receiver


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with pushing_site(sqlite_url) as site:
        yield site


async def _person(site: TestSite, name: str) -> tuple[str, httpx.AsyncClient]:
    browser, told = await site.guest(name)
    return told["person"]["id"], browser


async def _call(browser: httpx.AsyncClient, receiver: Slow) -> None:
    url = {"webhook": f"http://127.0.0.1:{receiver.port}/hook"}
    assert (await browser.put("/api/v1/me/notices", json=url)).status_code == 200


async def _table(mover: httpx.AsyncClient, other: httpx.AsyncClient) -> str:
    """It is this one's turn."""
    room = await play_table(mover, other, **DAYS)
    if (await in_turn(room, mover, other))[0] is other:
        await play_turn(other, room)
    return room


def _pushed(service: PushService) -> list[str]:
    return [each.told["url"] for each in service.received if each.told["t"] == "turn"]


async def test_attack_a_webhook_that_hangs_holds_up_nobodys_pushes(
    site: TestSite, slow: Slow, service: PushService
) -> None:
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    await subscribe(bo, service)
    await _table(ann, bo)
    first = await _table(bo, ann)
    async with asyncio.timeout(8):  # a call may take ten seconds and more
        site.pass_time(20)
        letters = asyncio.ensure_future(write_letters(site))
        await slow.called.wait()
        await send(site)
        assert _pushed(service) == [f"/g/{first}"]
        second = await _table(bo, ann)
        site.pass_time(20)
        await plan_notices(site)
        await send(site)
        assert _pushed(service) == [f"/g/{first}", f"/g/{second}"], "the next ones neither"
        assert await queue(site, "letter").claim() == [], "she who is being called is not called again"
        assert slow.calls == 1
        slow.gate.set()
        assert await letters == 1
    site.pass_time(31 * 60)
    assert await write_letters(site) == 0, "what was told is noted"
    assert slow.calls == 1


async def test_a_turn_played_after_the_claim_is_in_no_letter(site: TestSite, slow: Slow) -> None:
    (mine, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    slow.gate.set()
    await _call(ann, slow)
    room = await _table(ann, bo)
    await plan_notices(site)
    assert await queue(site, "letter").claim() == [mine]
    await play_turn(ann, room)
    await queue(site, "letter")._process(mine)
    assert slow.calls == 0, "it is not their turn any more"
    await play_turn(bo, room)
    assert await write_letters(site) == 1


@pytest.mark.parametrize("fault", [TimeoutError, ValueError])
async def test_attack_a_mail_server_that_hangs_or_an_odd_letter_holds_up_no_webhook(
    sqlite_url: str, slow: Slow, monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
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
        await site.site.notices.change(update(notices).where(notices.c.player == player).values(**address))
        await _table(ann, bo)
        monkeypatch.setattr(site.site.mailer, "send", hang)
        slow.gate.set()
        letters = asyncio.ensure_future(write_letters(site))
        async with asyncio.timeout(8):
            await slow.called.wait()
        is_ended.set()
        assert await letters == 1
        site.pass_time(31 * 60)
        assert await write_letters(site) == 0, "they were told, if not by e-mail"
        assert slow.calls == 1


async def test_a_call_that_was_cut_off_is_made_again_after_the_interval(site: TestSite, slow: Slow) -> None:
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    await _table(ann, bo)
    letters = asyncio.ensure_future(write_letters(site))
    await slow.called.wait()
    letters.cancel()  # as a server that stops does
    await asyncio.gather(letters, return_exceptions=True)
    slow.gate.set()
    assert await write_letters(site) == 0, "it may have arrived"
    site.pass_time(31 * 60)
    assert await write_letters(site) == 1


async def test_our_own_congestion_is_no_failure_of_a_webhook(
    site: TestSite, slow: Slow, monkeypatch: pytest.MonkeyPatch
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
    assert await write_letters(site) == 1, "long before the interval is over"
