"""Pushes against a push service that decrypts: sent once, replaced, withdrawn, tried again, never in a move's way."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select, update

from app.notify.outbox import LEASE_SECONDS
from app.notify.push import BROWSERS_AT_ONCE
from app.notify.webpush import topic
from app.store.games.tables import heads
from app.store.people.outbox import OutboxStore
from app.store.people.tables import outbox, push_subscriptions, vapid_keys
from tests.notify.push_service import PushService, push_service
from tests.notify.pushing import (
    DAY,
    DAYS,
    in_turn,
    is_turn_of,
    plan_notices,
    play_turn,
    pushing_site,
    queue,
    send,
    subscribe,
    tell,
    two_guests,
    waiting_table,
)
from tests.web.running_site import TestSite
from tests.web.tables import play_table


def _turns(service: PushService) -> list[str]:
    return [each.told["t"] for each in service.received if each.told["t"] in ("turn", "time", "gone")]


async def test_a_turn_is_pushed_to_its_browser_alone_and_once(site: TestSite, service: PushService) -> None:
    _, _, room = await waiting_table(site, service)
    await tell(site)
    turns = [each for each in service.received if each.told["t"] == "turn"]
    (received,) = turns
    told = received.told
    assert told["url"] == f"/g/{room}"
    assert told["title"] == "Your turn"
    assert told["body"] == "Friday's table"
    assert set(told) == {"v", "t", "tag", "id", "lang", "title", "body", "url", "deadline", "due"}
    async with site.site.pushes.reading() as run:
        rows = (await run.execute(select(push_subscriptions))).all()
    assert received.headers["topic"] in {topic(room, row.id) for row in rows}
    assert room not in str(received.headers), "an unlisted table's id is its key"
    assert received.headers["urgency"] == "normal"
    assert 2.9 * DAY < int(received.headers["ttl"]) <= 3 * DAY
    count = len(service.received)
    for _ in range(3):
        await tell(site)
    assert len(service.received) == count, "told already"


async def test_a_deadline_that_moves_is_no_new_turn(site: TestSite, service: PushService) -> None:
    mover, other, room = await waiting_table(site, service)
    await tell(site)
    before = _turns(service)
    later = update(heads).where(heads.c.game == room).values(deadline=heads.c.deadline + 60_000)
    await site.site.pushes.change(later)  # as a credit after an outage does
    await tell(site)
    assert _turns(service) == before
    await play_turn(mover, room)
    await play_turn(other, room)
    await tell(site)
    assert _turns(service).count("turn") == 2, "but the next one is"


async def test_a_newer_notice_has_the_older_ones_topic_and_what_was_played_is_withdrawn(
    site: TestSite, service: PushService
) -> None:
    mover, other, room = await waiting_table(site, service)
    await tell(site)
    first = next(each for each in service.received if each.told["t"] == "turn")
    await play_turn(mover, room)
    await tell(site)
    gone = next(each for each in service.received if each.told["t"] == "gone")
    assert gone.headers["topic"] == first.headers["topic"]
    assert gone.told == {"v": 1, "t": "gone", "tag": first.told["tag"]}
    await play_turn(other, room)
    await tell(site)
    again = [each for each in service.received if each.told["t"] == "turn" and each.path == first.path][-1]
    assert again.headers["topic"] == first.headers["topic"]
    assert again.told["id"] != first.told["id"], "another turn"


async def test_where_every_push_must_be_shown_none_is_withdrawn(site: TestSite, service: PushService) -> None:
    ann, bo = await two_guests(site)
    for browser in (ann, bo):
        await subscribe(browser, service, silent=False)
    room = await play_table(ann, bo, **DAYS)
    mover, _ = await in_turn(room, ann, bo)
    await tell(site)
    await play_turn(mover, room)
    await tell(site)
    assert "gone" not in _turns(service)


async def test_a_turn_played_before_it_was_pushed_is_not_pushed(site: TestSite, service: PushService) -> None:
    mover, _, room = await waiting_table(site, service)
    service.status = "503 Not now"
    await tell(site)
    assert service.tries > 0
    await play_turn(mover, room)
    service.status = "201 Created"
    await tell(site, 3600)
    mine = [each for each in service.received if each.told["t"] == "turn"]
    assert len(mine) == 1, "only the other one's"
    assert "gone" not in _turns(service), "nothing was shown that could be taken back"


async def test_killed_between_commit_and_push_none_is_lost_and_none_sent_twice(
    database_url: str, service: PushService
) -> None:
    async with pushing_site(database_url) as site:
        await waiting_table(site, service)
        assert service.received == [], "the move is on disk, nobody was told"
    async with pushing_site(database_url) as site:  # another process: it knows what the database knows
        await tell(site)
        await tell(site)
    async with pushing_site(database_url) as site:
        await tell(site, 120)
    assert _turns(service) == ["turn"]


async def test_killed_between_writing_a_push_down_and_sending_it_it_is_sent_when_the_lease_is_over(
    database_url: str, service: PushService
) -> None:
    async with pushing_site(database_url) as site:
        await waiting_table(site, service)
        site.pass_time(20)
        await plan_notices(site)
        store = OutboxStore(site.site.pushes.engine)
        claimed = await store.claim_outbox("push", site.site.now(), LEASE_SECONDS, 10, ())
        assert claimed, "leased, and then nothing more"
        await send(site)
        assert service.received == []
    async with pushing_site(database_url) as site:
        await tell(site, 20)
        assert service.received == [], "it may still be under way elsewhere"
        await tell(site, LEASE_SECONDS)
        await tell(site, LEASE_SECONDS)
    assert _turns(service) == ["turn"]


async def test_killed_between_sending_and_noting_it_the_second_one_is_known_by_its_id(
    site: TestSite, service: PushService
) -> None:
    await waiting_table(site, service)
    await tell(site)
    unnoted = update(outbox).values(sent_at=None, at=0)  # as a crash would leave it
    await site.site.pushes.change(unnoted)
    await send(site)
    first, second = [each for each in service.received if each.told["t"] == "turn"]
    assert second.told["id"] == first.told["id"], "the service worker shows it without a sound"
    assert second.headers["topic"] == first.headers["topic"]


async def test_two_workers_send_once(site: TestSite, service: PushService) -> None:
    await waiting_table(site, service)
    site.pass_time(20)
    await asyncio.gather(*(plan_notices(site) for _ in range(4)))
    stores = [OutboxStore(site.site.pushes.engine) for _ in range(4)]
    now = site.site.now()
    claims = await asyncio.gather(*(each.claim_outbox("push", now, LEASE_SECONDS, 10, ()) for each in stores))
    claimed = [player for claim in claims for player in claim]
    assert len(claimed) == len(set(claimed))
    for player in claimed:
        await queue(site, "push").queue.process(player)
    await send(site)
    assert _turns(service) == ["turn"]


@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone"])
async def test_a_browser_that_is_gone_is_forgotten(site: TestSite, service: PushService, status: str) -> None:
    mover, other, _ = await waiting_table(site, service)
    service.status = status
    await tell(site)
    left = [(await browser.get("/api/v1/me/push")).json()["endpoints"] for browser in (mover, other)]
    assert left[0] == []
    tries = service.tries
    await tell(site, DAY // 8)
    assert service.tries == tries


@pytest.mark.parametrize("status", ["401 Who", "403 No"])
async def test_a_push_service_that_does_not_believe_us_ends_nobody_and_the_operator_hears_of_it(
    site: TestSite, service: PushService, status: str, caplog: pytest.LogCaptureFixture
) -> None:
    mover, _, _ = await waiting_table(site, service)
    service.status = status
    await tell(site)
    assert len((await mover.get("/api/v1/me/push")).json()["endpoints"]) == 1
    assert any("does not accept our signature" in record.message for record in caplog.records)
    assert 'cartagena_notices_total{outcome="refused",way="push"}' in site.site.metrics.text().decode()
    refused = sum(row["refused"] for row in await site.site.pushes.key_counts())
    assert refused >= 1
    tries = service.tries
    await tell(site, 3600)
    assert service.tries == tries, "sending has stopped"
    service.status = "201 Created"
    await tell(site, 6 * 3600)
    assert "turn" in _turns(service), "the clock was set right, and nobody had to subscribe anew"
    assert sum(row["refused"] for row in await site.site.pushes.key_counts()) < refused


async def test_a_busy_push_service_is_asked_again_when_it_says(site: TestSite, service: PushService) -> None:
    await waiting_table(site, service)
    service.status, service.extra = "429 Slow down", "retry-after: 600\r\n"
    await tell(site)
    tries = service.tries
    service.status, service.extra = "201 Created", ""
    await tell(site, 500)
    assert service.tries == tries
    await tell(site, 110)
    assert "turn" in _turns(service)


async def test_what_keeps_failing_is_tried_ever_more_rarely_and_not_after_its_time(
    site: TestSite, service: PushService
) -> None:
    await waiting_table(site, service)
    service.status = "500 Oops"
    for _ in range(60):
        await tell(site, 3600)
    assert service.tries < 30, "in two and a half days"
    service.status = "201 Created"
    await tell(site, DAY)
    assert "turn" not in _turns(service), "the turn is over"


async def test_attack_a_push_service_that_never_answers_holds_up_no_move(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await two_guests(site)
    for browser in (ann, bo):
        for _ in range(BROWSERS_AT_ONCE + 2):
            await subscribe(browser, service)
    room = await play_table(ann, bo, **DAYS)
    service.gate = asyncio.Event()
    site.pass_time(20)
    await plan_notices(site)
    sending = asyncio.ensure_future(send(site))
    await service.tried(BROWSERS_AT_ONCE)
    for _ in range(4):  # moves while everything hangs
        mover, _ = await in_turn(room, ann, bo)
        await play_turn(mover, room)
        assert not await is_turn_of(mover, room)
    assert service.tries <= 2 * BROWSERS_AT_ONCE, "at most so many connections for one person"
    assert not service.received
    service.gate.set()
    await sending


async def test_attack_a_subscription_whose_key_was_dropped_stops_no_pushes(
    site: TestSite, service: PushService
) -> None:
    mover, other, room = await waiting_table(site, service)
    dead = (await other.get("/api/v1/me")).json()["person"]["id"]
    change = update(push_subscriptions).where(push_subscriptions.c.player == dead).values(key=99)
    await site.site.pushes.change(change)  # as one that subscribes while the operator drops the old key
    assert not await site.site.pushes.rows(select(vapid_keys).where(vapid_keys.c.number == 99))
    await tell(site)
    assert "turn" in _turns(service), "the others' pushes go out"
    await play_turn(mover, room)
    await tell(site)
    assert _turns(service).count("turn") == 1, "nothing can be sent to that browser"
    rows = await site.site.pushes.rows(
        select(outbox).where(outbox.c.player == dead, outbox.c.channel == "push")
    )
    assert rows == [], "and nothing waits for it"


async def test_attack_a_push_service_that_is_gone_costs_a_try_and_nothing_else(
    site: TestSite, service: PushService
) -> None:
    mover, other, room = await waiting_table(site, service)
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
    await tell(site)
    assert "turn" in _turns(service), "the others' pushes go out"


async def test_attack_a_redirect_is_not_followed(site: TestSite, service: PushService) -> None:
    await waiting_table(site, service)
    async with push_service() as secret:
        service.status = "307 Elsewhere"
        service.extra = f"location: http://127.0.0.1:{secret.port}/internal\r\n"
        await tell(site)
        assert service.tries > 0
        assert secret.tries == 0
