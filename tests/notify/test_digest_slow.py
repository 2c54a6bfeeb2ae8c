"""Receivers that hang: no push waits for them, a letter says what is still so, and a stop ends them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import pytest
from sqlalchemy import update

from app.notify import digest
from app.notify.mail import MailFailed
from app.store.people.tables import notices
from app.web import maintenance
from app.web.maintenance import Maintenance
from tests.notify.push_service import PushService
from tests.notify.pushing import DAYS, in_turn, notifier, play_turn, pushing_site, send, subscribe
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


def _maintenance(site: TestSite) -> Maintenance:
    found: Maintenance = site.app.state.maintenance
    return found


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
        await _maintenance(site)._notify()
        await send(site)
        assert _pushed(service) == [f"/g/{first}"]
        await slow.called.wait()
        letters = notifier(site)._letters
        second = await _table(bo, ann)
        site.pass_time(31 * 60)  # when she who is being called might be called again
        await _maintenance(site)._notify()
        await send(site)
        assert _pushed(service) == [f"/g/{first}", f"/g/{second}"], "the next round's neither"
        assert slow.calls == 1
        assert notifier(site)._letters is letters, "no second one beside it"
        slow.gate.set()
        assert await notifier(site).round() == 1
    site.pass_time(31 * 60)
    assert await notifier(site).round() == 0, "what was told is noted"
    assert slow.calls == 1


async def test_who_waited_for_a_place_is_not_told_of_a_turn_they_played_meanwhile(
    site: TestSite, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "_AT_ONCE", 1)
    monkeypatch.setattr(digest, "_FRESH", 0.0)
    people = sorted([await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")])
    (_, first), (_, second) = people
    async with _slow() as other:
        other.gate.set()
        await _call(first, slow)
        await _call(second, other)
        await _table(first, second)
        room = await _table(second, first)
        round_ = asyncio.ensure_future(notifier(site).round())
        await slow.called.wait()
        await play_turn(second, room)
        slow.gate.set()
        assert await round_ == 1
        assert other.calls == 0, "it is not their turn any more"
        await play_turn(first, room)
        assert await notifier(site).round() == 1
        assert other.calls == 1


async def test_who_waited_for_a_place_and_is_still_awaited_is_told(
    site: TestSite, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "_AT_ONCE", 1)
    monkeypatch.setattr(digest, "_FRESH", 0.0)
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    for browser, other in ((ann, bo), (bo, ann)):
        await _call(browser, slow)
        await _table(browser, other)
    round_ = asyncio.ensure_future(notifier(site).round())
    await slow.called.wait()
    assert slow.calls == 1
    slow.gate.set()
    assert await round_ == 2
    assert slow.calls == 2


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
        round_ = asyncio.ensure_future(notifier(site).round())
        async with asyncio.timeout(8):
            await slow.called.wait()
        is_ended.set()
        await round_
        site.pass_time(31 * 60)
        assert await notifier(site).round() == 0, "they were told, if not by e-mail"
        assert slow.calls == 1


async def test_a_stop_ends_a_call_that_hangs_and_it_is_made_again_after_the_interval(
    site: TestSite, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_STOP_SECONDS", 0.1)
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    await _table(ann, bo)
    before = asyncio.all_tasks()
    await _maintenance(site)._notify()
    await slow.called.wait()
    async with asyncio.timeout(5):
        await _maintenance(site).stop()
    names = [task.get_coro() for task in asyncio.all_tasks() - before]
    assert not [each for each in names if "_write" in str(each)], "nothing of it goes on"
    slow.gate.set()
    assert await notifier(site).round() == 0, "it may have arrived"
    site.pass_time(31 * 60)
    assert await notifier(site).round() == 1


async def test_a_stop_waits_a_while_for_a_letter_that_is_under_way(site: TestSite, slow: Slow) -> None:
    (_, ann), (_, bo) = await _person(site, "Anne Bonfire"), await _person(site, "Bo Bellows")
    await _call(ann, slow)
    await _table(ann, bo)
    await _maintenance(site)._notify()
    await slow.called.wait()
    stop = asyncio.ensure_future(_maintenance(site).stop())
    await asyncio.sleep(0.05)
    slow.gate.set()
    await stop
    site.pass_time(31 * 60)
    assert await notifier(site).round() == 0, "it was told, and that is noted"
