"""A bad row, a bad browser or a log-in at the same time does not affect other notices."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from app.notify import push
from app.notify.outbound import Outbound, Response
from app.store.tables.games import games
from app.store.tables.people import notices, outbox, push_subscriptions
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    find_mover,
    notify,
    open_waiting_table,
    plan_notices,
    play_turn,
    process,
    send,
    subscribe,
    two_guests,
    write_letters,
)
from tests.notify.test_webhooks import receiving
from tests.store.statements import captured_statements
from tests.web.running_site import TestSite
from tests.web.tables import play_table


async def _id(browser: httpx.AsyncClient) -> str:
    return str((await browser.get("/api/v1/me")).json()["person"]["id"])


async def _failures(site: TestSite) -> list[Any]:
    return list(await site.app.state.game_server.store.failures.read_all())


async def _table_of(mover: httpx.AsyncClient, ann: httpx.AsyncClient, bo: httpx.AsyncClient) -> str:
    """Start a correspondence game in which it is the turn of `mover`; return it."""
    room = await play_table(ann, bo, **DAYS)
    first, _ = await find_mover(room, ann, bo)
    if first is not mover:
        await play_turn(first, room)
    return room


async def test_unreadable_game_does_not_affect_the_persons_other_games(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await two_guests(site)
    await subscribe(ann, service)
    bad = await _table_of(ann, ann, bo)
    await plan_notices(site)  # adds its outbox row
    good = await _table_of(ann, ann, bo)
    await site.site.notices.database.execute_write(update(games).where(games.c.id == bad).values(terms="{"))
    await notify(site)
    assert [notice.content["url"] for notice in service.received if notice.content["t"] == "turn"] == [
        f"/g/{good}"
    ]
    assert [each for each in await _failures(site) if each.queue == "push"] == []


async def test_browser_with_bad_keys_does_not_affect_the_persons_other_browsers(
    site: TestSite, service: PushService
) -> None:
    mover, _, _ = await open_waiting_table(site, service)
    bad = (await subscribe(mover, service))["endpoint"]
    same = push_subscriptions.c.endpoint == bad
    await site.site.notices.database.execute_write(
        update(push_subscriptions).where(same).values(p256dh="no key", made_at=0)
    )
    for _ in range(3):
        await notify(site)
    told = [notice.content["t"] for notice in service.received]
    assert told.count("turn") == 1, "sent once, to the other browser"
    assert await _failures(site) == []


async def test_guest_who_logs_in_while_a_letter_is_sent_gets_it_once(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = await site.guest("Captain Teach", "203.0.113.77")
    password = "plank, parrot, doubloon"
    assert (await owner.post("/api/v1/account/register", json={"password": password})).status_code == 200
    account = {"name": "Captain Teach", "password": password}
    ann, bo = await two_guests(site)
    room = await _table_of(ann, ann, bo)
    async with receiving() as receiver:
        url = {"webhook": f"http://127.0.0.1:{receiver.port}/"}
        assert (await ann.put("/api/v1/me/notices", json=url)).status_code == 200
        post = Outbound.post

        async def log_in(outbound: Outbound, *given: Any, **more: Any) -> Response:
            answer = await post(outbound, *given, **more)
            assert (await ann.post("/api/v1/account/login", json=account)).status_code == 200
            return answer

        with monkeypatch.context() as sending:
            sending.setattr(Outbound, "post", log_in)
            assert await write_letters(site) == 1
        for _ in range(4):
            site.pass_time(3600)
            await write_letters(site)
        assert len(receiver.posted) == 1
        (row,) = await site.site.notices.database.fetch_rows(select(outbox).where(outbox.c.game == room))
        assert row.player == await _id(ann)


async def test_rows_of_a_person_without_settings_are_deleted(site: TestSite, service: PushService) -> None:
    """A worker of an older release erases a person without knowing the outbox."""
    mover, _, _ = await open_waiting_table(site, service)
    await plan_notices(site)
    player = await _id(mover)
    await site.site.notices.database.execute_write(delete(notices).where(notices.c.player == player))
    site.pass_time(20)
    await process(site, "push", "letter")
    await process(site, "push", "letter")
    left = select(outbox).where(outbox.c.player == player, outbox.c.at <= site.site.now())
    assert list(await site.site.notices.database.fetch_rows(left)) == []


async def test_summary_that_was_not_recorded_is_resent_with_the_same_id(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await two_guests(site)
    await subscribe(ann, service)
    for _ in range(4):
        await _table_of(ann, ann, bo)
    site.pass_time(20)
    await plan_notices(site)
    await send(site)
    # As if the server was killed before it recorded what it had sent.
    mine = update(outbox).where(outbox.c.channel == "push")
    await site.site.notices.database.execute_write(mine.values(sent_at=None, event="", mark="", at=0))
    await notify(site)
    sent = [notice.content for notice in service.received if notice.content["t"] == "digest"]
    assert len(sent) == 2
    assert len({each["id"] for each in sent}) == 1, "the browser recognises the duplicate"


async def test_slow_browsers_of_a_person_hold_a_claim_for_a_limited_time(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, room = await open_waiting_table(site, service)
    with monkeypatch.context() as slow:
        slow.setattr(push, "SEND_SECONDS", 0)  # as if earlier messages had spent the budget
        await notify(site)
    assert service.attempts == 0
    rows = await site.site.notices.database.fetch_rows(
        select(outbox).where(outbox.c.game == room, outbox.c.event == "turn")
    )
    assert [(row.attempts, row.lease_until) for row in rows] == [(0, 0)], "not a failure of the receiver"
    await notify(site, push.POSTPONE_SECONDS)
    assert "turn" in [notice.content["t"] for notice in service.received]


async def test_rows_that_are_not_due_are_not_rewritten(site: TestSite, service: PushService) -> None:
    """A person with a hundred games has as many rows; writing all of them would delay moves."""
    ann, bo = await two_guests(site)
    await subscribe(ann, service)
    rooms = [await _table_of(ann, ann, bo) for _ in range(6)]
    for _ in range(3):
        await notify(site)
    await play_turn(ann, rooms[0])
    with captured_statements() as statements:
        await notify(site)
    assert "gone" in [notice.content["t"] for notice in service.received]
    written = [each for each in statements if each.startswith("UPDATE outbox") and "sent_at=" in each]
    assert len(written) <= 1, "the withdrawn one is deleted"
