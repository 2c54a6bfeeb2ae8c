"""One bad row, one bad browser or one person who logs in meanwhile leaves all other notices alone."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select, update

from app.notify import push
from app.notify.outbound import Answer, Outbound
from app.store.games.tables import games
from app.store.people.tables import notices, outbox, push_subscriptions
from tests.notify.push_service import PushService
from tests.notify.pushing import (
    DAYS,
    in_turn,
    plan_notices,
    play_turn,
    process,
    send,
    subscribe,
    tell,
    two_guests,
    waiting_table,
    write_letters,
)
from tests.notify.test_webhooks import receiving
from tests.store.statements import counted
from tests.web.running_site import TestSite
from tests.web.tables import play_table


async def _id(browser: httpx.AsyncClient) -> str:
    return str((await browser.get("/api/v1/me")).json()["person"]["id"])


async def _failures(site: TestSite) -> list[Any]:
    return list(await site.app.state.game_server.store.list_failures())


async def _table_of(mover: httpx.AsyncClient, ann: httpx.AsyncClient, bo: httpx.AsyncClient) -> str:
    """A game over days that waits for `mover`."""
    room = await play_table(ann, bo, **DAYS)
    first, _ = await in_turn(room, ann, bo)
    if first is not mover:
        await play_turn(first, room)
    return room


async def test_a_game_that_cannot_be_read_leaves_the_persons_other_games_alone(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await two_guests(site)
    await subscribe(ann, service)
    bad = await _table_of(ann, ann, bo)
    await plan_notices(site)  # it has its row of the outbox
    good = await _table_of(ann, ann, bo)
    await site.site.notices.change(update(games).where(games.c.id == bad).values(terms="{"))
    await tell(site)
    assert [each.told["url"] for each in service.received if each.told["t"] == "turn"] == [f"/g/{good}"]
    assert [each for each in await _failures(site) if each.queue == "push"] == []


async def test_a_browser_whose_keys_are_bad_leaves_the_persons_other_browsers_alone(
    site: TestSite, service: PushService
) -> None:
    mover, _, _ = await waiting_table(site, service)
    bad = (await subscribe(mover, service))["endpoint"]
    same = push_subscriptions.c.endpoint == bad
    await site.site.notices.change(update(push_subscriptions).where(same).values(p256dh="no key", made_at=0))
    for _ in range(3):
        await tell(site)
    told = [each.told["t"] for each in service.received]
    assert told.count("turn") == 1, "sent once, to the other browser"
    assert await _failures(site) == []


async def test_a_guest_who_logs_in_while_a_letter_is_sent_gets_it_once(
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

        async def log_in(outbound: Outbound, *given: Any, **more: Any) -> Answer:
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
        (row,) = await site.site.notices.rows(select(outbox).where(outbox.c.game == room))
        assert row.player == await _id(ann)


async def test_rows_of_a_person_without_settings_are_deleted(site: TestSite, service: PushService) -> None:
    """A worker of an older release erases a person and knows nothing of the outbox."""
    mover, _, _ = await waiting_table(site, service)
    await plan_notices(site)
    player = await _id(mover)
    await site.site.notices.change(delete(notices).where(notices.c.player == player))
    site.pass_time(20)
    await process(site, "push", "letter")
    await process(site, "push", "letter")
    left = select(outbox).where(outbox.c.player == player, outbox.c.at <= site.site.now())
    assert list(await site.site.notices.rows(left)) == []


async def test_a_summary_whose_noting_failed_is_known_by_its_id(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await two_guests(site)
    await subscribe(ann, service)
    for _ in range(4):
        await _table_of(ann, ann, bo)
    site.pass_time(20)
    await plan_notices(site)
    await send(site)
    # The server was killed before it noted what it had sent.
    mine = update(outbox).where(outbox.c.channel == "push")
    await site.site.notices.change(mine.values(sent_at=None, event="", mark="", at=0))
    await tell(site)
    sent = [each.told for each in service.received if each.told["t"] == "digest"]
    assert len(sent) == 2
    assert len({each["id"] for each in sent}) == 1, "shown without a second sound"


async def test_a_person_whose_browsers_answer_slowly_keeps_a_place_for_a_bounded_time(
    site: TestSite, service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, room = await waiting_table(site, service)
    with monkeypatch.context() as slow:
        slow.setattr(push, "SEND_SECONDS", 0)  # all of it was used up by the messages before
        await tell(site)
    assert service.tries == 0
    rows = await site.site.notices.rows(select(outbox).where(outbox.c.game == room, outbox.c.event == "turn"))
    assert [(row.attempts, row.lease_until) for row in rows] == [(0, 0)], "not a failure of the receiver"
    await tell(site, push.POSTPONED_SECONDS)
    assert "turn" in [each.told["t"] for each in service.received]


async def test_rows_that_are_not_due_are_not_written_again(site: TestSite, service: PushService) -> None:
    """A person with a hundred games has as many rows; writing them all would keep moves waiting."""
    ann, bo = await two_guests(site)
    await subscribe(ann, service)
    rooms = [await _table_of(ann, ann, bo) for _ in range(6)]
    for _ in range(3):
        await tell(site)
    await play_turn(ann, rooms[0])
    with counted() as statements:
        await tell(site)
    assert "gone" in [each.told["t"] for each in service.received]
    written = [each for each in statements if each.startswith("UPDATE outbox") and "sent_at=" in each]
    assert len(written) <= 1, "the withdrawn one is deleted"
