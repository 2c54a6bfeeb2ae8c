"""Deliberate failed log-ins: the owner still logs in from a known device, and is never locked out while signed in."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import pytest

from app.settings import Settings
from app.web.auth import names
from app.web.auth.passwords import MAX_WAITING_HASHES, Passwords
from app.web.errors import TooMany
from app.web.security.address import limit_prefixes
from app.web.security.limits import Limits
from tests.attack.raw_connection import until
from tests.attack.test_concurrent_requests import ACCOUNT, PASSWORD, WatchedHasher, account
from tests.web.running_site import TestSite, code_of, running

LOGIN = "/api/v1/account/login"
RIGHT = {"name": ACCOUNT, "password": PASSWORD}
WRONG = {"name": ACCOUNT, "password": "is it this one?"}


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with running(sqlite_url) as test:
        yield test


async def fail_from_a_56(site: TestSite, times: int) -> Counter[str]:
    """Fail to log in from different /64s of one /56."""
    met: Counter[str] = Counter()
    for number in range(times):
        attacker = site.browser(f"2001:db8:0:{number % 256:x}::1")
        met[code_of(await attacker.post(LOGIN, json=WRONG))] += 1
    return met


async def _lock_name(site: TestSite) -> None:
    """Use up the name's allowance from many networks."""
    for number in range(200):
        site.site.limits.take_failed_login(names.login_key(ACCOUNT), f"203.0.{number // 10}.{number % 10}")


async def _log_out(browser: httpx.AsyncClient) -> None:
    assert (await browser.post("/api/v1/account/logout")).status_code == 200


async def test_one_network_cannot_lock_the_owner_out(site: TestSite) -> None:
    await account(site)
    met = await fail_from_a_56(site, 210)
    assert met["wrong_login"] == 40, "twice the limit of one address"
    assert met["too_many"] == 170
    elsewhere = site.browser("198.51.100.77")
    assert (await elsewhere.post(LOGIN, json=RIGHT)).status_code == 200


async def test_a_known_device_logs_in_while_the_name_is_locked(site: TestSite) -> None:
    owner = await account(site)
    await _log_out(owner)
    await _lock_name(site)
    stranger = site.browser("198.51.100.99")
    assert code_of(await stranger.post(LOGIN, json=RIGHT)) == "too_many"
    assert (await owner.post(LOGIN, json=RIGHT)).status_code == 200, "its cookie makes it a known device"


async def test_the_owner_in_the_attackers_own_network_logs_in_from_a_known_device(site: TestSite) -> None:
    owner = await account(site, address="2001:db8:0:7::5")
    await _log_out(owner)
    await fail_from_a_56(site, 60)
    assert (await owner.post(LOGIN, json=RIGHT)).status_code == 200


async def test_a_signed_in_owner_is_never_locked_out(site: TestSite) -> None:
    owner = await account(site)
    owner.cookies.delete("cartagena-device")  # a session of the previous release
    await _lock_name(site)
    await fail_from_a_56(site, 60)
    answer = await owner.post("/api/v1/account/recovery-codes", json={"password": PASSWORD})
    assert answer.status_code == 200
    codes = answer.json()["recovery_codes"]
    answer = await owner.post("/api/v1/account/password", json={"old": PASSWORD, "new": "a second secret"})
    assert answer.status_code == 200
    recovered = await site.browser("198.51.100.98").post(
        "/api/v1/account/recover", json={"name": ACCOUNT, "code": codes[0], "password": "a third secret"}
    )
    assert recovered.status_code == 200, "strangers cannot use up the allowance of recovery codes either"


async def test_guesses_with_a_stolen_session_are_limited_and_lock_out_nobody_else(
    site: TestSite,
) -> None:
    owner = await account(site)
    thief = site.browser("198.51.100.66")
    code = (await owner.post("/api/v1/resume-codes", json={})).json()["code"]
    assert (await thief.post("/api/v1/resume", json={"code": code})).status_code == 200
    guesses = [
        code_of(await thief.post("/api/v1/account/recovery-codes", json={"password": f"guess {number}"}))
        for number in range(22)
    ]
    assert guesses == ["wrong_login"] * 20 + ["too_many"] * 2
    answer = await owner.post("/api/v1/account/recovery-codes", json={"password": PASSWORD})
    assert answer.status_code == 200


async def test_more_sessions_through_resume_codes_allow_no_more_guesses(
    sqlite_url: str,
) -> None:
    async with running(sqlite_url, logins_per_hour=3) as site:
        owner = await account(site)
        met: Counter[str] = Counter()
        for number in range(12):
            thief = site.browser(f"198.51.100.{number + 20}")
            code = (await owner.post("/api/v1/resume-codes", json={})).json()["code"]
            assert (await thief.post("/api/v1/resume", json={"code": code})).status_code == 200
            for _ in range(3):
                answer = await thief.post(
                    "/api/v1/account/recovery-codes", json={"password": "is it this one?"}
                )
                met[code_of(answer)] += 1
        assert met == {"wrong_login": 30, "too_many": 6}, "ten times the limit of one session"
        stranger = site.browser("203.0.113.1")
        assert (await stranger.post(LOGIN, json=RIGHT)).status_code == 200, "counted separately from log-ins"


async def test_guesses_from_a_known_device_are_limited(site: TestSite) -> None:
    owner = await account(site)
    await _log_out(owner)
    guesses = [code_of(await owner.post(LOGIN, json=WRONG)) for _ in range(22)]
    assert guesses == ["wrong_login"] * 20 + ["too_many"] * 2


async def test_a_device_cookie_is_for_one_account_and_cannot_be_forged(site: TestSite) -> None:
    owner = await account(site)
    other = await account(site, "Bo Bellows")
    theirs, ours = (browser.cookies["cartagena-device"] for browser in (other, owner))
    assert len({theirs.split(".")[0], ours.split(".")[0]}) == 2
    await _lock_name(site)
    device, stamp, signature = ours.split(".")
    for forged in (theirs, f"x{device}.{stamp}.{signature}", f"{device}.{stamp}.", "..", "a" * 500, ""):
        stranger = site.browser("198.51.100.99", cookie=f"cartagena-device={forged}")
        assert code_of(await stranger.post(LOGIN, json=RIGHT)) == "too_many", forged
    stolen = site.browser("198.51.100.99", cookie=f"cartagena-device={ours}")
    assert (await stolen.post(LOGIN, json=RIGHT)).status_code == 200


@pytest.mark.parametrize("how", ["logout-everywhere", "password"])
async def test_logging_out_everywhere_forgets_known_devices(database_url: str, how: str) -> None:
    async with running(database_url) as site:
        owner = await account(site)
        second = site.browser("198.51.100.8")
        assert (await second.post(LOGIN, json=RIGHT)).status_code == 200
        body = {"old": PASSWORD, "new": PASSWORD + "!"} if how == "password" else {}
        assert (await owner.post(f"/api/v1/account/{how}", json=body)).status_code == 200
        await _lock_name(site)
        password = PASSWORD + "!" if how == "password" else PASSWORD
        answer = await second.post(LOGIN, json={"name": ACCOUNT, "password": password})
        assert code_of(answer) == "too_many", "the old cookie is invalid"
        if how == "password":
            await _log_out(owner)
            again = await owner.post(LOGIN, json={"name": ACCOUNT, "password": password})
            assert again.status_code == 200, "the browser that set the password has a new one"


@pytest.mark.parametrize("path", ["account/logout-everywhere", "me/delete"])
async def test_deleting_the_account_deletes_the_device_cookie(site: TestSite, path: str) -> None:
    owner = await account(site)
    assert "cartagena-device" in owner.cookies
    body = {"password": PASSWORD} if path == "me/delete" else {}
    assert (await owner.post(f"/api/v1/{path}", json=body)).status_code == 200
    assert "cartagena-device" not in owner.cookies


async def test_deleting_a_guest_keeps_the_device_cookie_of_the_account(site: TestSite) -> None:
    owner = await account(site)
    await _log_out(owner)
    assert (await owner.post("/api/v1/me", json={"name": "Cy Bellows"})).status_code == 200
    assert (await owner.post("/api/v1/me/delete", json={})).status_code == 200
    assert "cartagena-device" in owner.cookies


async def test_a_network_that_fills_the_hash_queue_delays_the_owner_by_one_hash(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        owner = await account(site)
        await _log_out(owner)
        hasher = WatchedHasher()
        passwords = site.site.passwords = Passwords(hasher)
        hasher.go_on.clear()
        order: list[str] = []

        async def log_in(browser: httpx.AsyncClient, who: str, name: str) -> str:
            answer = await browser.post(LOGIN, json={"name": name, "password": PASSWORD})
            order.append(who)
            return "ok" if answer.status_code == 200 else code_of(answer)

        flood = [
            asyncio.create_task(
                log_in(site.browser(f"2001:db8:0:{number:x}::1"), "attacker", f"Nobody {number}")
            )
            for number in range(60)
        ]
        refused = 60 - MAX_WAITING_HASHES - 2
        await until(lambda: sum(task.done() for task in flood) == refused)
        assert passwords.threads.job_count == MAX_WAITING_HASHES + 2
        login = asyncio.create_task(log_in(owner, "owner", ACCOUNT))
        await until(
            lambda: sum(task.done() for task in flood) == refused + 1
        )  # one is displaced by the owner
        hasher.go_on.set()
        assert await login == "ok"
        met = Counter(await asyncio.gather(*flood))
        assert met == {"too_many": refused + 1, "wrong_login": 59 - refused}
        before = order.index("owner") - refused - 1
        assert before <= 3, "two were running, and one of the /48 is ahead, however many /64s it uses"
        passwords.close()


def test_failures_count_towards_all_prefixes_a_customer_may_have() -> None:
    assert limit_prefixes("2001:db8:1:2:3::4") == (
        "2001:db8:1:2::/64",
        "2001:db8:1::/56",
        "2001:db8:1::/48",
    )
    assert limit_prefixes("203.0.113.5") == limit_prefixes("::ffff:203.0.113.5") == ("203.0.113.5",)
    limits = Limits(Settings(logins_per_hour=20), lambda: 0.0)

    def failures(addresses: list[str]) -> int:
        count = 0
        for address in addresses * 30:
            with suppress(TooMany):
                limits.take_failed_login("ann", address)
                count += 1
        return count

    assert failures(["2001:db8:1:1::1"]) == 20
    assert failures([f"2001:db8:1:{number}::1" for number in range(2, 9)]) == 20, "40 for the /56"
    assert failures([f"2001:db8:1:{number:x}00::1" for number in range(1, 9)]) == 40, "80 for the /48"
    assert failures(["203.0.113.5"]) == 20
