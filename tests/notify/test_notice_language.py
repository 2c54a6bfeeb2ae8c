"""The language of notices, and the switches of one game."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from app.web.i18n import LANGUAGES
from tests.notify.push_service import PushService
from tests.notify.pushing import notify, open_waiting_table, pushing_site
from tests.web.running_site import TestSite
from tests.web.tables import open_table, sit


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
    mover, _, _ = await open_waiting_table(site, service)
    await mover.put("/api/v1/me/notices/wishes", json={"language": "de"})
    await notify(site)
    (turn,) = [notice.content for notice in service.received if notice.content["t"] == "turn"]
    assert turn["lang"] == "de"
    assert turn["title"] == site.site.words("de", "Your turn") != "Your turn"


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
