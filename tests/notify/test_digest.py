"""Rounds of telling when something fails: digests that still come, and one person's odd data."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from aiosmtpd.smtp import SMTP
from sqlalchemy import update

from app.notify.mail import Mailer
from app.notify.outbox import LEASE_SECONDS
from app.play.ports import StoreUnavailable
from app.store.people.outbox import OutboxStore
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
from tests.notify.test_mail import Postbox
from tests.web.running_site import TestSite
from tests.web.tables import play_table

INTERVAL = 31 * 60


@pytest.fixture
async def box() -> Postbox:
    return Postbox()


@pytest.fixture
async def site(sqlite_url: str, box: Postbox) -> AsyncIterator[TestSite]:
    async with _mailing(sqlite_url, box) as site:
        yield site


@asynccontextmanager
async def _mailing(url: str, box: Postbox) -> AsyncIterator[TestSite]:
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(box), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, pushing_site(url, smtp_host="127.0.0.1", smtp_port=port, smtp_security="none") as site:
        yield site


def noon() -> str:
    """A time zone in which it is twelve to one o'clock, so that no test goes over midnight."""
    return f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"


async def _id(browser: httpx.AsyncClient) -> str:
    return str((await browser.get("/api/v1/me")).json()["person"]["id"])


async def _write_to(site: TestSite, browser: httpx.AsyncClient, email: str) -> None:
    """Their address is this one, and confirmed."""
    player = await _id(browser)
    values = {"email": email, "confirm": None, "webhook": None, "webhook_key": None, "language": "en"}
    await site.site.notices.set_notice(player, **values, now=site.site.now())  # type: ignore[arg-type]
    confirmed = {"email_confirmed_at": site.site.now()}
    await site.site.notices.change(update(notices).where(notices.c.player == player).values(**confirmed))


async def _people(site: TestSite) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    """Two, in the order in which a round comes to them."""
    ann, bo = [(await site.guest(name))[0] for name in ("Anne Bonfire", "Bo Bellows")]
    return (ann, bo) if await _id(ann) < await _id(bo) else (bo, ann)


async def _daily(browser: httpx.AsyncClient, **more: Any) -> None:
    wishes = {"zone": noon(), "digest_at": 11 * 60, **more}
    assert (await browser.put("/api/v1/me/notices/wishes", json=wishes)).status_code == 200


async def _awaited(site: TestSite) -> tuple[httpx.AsyncClient, str]:
    """Whoever is to move at a table over days, and wants one digest a day."""
    ann, bo = await _people(site)
    room = await play_table(ann, bo, **DAYS)
    mover, _ = await in_turn(room, ann, bo)
    await _daily(mover)
    return mover, room


async def _digested_on(site: TestSite, browser: httpx.AsyncClient) -> str | None:
    notice = await site.site.notices.notice(await _id(browser))
    assert notice is not None
    return notice.wishes.digested_on


async def test_a_digest_that_the_mail_server_refused_comes_after_the_interval(
    site: TestSite, box: Postbox
) -> None:
    mover, _ = await _awaited(site)
    await _write_to(site, mover, "ann@example.org")
    box.is_closed = True
    assert await write_letters(site) == 0
    assert await _digested_on(site, mover) is None, "nobody was told"
    box.is_closed = False
    assert await write_letters(site) == 0, "not before the interval is over"
    site.pass_time(INTERVAL)
    assert await write_letters(site) == 1
    assert await _digested_on(site, mover) is not None
    site.pass_time(INTERVAL)
    assert await write_letters(site) == 0, "once a day"
    assert len(box.messages) == 1


async def test_killed_before_a_digest_was_told_it_is_told_by_the_next_server(
    sqlite_url: str, box: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def killed(*_args: object) -> None:
        raise asyncio.CancelledError

    async with _mailing(sqlite_url, box) as site:
        mover, _ = await _awaited(site)
        await _write_to(site, mover, "ann@example.org")
        with monkeypatch.context() as dying:
            dying.setattr(site.site.mailer, "send", killed)
            await asyncio.gather(write_letters(site), return_exceptions=True)
        assert await _digested_on(site, mover) is None
    async with _mailing(sqlite_url, box) as site:
        assert await write_letters(site) == 0, "the claim stands: it may be under way"
        site.pass_time(INTERVAL)
        assert await write_letters(site) == 1
    assert len(box.messages) == 1


async def test_a_digest_whose_noting_failed_is_sent_again_and_known_by_its_id(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover, _ = await _awaited(site)
    await subscribe(mover, service)
    await plan_notices(site)

    async def gone(*_args: object) -> None:
        raise StoreUnavailable

    with monkeypatch.context() as dying:
        dying.setattr(OutboxStore, "settle", gone)
        await send(site)
    for _ in range(3):
        site.pass_time(LEASE_SECONDS)
        queue(site, "push")._held.clear()
        await send(site)
    assert {each.told["t"] for each in service.received} == {"digest"}
    assert len(service.received) == 2
    assert len({each.told["id"] for each in service.received}) == 1, "shown without a second sound"


async def test_on_every_channel_a_failed_letter_is_written_again_and_the_push_is_not(
    site: TestSite, service: PushService, box: Postbox
) -> None:
    mover, _ = await _awaited(site)
    await _daily(mover, every_channel=True)
    await _write_to(site, mover, "ann@example.org")
    await subscribe(mover, service)
    box.is_closed = True
    assert await write_letters(site) == 0
    assert await send(site) == 1
    box.is_closed = False
    for wait in (15, INTERVAL, 15, INTERVAL):
        site.pass_time(wait)
        await write_letters(site)
        await send(site)
    assert len(box.messages) == 1
    assert [each.told["t"] for each in service.received] == ["digest"]


async def test_a_digest_that_no_channel_can_tell_is_not_noted(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover, _ = await _awaited(site)
    await _write_to(site, mover, "ann@example.org")
    monkeypatch.setattr(Mailer, "is_open", property(lambda _: False))  # the operator took it out
    assert await write_letters(site) == 0
    assert await _digested_on(site, mover) is None


# -- one person's odd data -------------------------------------------------------------------------


async def _both_awaited(
    site: TestSite, service: PushService | None = None
) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    """Each waited for at some table, and subscribed before; the first in a round's order comes first."""
    first, second = await _people(site)
    for browser in (first, second):
        if service is not None:
            await subscribe(browser, service)
    for browser in (first, second):
        room = await play_table(first, second, **DAYS)
        mover, _ = await in_turn(room, first, second)
        if mover is not browser:
            await play_turn(mover, room)
    return first, second


def _logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        str(getattr(record, "fields", {}).get("row"))
        for record in caplog.records
        if "queue failed" in record.message
    ]


async def test_one_persons_odd_wishes_keep_nobody_from_being_pushed_to(
    site: TestSite, service: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    odd, _ = await _both_awaited(site, service)
    player = await _id(odd)
    await site.site.notices.change(
        update(notices).where(notices.c.player == player).values(switches=["no", "switches"])
    )
    site.pass_time(20)
    await write_letters(site)
    assert await send(site) >= 1
    assert {each.told["t"] for each in service.received} >= {"turn"}
    assert set(_logged(caplog)) == {player}


async def test_one_persons_odd_address_keeps_nobody_from_being_written_to(
    site: TestSite, box: Postbox, caplog: pytest.LogCaptureFixture
) -> None:
    odd, other = await _both_awaited(site)
    await _write_to(site, odd, "odd.@example.org")  # as an older release let through
    await _write_to(site, other, "other@example.org")
    assert await write_letters(site) == 1
    assert [str(message["To"]) for message in box.messages] == ["other@example.org"]
    assert _logged(caplog) == [await _id(odd)]
    assert await write_letters(site) == 0
    assert len(_logged(caplog)) == 1, "tried again after the interval only"


async def test_a_language_of_an_older_release_gets_its_letter(site: TestSite, box: Postbox) -> None:
    ann, bo = await _both_awaited(site)
    for browser in (ann, bo):
        await _write_to(site, browser, "ann@example.org")
    await site.site.notices.change(update(notices).values(language="zz"))
    assert await write_letters(site) == 2
    assert all("UTC" in message.get_content() for message in box.messages)
