"""Accounts: registration, log-in, recovery, log-out and tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.web.running_site import TestSite, code_of, running

PASSWORD = "plank, parrot, doubloon"


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url) as test:
        yield test


async def test_a_guest_becomes_an_account_and_stays_the_same_player(site: TestSite) -> None:
    browser, told = await site.guest("Anne Bonfire")
    answer = await browser.post("/api/v1/account/register", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    assert answer.json()["person"] == {"id": told["person"]["id"], "name": "Anne Bonfire", "is_account": True}
    assert len(set(answer.json()["recovery_codes"])) == 8
    assert (await browser.get("/api/v1/me")).json()["person"]["is_account"] is True


async def test_registering_and_logging_in_create_a_new_session(site: TestSite) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    before = browser.cookies["cartagena"]
    await browser.post("/api/v1/account/register", json={"password": PASSWORD})
    registered = browser.cookies["cartagena"]
    assert registered != before
    await browser.post("/api/v1/account/login", json={"name": "anne bonfire", "password": PASSWORD})
    assert browser.cookies["cartagena"] != registered
    for old in (before, registered):
        thief = site.browser()
        thief.cookies["cartagena"] = old
        assert (await thief.get("/api/v1/me")).json()["person"] is None


async def test_an_account_can_be_logged_in_on_two_devices(site: TestSite) -> None:
    first, _ = await site.guest("Anne Bonfire")
    await first.post("/api/v1/account/register", json={"password": PASSWORD})
    second = site.browser("203.0.113.9")
    answer = await second.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    assert answer.status_code == 200
    assert (await first.get("/api/v1/me")).json()["person"] == (await second.get("/api/v1/me")).json()[
        "person"
    ]
    devices = (await second.get("/api/v1/me/devices")).json()["devices"]
    assert [device["is_this"] for device in devices].count(True) == 1
    assert len(devices) == 2


async def test_logging_in_claims_the_guest_of_this_device(site: TestSite) -> None:
    first, _ = await site.guest("Anne Bonfire")
    account = (await first.post("/api/v1/account/register", json={"password": PASSWORD})).json()["person"][
        "id"
    ]
    second, told = await site.guest("Somewhere Else", "203.0.113.9")
    old_cookie = second.cookies["cartagena"]
    guest = told["person"]["id"]
    answer = await second.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    assert answer.json()["claimed"] == 1
    person = await site.site.people.find_player(guest, site.site.now())
    assert person is not None
    assert (person.id, person.aliases) == (account, (guest,))
    thief = site.browser()
    thief.cookies["cartagena"] = old_cookie
    assert (await thief.get("/api/v1/me")).json()["person"] is None, (
        "a guest's old cookie must not open the account"
    )


async def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(site: TestSite) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    await browser.post("/api/v1/account/register", json={"password": PASSWORD})
    stranger = site.browser("203.0.113.9")
    wrong = await stranger.post(
        "/api/v1/account/login", json={"name": "Anne Bonfire", "password": "not this one"}
    )
    unknown = await stranger.post(
        "/api/v1/account/login", json={"name": "Nobody Such", "password": "not this one"}
    )
    assert (wrong.status_code, wrong.json()) == (unknown.status_code, unknown.json())
    assert code_of(wrong) == "wrong_login"
    assert wrong.status_code == 401


async def test_failed_log_ins_are_limited_but_not_the_owner_elsewhere(site: TestSite) -> None:
    owner, _ = await site.guest("Anne Bonfire")
    await owner.post("/api/v1/account/register", json={"password": PASSWORD})
    attacker = site.browser("203.0.113.66")
    codes = [
        code_of(
            await attacker.post(
                "/api/v1/account/login", json={"name": "Anne Bonfire", "password": f"guess {n}"}
            )
        )
        for n in range(21)
    ]
    assert codes == ["wrong_login"] * 20 + ["too_many"]
    right = await attacker.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    assert code_of(right) == "too_many", "beyond the limit, the correct password must get the same answer"
    assert int(right.headers["retry-after"]) > 0
    elsewhere = site.browser("192.0.2.44")
    answer = await elsewhere.post(
        "/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD}
    )
    assert answer.status_code == 200


async def test_a_recovery_code_works_once_and_logs_out_other_devices(site: TestSite) -> None:
    first, _ = await site.guest("Anne Bonfire")
    codes = (await first.post("/api/v1/account/register", json={"password": PASSWORD})).json()[
        "recovery_codes"
    ]
    second = site.browser("203.0.113.9")
    wanted = {
        "name": "Anne Bonfire",
        "code": codes[3].lower().replace("-", " "),
        "password": "a second secret",
    }
    answer = await second.post("/api/v1/account/recover", json=wanted)
    assert answer.status_code == 200, answer.text
    assert (await second.get("/api/v1/me")).json()["person"]["name"] == "Anne Bonfire"
    assert (await first.get("/api/v1/me")).json()["person"] is None
    for code in (codes[3], codes[0]):  # the unused codes are replaced too
        again = await second.post("/api/v1/account/recover", json={**wanted, "code": code})
        assert code_of(again) == "wrong_code"
    third = site.browser("203.0.113.10")
    login = {"name": "Anne Bonfire", "password": PASSWORD}
    assert code_of(await third.post("/api/v1/account/login", json=login)) == "wrong_login"
    assert (
        await third.post("/api/v1/account/login", json={**login, "password": "a second secret"})
    ).status_code == 200


async def test_changing_the_password_logs_out_the_other_devices(site: TestSite) -> None:
    first, _ = await site.guest("Anne Bonfire")
    await first.post("/api/v1/account/register", json={"password": PASSWORD})
    second = site.browser("203.0.113.9")
    await second.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    wrong = await second.post(
        "/api/v1/account/password", json={"old": "not it at all", "new": "a second secret"}
    )
    assert code_of(wrong) == "wrong_login"
    await second.post("/api/v1/account/password", json={"old": PASSWORD, "new": "a second secret"})
    assert (await first.get("/api/v1/me")).json()["person"] is None
    assert (await second.get("/api/v1/me")).json()["person"] is not None


async def test_logging_out_everywhere_ends_every_session(site: TestSite) -> None:
    heard: list[str] = []
    site.site.publish_signed_out = lambda key, how: heard.append(key)
    first, _ = await site.guest("Anne Bonfire")
    told = (await first.post("/api/v1/account/register", json={"password": PASSWORD})).json()
    second = site.browser("203.0.113.9")
    await second.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    answer = await second.post("/api/v1/account/logout-everywhere")
    assert answer.json() == {"closed": 2}
    assert heard[-1] == told["person"]["id"], "open sockets must be closed"
    for browser in (first, second):
        assert (await browser.get("/api/v1/me")).json()["person"] is None


async def test_logging_out_ends_this_session_only(site: TestSite) -> None:
    first, _ = await site.guest("Anne Bonfire")
    await first.post("/api/v1/account/register", json={"password": PASSWORD})
    cookie = first.cookies["cartagena"]
    await first.post("/api/v1/account/logout")
    assert "cartagena" not in first.cookies
    thief = site.browser()
    thief.cookies["cartagena"] = cookie
    assert (await thief.get("/api/v1/me")).json()["person"] is None


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("short", "password_short"),
        ("x" * 201, "password_long"),
        ("password123", "password_common"),
        ("aaaaaaaaaaaa", "password_common"),
        ("annebonfire", "password_common"),
    ],
)
async def test_a_weak_password_is_refused_with_a_reason(sqlite_url: str, password: str, code: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest("Anne Bonfire")
        assert code_of(await browser.post("/api/v1/account/register", json={"password": password})) == code


async def test_two_accounts_cannot_have_names_that_look_alike(site: TestSite) -> None:
    first, _ = await site.guest("Anne Bonfire")
    await first.post("/api/v1/account/register", json={"password": PASSWORD})
    site.pass_time(7200)
    second = site.browser("203.0.113.9")
    for name in ("anne bonfire", "Ann3 Bonfire", "Anne-B0nfire"):
        answer = await second.post("/api/v1/account/register", json={"name": name, "password": PASSWORD})
        assert code_of(answer) == "name_taken", name


async def test_a_program_cannot_create_tokens(site: TestSite) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    wanted = {"label": "my bot", "password": PASSWORD}
    assert code_of(await browser.post("/api/v1/account/tokens", json=wanted)) == "account_needed"
    await browser.post("/api/v1/account/register", json={"password": PASSWORD})
    wrong = {**wanted, "password": "not it at all"}
    assert code_of(await browser.post("/api/v1/account/tokens", json=wrong)) == "wrong_login"
    token = (await browser.post("/api/v1/account/tokens", json=wanted)).json()["token"]
    program = site.program("203.0.113.77", authorization=f"Bearer {token}")
    assert (await program.get("/api/v1/me")).json()["person"]["name"] == "Anne Bonfire"
    assert code_of(await program.post("/api/v1/account/tokens", json=wanted)) == "not_by_token"
    assert code_of(await program.post("/api/v1/resume-codes", json={})) == "not_by_token"
    listed = (await browser.get("/api/v1/account/tokens")).json()["tokens"]
    assert [entry["label"] for entry in listed] == ["my bot"]
    assert token not in str(listed)
    await browser.delete(f"/api/v1/account/tokens/{listed[0]['id']}")
    assert (await program.get("/api/v1/me")).json()["person"] is None


async def test_a_wrong_token_does_not_fall_back_to_the_cookie(site: TestSite) -> None:
    browser, _ = await site.guest("Anne Bonfire")
    answer = await browser.get("/api/v1/me", headers={"authorization": "Bearer ct_wrong"})
    assert answer.json()["person"] is None


async def test_a_new_password_and_logging_out_everywhere_end_tokens(site: TestSite) -> None:
    owner, _ = await site.guest("Anne Bonfire")
    await owner.post("/api/v1/account/register", json={"password": PASSWORD})

    async def program() -> httpx.AsyncClient:
        made = await owner.post("/api/v1/account/tokens", json={"label": "bot", "password": PASSWORD})
        client = site.program("203.0.113.77", authorization=f"Bearer {made.json()['token']}")
        assert (await client.get("/api/v1/me")).json()["person"] is not None
        return client

    first = await program()
    await owner.post("/api/v1/account/password", json={"old": PASSWORD, "new": PASSWORD})
    assert (await first.get("/api/v1/me")).json()["person"] is None
    second = await program()
    await owner.post("/api/v1/account/logout-everywhere")
    assert (await second.get("/api/v1/me")).json()["person"] is None


async def test_a_program_cannot_rename_its_owner(site: TestSite) -> None:
    owner, _ = await site.guest("Anne Bonfire")
    await owner.post("/api/v1/account/register", json={"password": PASSWORD})
    made = await owner.post("/api/v1/account/tokens", json={"label": "bot", "password": PASSWORD})
    program = site.program("203.0.113.77", authorization=f"Bearer {made.json()['token']}")
    assert code_of(await program.post("/api/v1/me", json={"name": "Somebody Else"})) == "not_by_token"
    new = {"options": {"preset": "jamaica", "players": 2}}
    assert (await program.post("/api/v1/games", json=new)).status_code == 201, "the program can still play"


async def test_a_look_alike_of_an_account_name_is_taken(site: TestSite) -> None:
    owner = site.browser()
    await owner.post("/api/v1/account/register", json={"name": "Coco Poe", "password": PASSWORD})
    for name in ("Сосо Рое", "сосо рое", "Сoco Рoe"):
        thief = site.browser("203.0.113.9")
        answer = await thief.post("/api/v1/me", json={"name": name})
        assert code_of(answer) in ("name_taken", "name_scripts"), name
