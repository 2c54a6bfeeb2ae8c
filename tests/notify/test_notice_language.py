"""The language, time zone and names of notices, and the switches of one game."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy import update

from app.notify.words import YOUR_TURN_AGAINST
from app.store.tables.people import push_subscriptions
from app.web.i18n import LANGUAGES
from tests.notify.push_service import PushService
from tests.notify.pushing import DAYS, is_turn_of, notify, open_waiting_table, pushing_site, subscribe
from tests.web.running_site import TestSite
from tests.web.tables import begin, open_table, sit


async def _language(browser: httpx.AsyncClient) -> str:
    return str((await browser.get("/api/v1/me/notices")).json()["language"])


async def test_given_language_is_stored_and_a_missing_one_changes_nothing(
    site: TestSite, service: PushService
) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    room = await open_table(ann)
    await sit(ann, room)
    ways: list[tuple[Any, str, dict[str, Any]]] = [
        (ann.post, "/api/v1/me/push", service.subscription()),
        (ann.put, "/api/v1/me/notices/wishes", {}),
        (ann.put, f"/api/v1/me/notices/games/{room}", {"switches": {"turn": False}}),
        (ann.put, "/api/v1/me/notices", {"webhook": None}),
    ]
    for n, (call, path, body) in enumerate(ways):
        given = list(LANGUAGES)[n + 1]
        assert (await call(path, json={**body, "language": given})).status_code == 200
        assert await _language(ann) == given, path
        for other, its_path, its_body in ways:
            assert (await other(its_path, json=its_body)).status_code == 200
            assert await _language(ann) == given, its_path


async def test_default_language_is_english(site: TestSite, service: PushService) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    assert (await ann.post("/api/v1/me/push", json=service.subscription())).status_code == 200
    assert await _language(ann) == "en"


async def test_next_push_is_in_the_new_language(site: TestSite, service: PushService) -> None:
    mover, other, _ = await open_waiting_table(site, service)
    opponent = (await other.get("/api/v1/me")).json()["person"]["name"]
    await mover.put("/api/v1/me/notices/wishes", json={"language": "de"})
    await notify(site)
    (turn,) = [notice.content for notice in service.received if notice.content["t"] == "turn"]
    assert turn["lang"] == "de"
    assert turn["title"] == site.site.words("de", YOUR_TURN_AGAINST, names=opponent)


@pytest.mark.parametrize("language", ["zz", "EN", "en\n", "english", ""])
async def test_unsupported_language_is_rejected(sqlite_url: str, service: PushService, language: str) -> None:
    async with pushing_site(sqlite_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        room = await open_table(ann)
        await sit(ann, room)
        asked = {"language": language}
        for answer in (
            await ann.post("/api/v1/me/push", json={**service.subscription(), **asked}),
            await ann.put("/api/v1/me/notices/wishes", json=asked),
            await ann.put(f"/api/v1/me/notices/games/{room}", json=asked),
            await ann.put("/api/v1/me/notices", json=asked),
        ):
            assert answer.status_code == 422
        assert await _language(ann) == "en"


async def test_switches_of_a_game_override_the_persons(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    room = await open_table(ann)
    await sit(ann, room)
    path = f"/api/v1/me/notices/games/{room}"
    every = dict.fromkeys(("turn", "time", "table", "invited", "rematch"), True)
    assert (await ann.get(path)).json() == {"switches": {}, "effective": every}
    await ann.put("/api/v1/me/notices/wishes", json={"switches": {"turn": False, "time": False}})
    await ann.put(path, json={"switches": {"turn": True, "table": False}})
    assert (await ann.get(path)).json() == {
        "switches": {"turn": True, "table": False},
        "effective": {**every, "time": False, "table": False},
    }


async def test_erased_and_blocked_opponents_are_not_named(site: TestSite, service: PushService) -> None:
    names = ("Anne Bonfire", "Bo Bellows", "Cleo Cutlass", "Dora Dagger")
    people = [(await site.guest(name, f"203.0.113.{n}"))[0] for n, name in enumerate(names)]
    ids = [(await person.get("/api/v1/me")).json()["person"]["id"] for person in people]
    host = people[0]
    room = await open_table(host, title="Anne's table", options={"preset": "jamaica", "players": 4}, **DAYS)
    for person in people:
        await sit(person, room)
    await begin(room, *people)
    turns = [await is_turn_of(person, room) for person in people]
    at = turns.index(True)
    mover, blocked, erased, other = (at + 0) % 4, (at + 1) % 4, (at + 2) % 4, (at + 3) % 4
    assert (await people[mover].put(f"/api/v1/blocks/{ids[blocked]}")).status_code == 200
    await site.site.data.begin_erasure([ids[erased]], site.site.now())
    await subscribe(people[mover], service)
    site.pass_time(-60)  # turns that began before a subscription are not pushed to it
    await site.site.pushes.database.execute_write(update(push_subscriptions).values(made_at=0))
    await notify(site, 120)
    (turn,) = [notice.content for notice in service.received if notice.content["t"] == "turn"]
    assert turn["title"] == f"Your turn against {names[other]} and other players"
    assert turn["body"] == ("Jamaica" if blocked == 0 or erased == 0 else "Anne's table · Jamaica")


async def test_zone_of_the_browser_is_used_until_quiet_hours_depend_on_another(
    site: TestSite, service: PushService
) -> None:
    ann, _ = await site.guest("Anne Bonfire")

    async def zone() -> str:
        return str((await ann.get("/api/v1/me/notices")).json()["wishes"]["zone"])

    subscription = {**service.subscription(), "zone": "Europe/Oslo"}
    assert (await ann.post("/api/v1/me/push", json=subscription)).status_code == 200
    assert await zone() == "Europe/Oslo"
    assert (await ann.put("/api/v1/me/notices", json={"zone": "Asia/Tokyo"})).status_code == 200
    assert await zone() == "Asia/Tokyo"
    for unknown in ("Nowhere/Atlantis", "../etc/passwd"):
        assert (await ann.put("/api/v1/me/notices", json={"zone": unknown})).status_code == 200
        assert await zone() == "Asia/Tokyo"
    quiet = {"quiet": [1320, 480], "zone": "Europe/Paris"}
    assert (await ann.put("/api/v1/me/notices/wishes", json=quiet)).status_code == 200
    assert (await ann.put("/api/v1/me/notices", json={"zone": "Asia/Tokyo"})).status_code == 200
    assert await zone() == "Europe/Paris", "the quiet hours stay where they are"
