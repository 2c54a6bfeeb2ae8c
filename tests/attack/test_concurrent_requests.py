"""Concurrent requests: a limit that is checked before the work and charged after it would admit all of them."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher

from app.play import table_passwords
from app.play.log import terms
from app.web.api import social
from app.web.auth.passwords import MAX_WAITING_HASHES, Passwords
from tests.web.running_site import FAST_HASHER, TestSite, code_of, running
from tests.web.tables import open_table

PASSWORD = "plank, parrot, doubloon"
ACCOUNT = "Anne Bonfire"


async def run_concurrently(client: httpx.AsyncClient, number: int, path: str, **more: Any) -> Counter[str]:
    """Send the requests concurrently and count the codes of the answers ("ok" for success)."""
    answers = await asyncio.gather(*[client.post(path, **more) for _ in range(number)])
    return Counter("ok" if answer.status_code < 400 else code_of(answer) for answer in answers)


async def until(met: Callable[[], bool]) -> None:
    for _ in range(3000):
        if met():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to that")


async def account(site: TestSite, name: str = ACCOUNT, address: str = "198.51.100.7") -> httpx.AsyncClient:
    owner, _ = await site.guest(name, address)
    answer = await owner.post("/api/v1/account/register", json={"password": PASSWORD})
    assert answer.status_code == 200, answer.text
    return owner


class WatchedHasher(PasswordHasher):
    """A hasher that records what it verifies, and waits for a signal before each."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=64, parallelism=1)
        self.verified = 0
        self.order: list[str] = []
        """The hashes that passwords were verified against."""
        self.go_on = threading.Event()
        self.go_on.set()

    def verify(self, *given: Any) -> Any:
        self.go_on.wait(20)
        self.verified += 1
        self.order.append(given[0])
        return super().verify(*given)


async def test_concurrent_wrong_passwords_are_checked_only_up_to_the_limit(sqlite_url: str) -> None:
    async with running(sqlite_url, logins_per_hour=20) as site:
        await account(site)
        hasher = WatchedHasher()
        site.site.passwords = Passwords(hasher)
        thief = site.browser("203.0.113.9")
        met: Counter[str] = Counter()
        guess = {"name": ACCOUNT, "password": "is it this one?"}
        for _ in range(8):
            met += await run_concurrently(thief, 80, "/api/v1/account/login", json=guess)
        assert hasher.verified == 20
        assert met == {"wrong_login": 20, "too_many": 620}
        site.site.passwords.close()


async def test_concurrent_guesses_of_a_table_password_are_checked_only_up_to_the_limit(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    really = terms.check_password

    def watched(lock: str | None, password: str) -> bool:
        tried.append(password)
        return really(lock, password)

    monkeypatch.setattr(table_passwords, "check_password", watched)
    async with running(sqlite_url, lookups_per_hour=35) as site:
        host, _ = await site.guest(ACCOUNT, "198.51.100.1")
        room = await open_table(host, visibility="password", password="open sesame")
        thief, _ = await site.guest("Bo Bellows", "198.51.100.2")
        guesses = [
            thief.get(f"/api/v1/games/{room}", headers={"X-Room-Password": f"guess {n}"}) for n in range(100)
        ]
        answers = await asyncio.gather(*guesses)
        met = Counter(code_of(answer) for answer in answers)
        assert len(tried) == 3, "thirty-five tokens allow three at a price of ten"
        assert met == {"password_wrong": 3, "too_fast": 97}
        waits = {int(answer.headers["Retry-After"]) for answer in answers if answer.status_code == 429}
        assert all(60 * 5 < wait <= 60 * 10 for wait in waits), "until ten tokens are available"


async def test_a_correct_table_password_is_refunded(sqlite_url: str) -> None:
    async with running(sqlite_url, lookups_per_hour=35) as site:
        host, _ = await site.guest(ACCOUNT, "198.51.100.1")
        room = await open_table(host, visibility="password", password="open sesame")
        friend, _ = await site.guest("Bo Bellows", "198.51.100.2")
        for _ in range(12):
            answer = await friend.get(f"/api/v1/games/{room}", headers={"X-Room-Password": "open sesame"})
            assert answer.status_code == 200


async def test_concurrent_codes_are_checked_only_up_to_the_limit(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url, codes_per_hour=5) as site:
        owner = await account(site)
        tried: Counter[str] = Counter()

        def watch(store: Any, name: str) -> None:
            really = getattr(store, name)

            async def watched(*given: Any) -> Any:
                tried[name] += 1
                return await really(*given)

            monkeypatch.setattr(store, name, watched)

        watch(site.site.accounts, "use_resume_code")
        watch(site.site.accounts, "has_recovery_code")
        watch(site.site.notices, "confirm_email")
        code = {"code": "AAAA-BBBB-CCCC"}
        met = await run_concurrently(site.browser("203.0.113.1"), 40, "/api/v1/resume", json=code)
        assert met == {"wrong_code": 5, "too_many": 35}
        new = {"name": ACCOUNT, "password": "another parrot, please", **code}
        met = await run_concurrently(site.browser("203.0.113.2"), 40, "/api/v1/account/recover", json=new)
        assert met == {"wrong_code": 5, "too_many": 35}
        met = await run_concurrently(owner, 40, "/api/v1/me/notices/confirm", json=code)
        assert met == {"wrong_code": 5, "too_many": 35}
        assert tried == {"use_resume_code": 5, "has_recovery_code": 5, "confirm_email": 5}


async def test_concurrent_requests_create_tables_only_up_to_the_limit(database_url: str) -> None:
    async with running(database_url, rooms_per_guest=3) as site:
        ann, _ = await site.guest(ACCOUNT)
        new = {"options": {"preset": "jamaica", "players": 2}}
        assert await run_concurrently(ann, 12, "/api/v1/games", json=new) == {"ok": 3, "too_many_rooms": 9}
        assert len((await ann.get("/api/v1/games?list=mine")).json()["games"]) == 3


async def test_concurrent_requests_create_tokens_only_up_to_the_limit(database_url: str) -> None:
    async with running(database_url) as site:
        owner = await account(site)
        met: Counter[str] = Counter()
        for _ in range(5):
            met += await run_concurrently(
                owner, 4, "/api/v1/account/tokens", json={"label": "bot", "password": PASSWORD}
            )
        assert met == {"ok": 10, "too_many_tokens": 10}


async def test_many_concurrent_log_ins_delay_nobody_and_leave_few_sessions(sqlite_url: str) -> None:
    """Sixty correct log-ins from one address queue behind each other, and another person logs in."""
    async with running(sqlite_url) as site:
        owner = await account(site)
        await account(site, "Bo Bellows")
        hasher = WatchedHasher()
        site.site.passwords = Passwords(hasher)
        hasher.go_on.clear()
        browser, right = site.browser("203.0.113.9"), {"name": ACCOUNT, "password": PASSWORD}
        flood = [
            asyncio.create_task(run_concurrently(browser, 1, "/api/v1/account/login", json=right))
            for _ in range(60)
        ]
        passwords = site.site.passwords
        most = 20  # each is charged as a failed one until it succeeds
        await until(lambda: sum(task.done() for task in flood) == 60 - most)  # refused log-ins are not hashed
        await until(lambda: passwords.threads.job_count == most)
        other = site.browser("203.0.113.10")
        login = asyncio.create_task(
            other.post("/api/v1/account/login", json={"name": "Bo Bellows", "password": PASSWORD})
        )
        await until(lambda: passwords.threads.job_count == most + 1)
        hasher.go_on.set()
        assert (await login).status_code == 200
        assert sum(await asyncio.gather(*flood), Counter()) == {"ok": most, "too_many": 60 - most}
        theirs = Counter(hasher.order).most_common()[-1][0]
        place, devices = (
            hasher.order.index(theirs),
            len((await owner.get("/api/v1/me/devices")).json()["devices"]),
        )
        print("hashes before the other person's:", place, "sessions left:", devices)
        assert place <= 3, "two were running, and one may be ahead"
        assert devices <= most + 1
        passwords.close()


async def test_the_password_queue_is_bounded() -> None:
    hasher = WatchedHasher()
    hasher.go_on.clear()
    passwords = Passwords(hasher)
    stored = FAST_HASHER.hash(PASSWORD)
    most = MAX_WAITING_HASHES + 2  # two are being hashed
    asked = [
        asyncio.create_task(passwords.is_right(PASSWORD, stored, (f"network {n}",))) for n in range(most + 30)
    ]
    await until(lambda: sum(task.done() for task in asked) == 30)
    asked[0].cancel()  # its hash continues, and counts until it is done
    await asyncio.sleep(0)
    assert passwords.threads.job_count == most
    hasher.go_on.set()
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(outcome is True for outcome in outcomes) == most - 1
    assert {getattr(outcome, "status", None) for outcome in outcomes[most:]} == {429}
    await until(lambda: not passwords.threads.job_count)
    assert hasher.verified == most
    passwords.close()


async def test_filling_the_password_queue_affects_only_the_sender() -> None:
    """Ten networks fill the queue; a new one replaces the last of the longest share and is served soon."""
    hasher = WatchedHasher()
    hasher.go_on.clear()
    passwords = Passwords(hasher)
    stored = FAST_HASHER.hash(PASSWORD)
    done: list[str] = []

    async def ask(source: str) -> None:
        await passwords.is_right(PASSWORD, stored, (source,))
        done.append(source)

    flood = [asyncio.create_task(ask(f"network {n % 10}")) for n in range(40)]
    await until(lambda: sum(task.done() for task in flood) == 6)
    owner = asyncio.create_task(ask("device of the owner"))
    await asyncio.sleep(0)
    assert not owner.done()
    hasher.go_on.set()
    outcomes = await asyncio.gather(owner, *flood, return_exceptions=True)
    assert outcomes[0] is None
    place = done.index("device of the owner")
    print("hashes before the newcomer's:", place, "of", len(done))
    assert place <= 12, "one of each other network, and the two that were running"
    passwords.close()


async def test_successful_log_ins_have_their_own_limit(sqlite_url: str) -> None:
    async with running(sqlite_url, logins_per_hour=2) as site:
        await account(site)
        browser = site.browser("203.0.113.9")
        right, wrong = ({"name": ACCOUNT, "password": each} for each in (PASSWORD, "not it at all"))
        for _ in range(5):
            assert (await browser.post("/api/v1/account/login", json=right)).status_code == 200
        assert code_of(await browser.post("/api/v1/account/login", json=wrong)) == "wrong_login"
        for _ in range(2):  # the first log-in counted for the address, these for the known device
            assert (await browser.post("/api/v1/account/login", json=right)).status_code == 200
        refused = await browser.post("/api/v1/account/login", json=right)
        assert code_of(refused) == "too_many", "three times the limit of failures"
        assert "minutes" in refused.json()["error"]["message"]
        assert 540 < int(refused.headers["Retry-After"]) <= 600, "one token per ten minutes"


async def test_concurrent_requests_block_players_only_up_to_the_limit(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(social, "MAX_BLOCKED_PLAYERS", 2)
    async with running(database_url) as site:
        ann, _ = await site.guest(ACCOUNT)
        others = [(await site.guest())[1]["person"]["id"] for _ in range(6)]
        answers = await asyncio.gather(*[ann.put(f"/api/v1/blocks/{other}", json={}) for other in others])
        assert sorted(answer.status_code for answer in answers) == [200, 200, 409, 409, 409, 409]
        assert len((await ann.get("/api/v1/blocks")).json()["blocked"]) == 2
