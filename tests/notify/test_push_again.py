"""Retries of pushes: permanent rejections, quiet hours, and switches that change meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.notify.push import parse_retry_after
from app.store.tables.games import games
from app.store.tables.people import outbox
from tests.notify.push_service import PushService
from tests.notify.pushing import notify, open_waiting_table, plan_notices, play_turn, queue, send
from tests.web.running_site import TestSite


def _list_events(service: PushService) -> list[str]:
    return [notice.content["t"] for notice in service.received]


async def _rows(site: TestSite, room: str, event: str = "turn") -> list[Any]:
    return list(
        await site.site.pushes.database.fetch_rows(
            select(outbox).where(outbox.c.game == room, outbox.c.event == event)
        )
    )


async def _wish(browser: httpx.AsyncClient, **wishes: Any) -> None:
    answer = await browser.put("/api/v1/me/notices/wishes", json=wishes)
    assert answer.status_code == 200, answer.text


def _quiet(site: TestSite, minutes: int) -> list[int]:
    """Return quiet hours that began a minute ago and last `minutes`."""
    here = datetime.fromtimestamp(site.site.now(), UTC)
    now = here.hour * 60 + here.minute
    return [(now - 1) % 1440, (now + minutes) % 1440]


@pytest.mark.parametrize("status", ["400 Bad", "413 Too large", "307 Elsewhere"])
async def test_push_rejected_for_good_is_not_retried(
    site: TestSite, service: PushService, status: str
) -> None:
    mover, other, room = await open_waiting_table(site, service)
    service.status = status
    await notify(site)
    tries = service.attempts
    assert tries > 0
    for _ in range(3):
        await notify(site)
    assert service.attempts == tries
    service.status = "201 Created"
    await play_turn(mover, room)
    await play_turn(other, room)
    await notify(site)
    assert _list_events(service).count("turn") == 1, "but the next turn is pushed"


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 01 Jan 2024 00:00:00 +99999999999999999",
        "Mon, 32 Jan 2024 00:00:00 GMT",
        "tomorrow",
        "",
    ],
)
def test_invalid_retry_after_is_ignored(text: str) -> None:
    assert parse_retry_after(text, 0) == 0


def test_retry_after_is_a_number_or_a_date() -> None:
    assert parse_retry_after("120", 0) == 120
    assert parse_retry_after("Thu, 01 Jan 1970 00:10:00 GMT", 60) == 540


async def test_attack_extreme_retry_after_date_only_delays_the_push(
    site: TestSite, service: PushService
) -> None:
    _, _, room = await open_waiting_table(site, service)
    service.status = "503 Not now"
    service.extra = "retry-after: Mon, 01 Jan 2024 00:00:00 +99999999999999999\r\n"
    await notify(site)
    (row,) = await _rows(site, room)
    assert (row.attempts, row.lease_until) == (1, 0)


async def test_retry_in_quiet_hours_waits_until_they_end(site: TestSite, service: PushService) -> None:
    mover, _, room = await open_waiting_table(site, service)
    service.status = "503 Not now"
    await notify(site)
    tries = service.attempts
    (before,) = await _rows(site, room)
    assert before.attempts == 1
    service.status = "201 Created"
    await _wish(mover, quiet=_quiet(site, 60))
    for _ in range(5):
        site.pass_time(601)
        await send(site)
    assert service.attempts == tries
    (waits,) = await _rows(site, room)
    assert waits.attempts == 1, "it was not attempted again"
    assert 0 < waits.at - site.site.now() <= 3600
    site.pass_time(20 * 60)
    await send(site)
    assert _list_events(service).count("turn") == 1


async def test_push_switched_off_meanwhile_is_not_retried(site: TestSite, service: PushService) -> None:
    mover, _, _ = await open_waiting_table(site, service)
    service.status = "503 Not now"
    await notify(site)
    tries = service.attempts
    service.status = "201 Created"
    await _wish(mover, switches={"turn": False})
    await notify(site, 3600)
    assert service.attempts == tries
    await _wish(mover)
    await notify(site)
    assert _list_events(service) == ["turn"], "wanted again"


async def test_switch_of_the_game_overrides_the_persons_on_retry(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await open_waiting_table(site, service)
    service.status = "503 Not now"
    await notify(site)
    tries = service.attempts
    of_game = f"/api/v1/me/notices/games/{room}"
    await _wish(mover, switches={"turn": False})
    await mover.put(of_game, json={"switches": {"turn": True}})
    await notify(site, 3600)
    assert service.attempts > tries
    tries = service.attempts
    await _wish(mover)
    await mover.put(of_game, json={"switches": {"turn": False}})
    await notify(site, 2 * 3600)
    assert service.attempts == tries


async def test_notice_is_withdrawn_in_quiet_hours_and_after_it_was_switched_off(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await open_waiting_table(site, service)
    await notify(site)
    assert "turn" in _list_events(service)
    await _wish(mover, quiet=_quiet(site, 60), switches={"turn": False})
    await play_turn(mover, room)
    await notify(site)
    assert "gone" in _list_events(service)


async def test_turn_played_after_its_row_was_claimed_is_not_pushed(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await open_waiting_table(site, service)
    site.pass_time(20)
    await plan_notices(site)
    mine = (await mover.get("/api/v1/me")).json()["person"]["id"]
    assert mine in await queue(site, "push").claim()
    await play_turn(mover, room)
    await queue(site, "push")._process(mine)
    assert "turn" not in _list_events(service)


async def test_title_is_read_at_the_time_of_sending_and_not_stored(
    site: TestSite, service: PushService
) -> None:
    _, _, room = await open_waiting_table(site, service)
    service.status = "503 Not now"
    await notify(site)
    rows = await site.site.pushes.database.fetch_rows(select(outbox))
    assert rows
    assert "Friday" not in str(rows)
    (game,) = await site.site.pushes.database.fetch_rows(select(games.c.creator).where(games.c.id == room))
    await site.site.data.begin_erasure([game.creator], site.site.now())
    service.status = "201 Created"
    await notify(site, 60)
    for received in service.received:
        assert received.content.get("body", "Tortuga") == "Tortuga"
        assert received.content.get("title", "Your turn") in (
            "Your turn",
            "The game at your table has started",
        )
