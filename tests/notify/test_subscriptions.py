"""Push subscriptions: subscribing, limits and checks, and when a subscription ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import func, select

from app.store.people.pushes import MAX_BROWSERS, PushStore
from app.store.tables.people import outbox, push_subscriptions
from tests.notify.push_service import PushService
from tests.notify.pushing import DAYS, notify, pushing_site, subscribe
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import play_table


async def _count(site: TestSite, table: Any = push_subscriptions) -> int:
    return int((await site.site.pushes.database.fetch_rows(select(func.count()).select_from(table)))[0][0])


async def test_guest_can_subscribe_and_unsubscribe(site: TestSite, service: PushService) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    offered = (await ann.get("/api/v1/me/push")).json()
    assert offered["push"] is True
    assert offered["endpoints"] == []
    made = await subscribe(ann, service, key=offered["key"])
    await ann.post("/api/v1/me/push", json=made)  # the page repeats this each time it is opened
    assert (await ann.get("/api/v1/me/push")).json()["endpoints"] == [
        {"endpoint": made["endpoint"], "is_current": True}
    ]
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    await bo.post("/api/v1/me/push/end", json={"endpoint": made["endpoint"]})
    assert await _count(site) == 1, "the subscription of another player is kept"
    await ann.post("/api/v1/me/push/end", json={"endpoint": made["endpoint"]})
    assert await _count(site) == 0


async def test_visitors_without_a_session_and_programs_cannot_subscribe(
    site: TestSite, service: PushService
) -> None:
    made = service.subscription()
    assert (await site.browser().post("/api/v1/me/push", json=made)).status_code == 401
    ann, _ = await site.guest("Anne Bonfire")
    forged = await ann.post(
        "/api/v1/me/push",
        json=made,
        headers={"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
    )
    assert code_of(forged) == "forged"
    assert await _count(site) == 0


async def test_page_left_open_does_not_subscribe_the_next_player(
    site: TestSite, service: PushService
) -> None:
    """A page that was loaded by the previous player of the session subscribes nobody."""
    ann, _ = await site.guest("Anne Bonfire")
    person = (await ann.get("/api/v1/me")).json()["person"]["id"]
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    late = {**service.subscription(), "person": person}
    assert code_of(await bo.post("/api/v1/me/push", json=late)) == "endpoint_taken"
    assert await _count(site) == 0
    assert (await ann.post("/api/v1/me/push", json=late)).status_code == 200


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/x",
        "https://user:word@push.example/x",
        "https://push.example:22/x",
        "https://push.example/#x",
        "javascript:alert(1)",
        "https://push.example/" + "x" * 980,
    ],
)
async def test_attack_private_endpoint_is_rejected(
    sqlite_url: str, service: PushService, endpoint: str
) -> None:
    async with running(sqlite_url) as site:
        ann, _ = await site.guest()
        answer = await ann.post("/api/v1/me/push", json={**service.subscription(), "endpoint": endpoint})
        assert code_of(answer) == "bad_endpoint" or answer.status_code == 422
        assert await _count(site) == 0


async def test_attack_host_that_resolves_to_a_private_address_is_not_called(
    sqlite_url: str, service: PushService
) -> None:
    async with pushing_site(sqlite_url, webhook_private=False) as site:
        ann, _ = await site.guest()
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        for browser in (ann, bo):
            made = service.subscription()
            made["endpoint"] = f"https://localhost:8443{made['endpoint'].partition('push')[2]}"
            answer = await browser.post("/api/v1/me/push", json=made)
            assert answer.status_code == 200, answer.text
        await play_table(ann, bo, **DAYS)
        await notify(site)
        text = site.site.metrics.text().decode()
        assert 'cartagena_notices_total{outcome="delayed",way="push"}' in text
        assert 'outcome="sent",way="push"' not in text


async def test_attack_endpoint_of_another_player_cannot_be_taken_over_with_other_keys(
    site: TestSite, service: PushService
) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    made = await subscribe(ann, service)
    thief, _ = await site.guest("Theo Thief", "203.0.113.9")
    stolen = {**service.subscription(), "endpoint": made["endpoint"]}
    assert code_of(await thief.post("/api/v1/me/push", json=stolen)) == "endpoint_taken"
    assert (await thief.post("/api/v1/me/push", json=made)).status_code == 200, (
        "the same browser, signed in anew"
    )
    assert (await ann.get("/api/v1/me/push")).json()["endpoints"] == []


async def test_attack_number_of_browsers_per_person_is_limited(site: TestSite, service: PushService) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    made = []
    for _ in range(MAX_BROWSERS + 3):
        made.append(await subscribe(ann, service))
        site.pass_time(1)
    left = {each["endpoint"] for each in (await ann.get("/api/v1/me/push")).json()["endpoints"]}
    assert left == {each["endpoint"] for each in made[3:]}
    codes = [(await ann.post("/api/v1/me/push", json=service.subscription())).status_code for _ in range(40)]
    assert codes.count(429) > 0


async def test_bad_keys_are_rejected(site: TestSite, service: PushService) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    made = service.subscription()
    for keys in ({"p256dh": "AAAA", "auth": made["keys"]["auth"]}, {**made["keys"], "auth": "AAAA"}):
        assert code_of(await ann.post("/api/v1/me/push", json={**made, "keys": keys})) == "bad_keys"


async def test_subscription_ends_with_log_out_deletion_or_erasure(
    site: TestSite, service: PushService
) -> None:
    ann, signed = await site.guest("Anne Bonfire")
    ann_id = signed["person"]["id"]
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    cy, told = await site.guest("Cy Cutlass", "203.0.113.10")
    await play_table(ann, bo, **DAYS)
    await play_table(bo, cy, **DAYS)
    for browser in (ann, bo, cy):
        await subscribe(browser, service)
    await play_table(ann, bo, **DAYS)
    await notify(site)
    assert await _count(site) == 3
    assert (await ann.post("/api/v1/account/logout")).status_code == 200
    assert await _count(site) == 2
    assert (await bo.post("/api/v1/me/delete", json={})).status_code == 200
    assert await _count(site) == 1
    await site.site.data.erase((told["person"]["id"],), site.site.now())
    assert await _count(site) == 0
    people = {row.player for row in await site.site.pushes.database.fetch_rows(select(outbox))}
    assert people <= {ann_id}, "rows of a person who only logged out are deleted when claimed"
    received = len(service.received)
    await notify(site)
    assert len(service.received) == received


async def test_vapid_key_is_created_once_for_all_workers(database_url: str) -> None:
    async with running(database_url) as site:
        stores = [PushStore(site.site.pushes.database) for _ in range(4)]
        found = await asyncio.gather(*(store.get_newest_key(1) for store in stores))
        assert len({key.public for key in found}) == 1
        mine = found[0].public
    async with running(database_url) as site:
        assert (await site.site.pushes.get_newest_key(1)).public == mine, (
            "kept across restarts, and by a backup"
        )


async def test_rotated_key_serves_new_browsers_and_the_old_key_existing_ones(
    site: TestSite, service: PushService
) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    old = (await ann.get("/api/v1/me/push")).json()["key"]
    made = await subscribe(ann, service, key=old)
    new = (await site.site.pushes.rotate_key(site.site.now(), drop_old=False)).public
    assert new != old
    shown = (await ann.get("/api/v1/me/push")).json()
    assert shown["key"] == new
    assert shown["endpoints"] == [{"endpoint": made["endpoint"], "is_current": False}], (
        "its page subscribes anew"
    )
    await subscribe(bo, service, key=new)
    await play_table(ann, bo, **DAYS)
    await notify(site)
    keys = {notice.path: notice.key for notice in service.received}
    assert set(keys.values()) <= {old, new}
    assert keys.get(made["endpoint"].partition(str(service.port))[2], old) == old
    await site.site.pushes.rotate_key(site.site.now(), drop_old=True)
    assert await _count(site) == 0
    assert len(await site.site.pushes.list_keys()) == 1
