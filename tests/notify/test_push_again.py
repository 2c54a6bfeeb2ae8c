"""Pushes that are tried again, or not: what was refused for good, quiet hours and switches that changed meanwhile."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.notify.push import parse_retry_after
from app.store.games.tables import games
from app.store.people.tables import outbox
from tests.notify.push_service import PushService
from tests.notify.pushing import plan_notices, play_turn, queue, send, tell, waiting_table
from tests.web.running_site import TestSite


def _told(service: PushService) -> list[str]:
    return [each.told["t"] for each in service.received]


async def _rows(site: TestSite, room: str, event: str = "turn") -> list[Any]:
    return list(
        await site.site.pushes.rows(select(outbox).where(outbox.c.game == room, outbox.c.event == event))
    )


async def _wish(browser: httpx.AsyncClient, **wishes: Any) -> None:
    answer = await browser.put("/api/v1/me/notices/wishes", json=wishes)
    assert answer.status_code == 200, answer.text


def _quiet(site: TestSite, minutes: int) -> list[int]:
    """From a minute ago on, so many minutes."""
    here = datetime.fromtimestamp(site.site.now(), UTC)
    now = here.hour * 60 + here.minute
    return [(now - 1) % 1440, (now + minutes) % 1440]


@pytest.mark.parametrize("status", ["400 Bad", "413 Too large", "307 Elsewhere"])
async def test_what_a_push_service_will_never_take_is_tried_once(
    site: TestSite, service: PushService, status: str
) -> None:
    mover, other, room = await waiting_table(site, service)
    service.status = status
    await tell(site)
    tries = service.tries
    assert tries > 0
    for _ in range(3):
        await tell(site)
    assert service.tries == tries
    service.status = "201 Created"
    await play_turn(mover, room)
    await play_turn(other, room)
    await tell(site)
    assert _told(service).count("turn") == 1, "but of the next turn they are told"


@pytest.mark.parametrize(
    "text",
    [
        "Mon, 01 Jan 2024 00:00:00 +99999999999999999",
        "Mon, 32 Jan 2024 00:00:00 GMT",
        "tomorrow",
        "",
    ],
)
def test_a_retry_after_that_cannot_be_read_asks_for_nothing(text: str) -> None:
    assert parse_retry_after(text, 0) == 0


def test_a_retry_after_is_a_number_or_a_date() -> None:
    assert parse_retry_after("120", 0) == 120
    assert parse_retry_after("Thu, 01 Jan 1970 00:10:00 GMT", 60) == 540


async def test_attack_an_answer_with_a_wild_date_is_a_push_to_be_tried_again(
    site: TestSite, service: PushService
) -> None:
    _, _, room = await waiting_table(site, service)
    service.status = "503 Not now"
    service.extra = "retry-after: Mon, 01 Jan 2024 00:00:00 +99999999999999999\r\n"
    await tell(site)
    (row,) = await _rows(site, room)
    assert (row.attempts, row.lease_until) == (1, 0)


async def test_what_is_tried_again_in_quiet_hours_waits_for_their_end(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await waiting_table(site, service)
    service.status = "503 Not now"
    await tell(site)
    tries = service.tries
    (before,) = await _rows(site, room)
    assert before.attempts == 1
    service.status = "201 Created"
    await _wish(mover, quiet=_quiet(site, 60))
    for _ in range(5):
        site.pass_time(601)
        await send(site)
    assert service.tries == tries
    (waits,) = await _rows(site, room)
    assert waits.attempts == 1, "it was not tried"
    assert 0 < waits.at - site.site.now() <= 3600
    site.pass_time(20 * 60)
    await send(site)
    assert _told(service).count("turn") == 1


async def test_what_was_switched_off_meanwhile_is_not_tried_again(
    site: TestSite, service: PushService
) -> None:
    mover, _, _ = await waiting_table(site, service)
    service.status = "503 Not now"
    await tell(site)
    tries = service.tries
    service.status = "201 Created"
    await _wish(mover, switches={"turn": False})
    await tell(site, 3600)
    assert service.tries == tries
    await _wish(mover)
    await tell(site)
    assert _told(service) == ["turn"], "wanted again"


async def test_a_games_own_switch_goes_before_the_persons_for_what_is_tried_again(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await waiting_table(site, service)
    service.status = "503 Not now"
    await tell(site)
    tries = service.tries
    of_game = f"/api/v1/me/notices/games/{room}"
    await _wish(mover, switches={"turn": False})
    await mover.put(of_game, json={"switches": {"turn": True}})
    await tell(site, 3600)
    assert service.tries > tries
    tries = service.tries
    await _wish(mover)
    await mover.put(of_game, json={"switches": {"turn": False}})
    await tell(site, 2 * 3600)
    assert service.tries == tries


async def test_a_notice_is_taken_back_in_quiet_hours_and_after_it_was_switched_off(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await waiting_table(site, service)
    await tell(site)
    assert "turn" in _told(service)
    await _wish(mover, quiet=_quiet(site, 60), switches={"turn": False})
    await play_turn(mover, room)
    await tell(site)
    assert "gone" in _told(service)


async def test_a_turn_played_after_its_row_was_claimed_is_not_pushed(
    site: TestSite, service: PushService
) -> None:
    mover, _, room = await waiting_table(site, service)
    site.pass_time(20)
    await plan_notices(site)
    mine = (await mover.get("/api/v1/me")).json()["person"]["id"]
    assert mine in await queue(site, "push").claim()
    await play_turn(mover, room)
    await queue(site, "push")._process(mine)
    assert "turn" not in _told(service)


async def test_a_title_is_the_games_at_the_time_of_sending_and_nobody_keeps_it(
    site: TestSite, service: PushService
) -> None:
    _, _, room = await waiting_table(site, service)
    service.status = "503 Not now"
    await tell(site)
    rows = await site.site.pushes.rows(select(outbox))
    assert rows
    assert "Friday" not in str(rows)
    (game,) = await site.site.pushes.rows(select(games.c.creator).where(games.c.id == room))
    await site.site.data.begin_erasure([game.creator], site.site.now())
    service.status = "201 Created"
    await tell(site, 60)
    for received in service.received:
        assert received.told.get("body", "Cartagena") == "Cartagena"
