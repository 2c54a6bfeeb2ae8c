"""Pushes with a push service that decrypts: sent once, replaced, withdrawn, retried, never delaying a move."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select, update

from app.notify.outbox import LEASE_SECONDS
from app.notify.push import MAX_CONCURRENT_BROWSERS
from app.notify.webpush import make_topic
from app.notify.words import TEST_SUBJECT
from app.store.people.outbox import OutboxStore
from app.store.tables.games import heads
from app.store.tables.people import outbox, push_subscriptions, vapid_keys
from tests.databases import connect
from tests.notify.push_service import PushService, push_service
from tests.notify.pushing import (
    DAY_SECONDS,
    DAYS,
    find_mover,
    is_turn_of,
    notify,
    open_waiting_table,
    plan_notices,
    play_turn,
    pushing_site,
    queue,
    send,
    subscribe,
    two_guests,
)
from tests.web.running_site import TestSite
from tests.web.tables import play_table


def _turns(service: PushService) -> list[str]:
    return [
        notice.content["t"] for notice in service.received if notice.content["t"] in ("turn", "time", "gone")
    ]


async def test_turn_is_pushed_once_and_only_to_its_players_browser(
    site: TestSite, service: PushService
) -> None:
    _, other, room = await open_waiting_table(site, service)
    opponent = (await other.get("/api/v1/me")).json()["person"]["name"]
    await notify(site)
    turns = [notice for notice in service.received if notice.content["t"] == "turn"]
    (received,) = turns
    told = received.content
    assert told["url"] == f"/g/{room}"
    assert told["title"] == f"Your turn against {opponent}"
    assert told["body"] == "Friday's table · Tortuga"
    assert told["due"] == "until {when}", "the browser knows its time zone"
    assert set(told) == {"v", "t", "tag", "id", "lang", "title", "body", "url", "deadline", "due"}
    async with connect(site.site.pushes.database) as run:
        rows = (await run.execute(select(push_subscriptions))).all()
    assert received.headers["topic"] in {make_topic(room, row.id) for row in rows}
    assert room not in str(received.headers), "the id of an unlisted table is secret"
    assert received.headers["urgency"] == "normal"
    assert 2.9 * DAY_SECONDS < int(received.headers["ttl"]) <= 3 * DAY_SECONDS
    count = len(service.received)
    for _ in range(3):
        await notify(site)
    assert len(service.received) == count, "sent already"


async def test_moved_deadline_is_not_a_new_turn(site: TestSite, service: PushService) -> None:
    mover, other, room = await open_waiting_table(site, service)
    await notify(site)
    before = _turns(service)
    later = update(heads).where(heads.c.game == room).values(deadline=heads.c.deadline + 60_000)
    await site.site.pushes.database.execute_write(later)  # like a credit after an outage
    await notify(site)
    assert _turns(service) == before
    await play_turn(mover, room)
    await play_turn(other, room)
    await notify(site)
    assert _turns(service).count("turn") == 2, "but the next turn is pushed"


async def test_newer_notice_replaces_the_older_and_a_played_turn_is_withdrawn(
    site: TestSite, service: PushService
) -> None:
    mover, other, room = await open_waiting_table(site, service)
    await notify(site)
    first = next(notice for notice in service.received if notice.content["t"] == "turn")
    await play_turn(mover, room)
    await notify(site)
    gone = next(notice for notice in service.received if notice.content["t"] == "gone")
    assert gone.headers["topic"] == first.headers["topic"]
    assert gone.content == {"v": 1, "t": "gone", "tag": first.content["tag"]}
    await play_turn(other, room)
    await notify(site)
    again = [
        notice for notice in service.received if notice.content["t"] == "turn" and notice.path == first.path
    ][-1]
    assert again.headers["topic"] == first.headers["topic"]
    assert again.content["id"] != first.content["id"], "another turn"


async def test_nothing_is_withdrawn_where_every_push_must_be_shown(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await two_guests(site)
    for browser in (ann, bo):
        await subscribe(browser, service, silent=False)
    room = await play_table(ann, bo, **DAYS)
    mover, _ = await find_mover(room, ann, bo)
    await notify(site)
    await play_turn(mover, room)
    await notify(site)
    assert "gone" not in _turns(service)


async def test_turn_played_before_it_was_pushed_is_not_pushed(site: TestSite, service: PushService) -> None:
    mover, _, room = await open_waiting_table(site, service)
    service.status = "503 Not now"
    await notify(site)
    assert service.attempts > 0
    await play_turn(mover, room)
    service.status = "201 Created"
    await notify(site, 3600)
    mine = [notice for notice in service.received if notice.content["t"] == "turn"]
    assert len(mine) == 1, "only the other player's"
    assert "gone" not in _turns(service), "nothing was shown that could be withdrawn"


async def test_kill_between_commit_and_push_loses_and_duplicates_nothing(
    database_url: str, service: PushService
) -> None:
    async with pushing_site(database_url) as site:
        await open_waiting_table(site, service)
        assert service.received == [], "the move is on disk, nothing was sent"
    async with pushing_site(database_url) as site:  # another process, which knows only the database
        await notify(site)
        await notify(site)
    async with pushing_site(database_url) as site:
        await notify(site, 120)
    assert _turns(service) == ["turn"]


async def test_push_claimed_before_a_kill_is_sent_when_the_lease_ends(
    database_url: str, service: PushService
) -> None:
    async with pushing_site(database_url) as site:
        await open_waiting_table(site, service)
        site.pass_time(20)
        await plan_notices(site)
        store = OutboxStore(site.site.pushes.database)
        claimed = await store.claim_outbox("push", site.site.now(), LEASE_SECONDS, 10, ())
        assert claimed, "leased, but never sent"
        await send(site)
        assert service.received == []
    async with pushing_site(database_url) as site:
        await notify(site, 20)
        assert service.received == [], "another worker may still be sending it"
        await notify(site, LEASE_SECONDS)
        await notify(site, LEASE_SECONDS)
    assert _turns(service) == ["turn"]


async def test_push_not_recorded_before_a_kill_is_resent_with_the_same_id(
    site: TestSite, service: PushService
) -> None:
    await open_waiting_table(site, service)
    await notify(site)
    unrecorded = update(outbox).values(sent_at=None, at=0)  # as a crash would leave it
    await site.site.pushes.database.execute_write(unrecorded)
    await send(site)
    first, second = [notice for notice in service.received if notice.content["t"] == "turn"]
    assert second.content["id"] == first.content["id"], "the service worker recognises the duplicate"
    assert second.headers["topic"] == first.headers["topic"]


async def test_two_workers_send_one_push(site: TestSite, service: PushService) -> None:
    await open_waiting_table(site, service)
    site.pass_time(20)
    await asyncio.gather(*(plan_notices(site) for _ in range(4)))
    stores = [OutboxStore(site.site.pushes.database) for _ in range(4)]
    now = site.site.now()
    claims = await asyncio.gather(*(each.claim_outbox("push", now, LEASE_SECONDS, 10, ()) for each in stores))
    claimed = [player for claim in claims for player in claim]
    assert len(claimed) == len(set(claimed))
    for player in claimed:
        await queue(site, "push").queue.process(player)
    await send(site)
    assert _turns(service) == ["turn"]


@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone"])
async def test_subscription_that_the_push_service_dropped_is_deleted(
    site: TestSite, service: PushService, status: str
) -> None:
    mover, other, _ = await open_waiting_table(site, service)
    service.status = status
    await notify(site)
    left = [(await browser.get("/api/v1/me/push")).json()["endpoints"] for browser in (mover, other)]
    assert left[0] == []
    tries = service.attempts
    await notify(site, DAY_SECONDS // 8)
    assert service.attempts == tries


@pytest.mark.parametrize("status", ["401 Who", "403 No"])
async def test_rejected_signature_keeps_subscriptions_and_is_logged_for_the_operator(
    site: TestSite, service: PushService, status: str, caplog: pytest.LogCaptureFixture
) -> None:
    mover, _, _ = await open_waiting_table(site, service)
    service.status = status
    await notify(site)
    assert len((await mover.get("/api/v1/me/push")).json()["endpoints"]) == 1
    assert any("does not accept our signature" in record.message for record in caplog.records)
    assert 'cartagena_notices_total{outcome="refused",way="push"}' in site.site.metrics.text().decode()
    refused = sum(row["refused"] for row in await site.site.pushes.count_key_uses())
    assert refused >= 1
    tries = service.attempts
    await notify(site, 3600)
    assert service.attempts == tries, "sending is paused"
    service.status = "201 Created"
    await notify(site, 6 * 3600)
    assert "turn" in _turns(service), "after the clock was corrected, subscriptions still work"
    assert sum(row["refused"] for row in await site.site.pushes.count_key_uses()) < refused


async def test_busy_push_service_is_retried_after_its_retry_after(
    site: TestSite, service: PushService
) -> None:
    await open_waiting_table(site, service)
    service.status, service.extra = "429 Slow down", "retry-after: 600\r\n"
    await notify(site)
    tries = service.attempts
    service.status, service.extra = "201 Created", ""
    await notify(site, 500)
    assert service.attempts == tries
    await notify(site, 110)
    assert "turn" in _turns(service)


async def test_failing_push_is_retried_with_back_off_until_it_expires(
    site: TestSite, service: PushService
) -> None:
    await open_waiting_table(site, service)
    service.status = "500 Oops"
    for _ in range(60):
        await notify(site, 3600)
    assert service.attempts < 30, "within two and a half days"
    service.status = "201 Created"
    await notify(site, DAY_SECONDS)
    assert "turn" not in _turns(service), "the turn is over"


async def test_attack_silent_push_service_delays_no_move(site: TestSite, service: PushService) -> None:
    ann, bo = await two_guests(site)
    for browser in (ann, bo):
        for _ in range(MAX_CONCURRENT_BROWSERS + 2):
            await subscribe(browser, service)
    room = await play_table(ann, bo, **DAYS)
    service.gate = asyncio.Event()
    site.pass_time(20)
    await plan_notices(site)
    sending = asyncio.ensure_future(send(site))
    await service.wait_for_attempts(MAX_CONCURRENT_BROWSERS)
    for _ in range(4):  # moves while all requests hang
        mover, _ = await find_mover(room, ann, bo)
        await play_turn(mover, room)
        assert not await is_turn_of(mover, room)
    assert service.attempts <= 2 * MAX_CONCURRENT_BROWSERS, "the number of connections per person is limited"
    assert not service.received
    service.gate.set()
    await sending


async def test_attack_subscription_with_a_dropped_key_stops_no_other_pushes(
    site: TestSite, service: PushService
) -> None:
    mover, other, room = await open_waiting_table(site, service)
    dead = (await other.get("/api/v1/me")).json()["person"]["id"]
    change = update(push_subscriptions).where(push_subscriptions.c.player == dead).values(key=99)
    await site.site.pushes.database.execute_write(
        change
    )  # like one that subscribes while the operator drops the old key
    assert not await site.site.pushes.database.fetch_rows(select(vapid_keys).where(vapid_keys.c.number == 99))
    await notify(site)
    assert "turn" in _turns(service), "pushes to others are sent"
    await play_turn(mover, room)
    await notify(site)
    assert _turns(service).count("turn") == 1, "nothing can be sent to that browser"
    rows = await site.site.pushes.database.fetch_rows(
        select(outbox).where(outbox.c.player == dead, outbox.c.channel == "push")
    )
    assert rows == [], "and nothing is queued for it"


async def test_attack_unreachable_push_service_costs_one_attempt(
    site: TestSite, service: PushService
) -> None:
    mover, other, room = await open_waiting_table(site, service)
    dead = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = dead.sockets[0].getsockname()[1]
    dead.close()
    await dead.wait_closed()
    gone = {**service.subscription(), "endpoint": f"http://127.0.0.1:{port}/nobody"}
    for browser in (mover, other):
        answer = await browser.post(
            "/api/v1/me/push", json={**gone, "endpoint": f"{gone['endpoint']}{id(browser)}"}
        )
        assert answer.status_code == 200, answer.text
    await play_turn(mover, room)
    await notify(site)
    assert "turn" in _turns(service), "pushes to others are sent"


async def test_attack_redirect_is_not_followed(site: TestSite, service: PushService) -> None:
    await open_waiting_table(site, service)
    async with push_service() as secret:
        service.status = "307 Elsewhere"
        service.extra = f"location: http://127.0.0.1:{secret.port}/internal\r\n"
        await notify(site)
        assert service.attempts > 0
        assert secret.attempts == 0


async def test_test_is_pushed_to_this_browser_alone(site: TestSite, service: PushService) -> None:
    ann, bo = await two_guests(site)
    here, _, others = [await subscribe(browser, service) for browser in (ann, ann, bo)]

    async def test(endpoint: str) -> Any:
        answer = await ann.post("/api/v1/me/notices/test", json={"channel": "push", "endpoint": endpoint})
        return answer.json()

    for endpoint in (others["endpoint"], "https://push.example/unknown"):
        assert (await test(endpoint))["error"]["code"] == "no_push_here"
    assert await test(here["endpoint"]) == {"outcome": "sent"}
    (received,) = service.received
    assert here["endpoint"].endswith(received.path)
    assert received.content["title"] == TEST_SUBJECT
    assert received.content["url"] == "/me"
    service.status = "500 Oops"
    assert await test(here["endpoint"]) == {"outcome": "answered 500"}
    service.status = "410 Gone"
    assert await test(here["endpoint"]) == {"outcome": "ended"}
    assert (await test(here["endpoint"]))["error"]["code"] == "no_push_here"
