"""Digests after failures, and invalid data of one person."""

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
from tests.notify.test_mail import Mailbox, read_text
from tests.web.running_site import TestSite
from tests.web.tables import play_table

INTERVAL = 31 * 60


@pytest.fixture
async def box() -> Mailbox:
    return Mailbox()


@pytest.fixture
async def site(sqlite_url: str, box: Mailbox) -> AsyncIterator[TestSite]:
    async with _mailing(sqlite_url, box) as site:
        yield site


@asynccontextmanager
async def _mailing(url: str, box: Mailbox) -> AsyncIterator[TestSite]:
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(box), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, pushing_site(url, smtp_host="127.0.0.1", smtp_port=port, smtp_security="none") as site:
        yield site


def noon() -> str:
    """Return a time zone in which it is around noon, so that no test runs past midnight."""
    return f"Etc/GMT{datetime.now(UTC).hour - 12:+d}"


async def _id(browser: httpx.AsyncClient) -> str:
    return str((await browser.get("/api/v1/me")).json()["person"]["id"])


async def _write_to(site: TestSite, browser: httpx.AsyncClient, email: str) -> None:
    """Set and confirm the e-mail address."""
    player = await _id(browser)
    values = {"email": email, "confirm": None, "webhook": None, "webhook_key": None, "language": "en"}
    await site.site.notices.save_contact_settings(player, **values, now=site.site.now())  # type: ignore[arg-type]
    confirmed = {"email_confirmed_at": site.site.now()}
    await site.site.notices.database.execute_write(
        update(notices).where(notices.c.player == player).values(**confirmed)
    )


async def _changed_people(site: TestSite) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    """Add two guests; return them in the order in which a claim processes them."""
    ann, bo = [(await site.guest(name))[0] for name in ("Anne Bonfire", "Bo Bellows")]
    return (ann, bo) if await _id(ann) < await _id(bo) else (bo, ann)


async def _daily(browser: httpx.AsyncClient, **more: Any) -> None:
    wishes = {"zone": noon(), "digest_at": 11 * 60, **more}
    assert (await browser.put("/api/v1/me/notices/wishes", json=wishes)).status_code == 200


async def _awaited(site: TestSite) -> tuple[httpx.AsyncClient, str]:
    """Return the player to move in a correspondence game, with daily digests."""
    ann, bo = await _changed_people(site)
    room = await play_table(ann, bo, **DAYS)
    mover, _ = await find_mover(room, ann, bo)
    await _daily(mover)
    return mover, room


async def _digested_on(site: TestSite, browser: httpx.AsyncClient) -> str | None:
    notice = await site.site.notices.read_settings(await _id(browser))
    assert notice is not None
    return notice.wishes.digested_on


async def test_digest_rejected_by_the_mail_server_is_resent_after_the_interval(
    site: TestSite, box: Mailbox
) -> None:
    mover, _ = await _awaited(site)
    await _write_to(site, mover, "ann@example.org")
    box.is_closed = True
    assert await write_letters(site) == 0
    assert await _digested_on(site, mover) is None, "nothing was sent"
    box.is_closed = False
    assert await write_letters(site) == 0, "not before the interval has passed"
    site.pass_time(INTERVAL)
    assert await write_letters(site) == 1
    assert await _digested_on(site, mover) is not None
    site.pass_time(INTERVAL)
    assert await write_letters(site) == 0, "once a day"
    assert len(box.messages) == 1


async def test_digest_not_sent_before_a_kill_is_sent_by_the_next_server(
    sqlite_url: str, box: Mailbox, monkeypatch: pytest.MonkeyPatch
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
        assert await write_letters(site) == 0, "the claim is still valid: it may be being sent"
        site.pass_time(INTERVAL)
        assert await write_letters(site) == 1
    assert len(box.messages) == 1


async def test_digest_that_was_not_recorded_is_resent_with_the_same_id(
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
    assert {notice.content["t"] for notice in service.received} == {"digest"}
    assert len(service.received) == 2
    assert len({notice.content["id"] for notice in service.received}) == 1, (
        "the browser recognises the duplicate"
    )


async def test_failed_letter_is_resent_but_its_push_is_not(
    site: TestSite, service: PushService, box: Mailbox
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
    assert [notice.content["t"] for notice in service.received] == ["digest"]


async def test_digest_without_a_channel_is_not_recorded(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    mover, _ = await _awaited(site)
    await _write_to(site, mover, "ann@example.org")
    monkeypatch.setattr(
        Mailer, "is_configured", property(lambda _: False)
    )  # the operator has removed the mail server
    assert await write_letters(site) == 0
    assert await _digested_on(site, mover) is None


# -- invalid data of one person --------------------------------------------------------------------


async def _both_awaited(
    site: TestSite, service: PushService | None = None
) -> tuple[httpx.AsyncClient, httpx.AsyncClient]:
    """Return two subscribed players with a turn each, in the order in which a claim processes them."""
    first, second = await _changed_people(site)
    for browser in (first, second):
        if service is not None:
            await subscribe(browser, service)
    for browser in (first, second):
        room = await play_table(first, second, **DAYS)
        mover, _ = await find_mover(room, first, second)
        if mover is not browser:
            await play_turn(mover, room)
    return first, second


def _logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        str(getattr(record, "fields", {}).get("row"))
        for record in caplog.records
        if "a queue's row failed" in record.message
    ]


async def test_invalid_wishes_of_one_person_do_not_stop_pushes_to_others(
    site: TestSite, service: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    odd, _ = await _both_awaited(site, service)
    player = await _id(odd)
    await site.site.notices.database.execute_write(
        update(notices).where(notices.c.player == player).values(switches=["no", "switches"])
    )
    site.pass_time(20)
    await write_letters(site)
    assert await send(site) >= 1
    assert {notice.content["t"] for notice in service.received} >= {"turn"}
    assert set(_logged(caplog)) == {player}


async def test_invalid_address_of_one_person_does_not_stop_letters_to_others(
    site: TestSite, box: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    odd, other = await _both_awaited(site)
    await _write_to(site, odd, "odd.@example.org")  # accepted by an older release
    await _write_to(site, other, "other@example.org")
    assert await write_letters(site) == 1
    assert [str(message["To"]) for message in box.messages] == ["other@example.org"]
    assert _logged(caplog) == [await _id(odd)]
    assert await write_letters(site) == 0
    assert len(_logged(caplog)) == 1, "retried only after the interval"


async def test_unknown_stored_language_still_gets_a_letter(site: TestSite, box: Mailbox) -> None:
    ann, bo = await _both_awaited(site)
    for browser in (ann, bo):
        await _write_to(site, browser, "ann@example.org")
    await site.site.notices.database.execute_write(update(notices).values(language="zz"))
    assert await write_letters(site) == 2
    assert all("UTC" in read_text(message) for message in box.messages)
