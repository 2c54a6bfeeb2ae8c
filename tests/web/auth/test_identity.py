"""Identity: cookie flags, forged and stale cookies, expiring sessions, the player cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from app.store.people.players import hash_secret
from tests.web.running_site import code_of, running

SECRET = "k" * 40


async def test_one_request_creates_a_guest_who_is_recognised_afterwards(database_url: str) -> None:
    async with running(database_url) as site:
        browser = site.browser()
        before = (await browser.get("/api/v1/me")).json()
        assert before["person"] is None
        assert before["suggested"]
        made = (await browser.post("/api/v1/me", json={"name": before["suggested"]})).json()
        assert made["person"]["name"] == before["suggested"]
        assert made["csrf"]
        again = (await browser.get("/api/v1/me")).json()
        assert again["person"] == made["person"]
        assert again["csrf"] == made["csrf"]


async def test_reads_create_no_guest(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        answer = await site.browser().get("/api/v1/me")
        assert "set-cookie" not in answer.headers


async def test_the_cookie_is_http_only_and_same_site(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        answer = await site.browser().post("/api/v1/me", json={})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("cartagena=")
        for flag in ("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="):
            assert flag in cookie
        assert "Secure" not in cookie
        assert answer.headers["cache-control"] == "no-store"


async def test_over_tls_the_cookie_is_secure_and_bound_to_the_host(sqlite_url: str) -> None:
    async with running(sqlite_url, public_url="https://play.example.org", secret=SECRET) as site:
        browser = site.browser(origin="https://play.example.org")
        cookie = (await browser.post("/api/v1/me", json={})).headers["set-cookie"]
        assert cookie.startswith("__Host-cartagena=")
        assert "; Secure" in cookie
        assert "Domain" not in cookie


async def test_a_forged_cookie_is_ignored_without_a_query(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        session, _, signature = browser.cookies["cartagena"].rpartition(".")
        asked: list[str] = []
        former = site.site.people.find_by_session

        async def by_session(session: str, *more: Any) -> object:
            asked.append(session)
            return await former(session, *more)

        site.site.people.find_by_session = by_session  # type: ignore[method-assign, assignment]
        for forged in (
            f"{session}.{'0' * 32}",
            f"{session}x.{signature}",
            "",
            ".",
            "a.b",
            "x" * 4000,
            session,
        ):
            thief = site.browser()
            thief.cookies["cartagena"] = forged
            assert (await thief.get("/api/v1/me")).json()["person"] is None
        assert asked == []


async def test_another_servers_cookie_is_ignored(sqlite_url: str, tmp_path: object) -> None:
    async with running(sqlite_url, secret="a" * 40) as one:
        browser, _ = await one.guest()
        cookie = browser.cookies["cartagena"]
    async with running(sqlite_url, secret="b" * 40) as other:
        thief = other.browser()
        thief.cookies["cartagena"] = cookie
        assert (await thief.get("/api/v1/me")).json()["person"] is None


async def test_a_session_expires_after_the_configured_days(database_url: str) -> None:
    async with running(database_url) as site:
        browser, _ = await site.guest()
        days = Settings().session_days
        for _ in range(3):
            site.pass_time((days - 1) * 86400)
            assert (await browser.get("/api/v1/me")).json()["person"] is not None, (
                "a visit begins the time anew"
            )
        site.pass_time((days + 1) * 86400)
        assert (await browser.get("/api/v1/me")).json()["person"] is None


async def test_the_database_contains_no_usable_session(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        session = browser.cookies["cartagena"].rpartition(".")[0]
        path = sqlite_url.split("///", 1)[1]
        files = [Path(path), Path(path + "-wal")]
        stored = b"".join(file.read_bytes() for file in files if file.exists())
        assert b"players" in stored
        assert session.encode() not in stored


async def test_two_apps_in_one_process_share_nothing(sqlite_url: str, tmp_path: object) -> None:
    async with running(sqlite_url) as one, running(f"sqlite:///{tmp_path}/other.db") as other:
        browser, _ = await one.guest("Anne Bonfire")
        stranger = other.browser()
        stranger.cookies["cartagena"] = browser.cookies["cartagena"]
        assert (await stranger.get("/api/v1/me")).json()["person"] is None
        assert (await stranger.post("/api/v1/me", json={"name": "Anne Bonfire"})).status_code == 200


async def test_guests_from_one_address_are_limited(sqlite_url: str) -> None:
    async with running(sqlite_url, guests_per_hour=5) as site:
        for _ in range(5):
            await site.guest()
        answer = await site.browser().post("/api/v1/me", json={})
        assert code_of(answer) == "too_many"
        assert int(answer.headers["retry-after"]) >= 1
        await site.guest(address="203.0.113.9")


async def test_a_cached_session_expires_after_seconds(
    sqlite_url: str,
) -> None:
    async with running(sqlite_url) as site:
        now = 1000.0
        site.site.clock = lambda: now
        guests = [(await site.guest())[0] for _ in range(3)]
        site.site.player_cache.clear()
        for guest in guests[:2]:
            assert (await guest.get("/api/v1/me")).json()["person"]
        early = set(site.site.player_cache)
        assert len(early) == 2
        now += 3
        await guests[0].get("/api/v1/me")
        assert set(site.site.player_cache) == early, "cached entries are not queried again"
        now += 3
        await guests[2].get("/api/v1/me")
        assert not early & set(site.site.player_cache)
        assert (await guests[0].get("/api/v1/me")).json()["person"], "the sessions are still valid"


async def test_a_new_guest_is_cached_until_signing_out(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url) as site:
        asked, by_session = [], site.site.people.find_by_session

        async def noted(session: str, *given: Any) -> Any:
            asked.append(session)
            return await by_session(session, *given)

        monkeypatch.setattr(site.site.people, "find_by_session", noted)
        browser, _ = await site.guest()
        assert (await browser.get("/api/v1/me")).json()["person"]
        assert not asked
        cookie = browser.cookies["cartagena"]
        assert (await browser.post("/api/v1/account/logout")).is_success
        browser.cookies.set("cartagena", cookie)
        assert (await browser.get("/api/v1/me")).json()["person"] is None
        assert asked == [cookie.rpartition(".")[0]]


async def test_a_taken_name_does_not_count_as_a_new_guest(sqlite_url: str) -> None:
    async with running(sqlite_url, guests_per_hour=2) as site:
        first, later = site.browser(), site.browser()
        assert (await first.post("/api/v1/me", json={"name": "Anne"})).is_success
        for _ in range(5):
            answer = await later.post("/api/v1/me", json={"name": "Anne"})
            assert (answer.status_code, code_of(answer)) == (409, "name_taken")
        assert (await later.post("/api/v1/me", json={"name": "Mary"})).is_success
        third = site.browser()
        assert (await third.post("/api/v1/me", json={"name": "Grace"})).status_code == 429


async def test_a_person_signed_out_during_the_query_is_not_admitted(sqlite_url: str) -> None:
    """The query read the row before the session ended, and returns after the cache was cleared."""
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        site.site.player_cache.clear()
        session = browser.cookies["cartagena"].rpartition(".")[0]
        people, former, asked = site.site.people, site.site.people.find_by_session, 0

        async def by_session(*given: Any, **more: Any) -> Any:
            nonlocal asked
            asked += 1
            player = await former(*given, **more)
            if asked == 1:
                await people.close_session(session)
                site.site.sign_out("session", hash_secret(session))
            return player

        people.find_by_session = by_session  # type: ignore[method-assign]
        assert (await browser.get("/api/v1/me")).json()["person"] is None
        assert asked == 2
        assert site.site.player_cache == {}


async def test_a_person_banned_during_the_query_is_refused(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        browser, _ = await site.guest()
        site.site.player_cache.clear()
        people, former, asked = site.site.people, site.site.people.find_by_session, 0

        async def by_session(*given: Any, **more: Any) -> Any:
            nonlocal asked
            asked += 1
            player = await former(*given, **more)
            assert player is not None
            if asked == 1:
                await site.site.social.ban(
                    "op", player=player.id, address=None, reason="", until=None, now=site.site.now()
                )
                site.site.sign_out("person", player.id)
            return player

        people.find_by_session = by_session  # type: ignore[method-assign]
        assert (await browser.get("/api/v1/me")).status_code == 403
        assert asked == 2
