"""Claiming: logging in on a guest's browser moves the guest's settings, invitations and notices to the account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection

from app.store.people.notice_values import Wishes
from app.store.people.notices import NoticeSettings
from app.store.people.pending_notices import find_pending_notices
from app.store.people.players import hash_secret
from app.web.auth.sessions import cookie_name
from tests.web.running_site import TestSite, running
from tests.web.tables import command, done, open_table, play_table

PASSWORD = "plank, parrot, doubloon"
LOGIN = {"name": "Anne Bonfire", "password": PASSWORD}


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url) as test:
        yield test


async def account_of(site: TestSite) -> tuple[httpx.AsyncClient, str]:
    browser, told = await site.guest("Anne Bonfire")
    await browser.post("/api/v1/account/register", json={"password": PASSWORD})
    return browser, told["person"]["id"]


def session_hash(site: TestSite, browser: httpx.AsyncClient) -> str:
    return hash_secret(browser.cookies[cookie_name(site.site.settings)].rpartition(".")[0])


async def subscribe(site: TestSite, browser: httpx.AsyncClient, player: str, endpoint: str) -> None:
    keys: dict[str, Any] = {"p256dh": "x", "auth": "y", "key": 1, "takes_silent": False, "language": None}
    session = session_hash(site, browser)
    await site.site.pushes.subscribe(player, session, endpoint=endpoint, now=site.site.now(), **keys)


async def log_in(browser: httpx.AsyncClient) -> None:
    answer = await browser.post("/api/v1/account/login", json=LOGIN)
    assert (answer.status_code, answer.json()["claimed"]) == (200, 1)


async def test_claiming_moves_settings_switches_and_invitations_to_the_account(site: TestSite) -> None:
    _, account = await account_of(site)
    browser, told = await site.guest("Somewhere Else", "203.0.113.9")
    guest, parts, now = told["person"]["id"], site.site, site.site.now()
    room = await open_table(browser)
    hook: dict[str, Any] = {
        "email": None,
        "confirm": None,
        "webhook": "https://hook.example/",
        "webhook_key": "k",
    }
    await parts.notices.save_contact_settings(guest, **hook, language="de", now=now)
    await parts.notices.save_wishes(guest, Wishes(switches={"table": False}, digest_at=480), None, now)
    await parts.notices.save_game_switches(guest, room, {"turn": False}, None, now)
    _, other = await site.guest("Bo Bellows", "203.0.113.10")
    await parts.notices.invite("another-table", guest, other["person"]["id"], now)
    await log_in(browser)
    notice = await parts.notices.read_settings(account)
    assert notice is not None
    assert (notice.webhook, notice.webhook_key, notice.language) == ("https://hook.example/", "k", "de")
    assert (notice.wishes.switches, notice.wishes.digest_at) == ({"table": False}, 480)
    assert await parts.notices.read_game_switches(account, room) == {"turn": False}
    assert await parts.notices.read_settings(guest) == NoticeSettings()
    data = (await browser.get("/api/v1/me/data")).json()
    assert [row["player"] for row in data["invitations"]] == [account]


async def test_claiming_keeps_only_the_push_subscription_of_this_browser(
    site: TestSite,
) -> None:
    _, account = await account_of(site)
    browser, told = await site.guest("Somewhere Else", "203.0.113.9")
    guest = told["person"]["id"]
    code = (await browser.post("/api/v1/resume-codes", json={})).json()["code"]
    phone = site.browser("203.0.113.11")
    assert (await phone.post("/api/v1/resume", json={"code": code})).status_code == 200
    await subscribe(site, browser, guest, "https://push.example/browser")
    await subscribe(site, phone, guest, "https://push.example/phone")
    await log_in(browser)
    endpoints = [endpoint for endpoint, _ in await site.site.pushes.list_endpoints(account)]
    assert endpoints == ["https://push.example/browser"]
    assert await site.site.pushes.list_endpoints(guest) == []
    assert (await phone.get("/api/v1/me")).json()["person"] is None
    await browser.post("/api/v1/account/logout")
    assert await site.site.pushes.list_endpoints(account) == [], "it belongs to the new session"


async def test_a_push_subscription_moves_only_to_a_session_of_the_same_person(site: TestSite) -> None:
    browser, told = await site.guest("Anne Bonfire")
    person = told["person"]["id"]
    await subscribe(site, browser, person, "https://push.example/1")
    await browser.post("/api/v1/account/register", json={"password": PASSWORD})
    assert [endpoint for endpoint, _ in await site.site.pushes.list_endpoints(person)] == [
        "https://push.example/1"
    ]
    other, other_told = await site.guest("Somewhere Else", "203.0.113.9")
    await subscribe(site, other, other_told["person"]["id"], "https://push.example/2")
    answer = await other.post("/api/v1/account/login", json={**LOGIN, "claim": False})
    assert answer.json()["claimed"] == 0
    assert [endpoint for endpoint, _ in await site.site.pushes.list_endpoints(person)] == [
        "https://push.example/1"
    ]


async def test_claiming_keeps_mutes_in_both_directions(
    site: TestSite,
) -> None:
    _, account = await account_of(site)
    guest, told = await site.guest("Somewhere Else", "203.0.113.9")
    bo, bo_told = await site.guest("Bo Bellows", "203.0.113.10")
    room = await play_table(guest, bo)
    guest_id, bo_id = told["person"]["id"], bo_told["person"]["id"]
    await done(guest, room, "mute", person=bo_id, on=True)
    await done(bo, room, "mute", person=guest_id, on=True)
    await log_in(guest)
    assert await site.app.state.game_server.store.chat.read_mutes(room, account) == {bo_id}
    assert await site.app.state.game_server.store.chat.read_mutes(room, bo_id) == {guest_id, account}


async def test_blocking_an_account_withdraws_a_rematch_that_its_guest_opened(site: TestSite) -> None:
    _, account = await account_of(site)
    guest, _ = await site.guest("Somewhere Else", "203.0.113.9")
    bo, bo_told = await site.guest("Bo Bellows", "203.0.113.10")
    room, bo_id = await play_table(guest, bo), bo_told["person"]["id"]
    version = (await bo.get(f"/api/v1/games/{room}")).json()["seq"]
    assert (await command(bo, room, "act", version=version, action={"type": "resign"})).status_code == 200
    await done(guest, room, "rematch")
    rematch = (await bo.get(f"/api/v1/games/{room}")).json()["table"]["next"]

    async def list_events() -> list[str]:
        def read(conn: Connection) -> list[str]:
            found = find_pending_notices(conn, [rematch], site.site.now(), bo_id)
            return [item.event for item in found.get(bo_id, [])]

        return await site.site.notices.database.read(read)

    assert await list_events() == ["rematch"]
    await log_in(guest)
    assert await list_events() == ["rematch"]
    assert (await bo.put(f"/api/v1/blocks/{account}")).status_code == 200
    assert await list_events() == []


async def test_claiming_ends_a_block_between_guest_and_account_only(site: TestSite) -> None:
    owner, account = await account_of(site)
    guest, told = await site.guest("Somewhere Else", "203.0.113.9")
    _, bo_told = await site.guest("Bo Bellows", "203.0.113.10")
    guest_id, bo_id, now = told["person"]["id"], bo_told["person"]["id"], site.site.now()
    for one, other in ((account, guest_id), (guest_id, account), (guest_id, bo_id), (account, bo_id)):
        await site.site.social.block(one, other, now, 10)
    await site.site.social.block(bo_id, guest_id, now, 10)
    await log_in(guest)
    assert await site.site.social.list_blocked([account, guest_id]) == [(bo_id, "Bo Bellows")]
    assert await site.site.social.list_blocked([bo_id]) == [(account, "Anne Bonfire")]
    assert (await owner.get("/api/v1/me")).json()["person"]["id"] == account
