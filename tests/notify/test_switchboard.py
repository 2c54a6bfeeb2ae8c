"""The switchboard: switches, quiet hours, channels and digests, first alone and then in a running site."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.notify.push import MAX_SUMMARY_LINES
from app.notify.switchboard import (
    MAX_SINGLE_NOTICES,
    NEXT_CHANNEL_DELAY_SECONDS,
    TURN_SETTLE_SECONDS,
    Plan,
    decide_letter,
    decide_push,
    is_quiet,
    make_plan,
)
from app.store.people.notice_values import Browser, OutboxRow, PendingNotice, Recipient, Wishes
from tests.notify.push_service import PushService
from tests.notify.pushing import DAYS, find_mover, notify, open_waiting_table, pushing_site, subscribe
from tests.notify.test_webhooks import receiving
from tests.web.running_site import TestSite, code_of
from tests.web.tables import done, open_table, play_table, sit

NOW = int(datetime(2026, 11, 17, 12, 0, tzinfo=UTC).timestamp())
TURN = PendingNotice("game-1", "One", (NOW + 86_400) * 1000, since=(NOW - 60) * 1000, seq=5)
CHANNELS = {"can_mail": True, "can_call": True}


def recipient(**more: Any) -> Recipient:
    fields: dict[str, Any] = {
        "player": "p",
        "name": "Anne",
        "language": "en",
        "email": None,
        "stop_token": "s",
        "webhook": None,
        "webhook_key": None,
        "last_letter_at": 0,
        "covered_keys": (),
        "pending": (TURN,),
    }
    return Recipient(**{**fields, **more})


BROWSER = Browser("b", NOW - 86_400, True)
ALL = {
    "email": "a@example.org",
    "webhook": "https://hook.example/",
    "webhook_key": "k",
    "browsers": (BROWSER,),
}


def channels(who: Recipient, now: int = NOW) -> set[str]:
    made = make_plan(who, now, 1800, **CHANNELS)
    return {name for name in ("push", "webhook", "mail") if getattr(made, name)}


def test_one_channel_is_used_unless_every_channel_is_set() -> None:
    assert channels(recipient(**ALL)) == {"push"}
    assert channels(recipient(**{**ALL, "browsers": ()})) == {"webhook"}
    assert channels(recipient(email="a@example.org")) == {"mail"}
    assert channels(recipient(**ALL, wishes=Wishes(every_channel=True))) == {"push", "webhook", "mail"}


def test_pending_pushed_notice_goes_to_the_next_channel_after_half_an_hour() -> None:
    def told(sent_at: int | None, queued_at: int) -> Recipient:
        pushed = {"game-1": OutboxRow("turn", TURN.push_mark, 5, sent_at, queued_at)}
        return recipient(**{**ALL, "browsers": (replace(BROWSER, rows=pushed),)})

    assert channels(told(NOW, NOW)) == {"push"}
    assert channels(told(NOW, NOW), NOW + 61) == {"push"}
    assert channels(told(NOW, NOW), NOW + NEXT_CHANNEL_DELAY_SECONDS) == {"push", "webhook"}
    assert channels(told(None, NOW), NOW + NEXT_CHANNEL_DELAY_SECONDS) == {"push", "webhook"}, (
        "a push service that is away"
    )


@pytest.mark.parametrize(("sent_at", "withdrawn"), [(None, ("game-1",)), (NOW - 60, ())])
def test_withdrawal_is_sent_until_it_is_accepted(sent_at: int | None, withdrawn: tuple[str, ...]) -> None:
    """Rows of withdrawals that were sent come from the previous release."""
    browser = replace(BROWSER, rows={"game-1": OutboxRow("gone", "gone", 0, sent_at, NOW - 60)})
    decision = decide_push(recipient(pending=(), browsers=(browser,)), browser, Plan(), NOW)
    assert decision.withdrawn == withdrawn
    assert decision.next_at == {"game-1": None}


def test_letter_without_a_channel_is_not_rechecked_every_minute() -> None:
    """A webhook that failed too often is not called until its owner saves it again."""
    letters = {"game-1": OutboxRow()}
    assert decide_letter(recipient(letters=letters), Plan(), NOW, 1800) == {"game-1": NOW + 86_400}
    closed = recipient(letters=letters, email="a@example.org", last_letter_at=NOW)
    assert decide_letter(closed, Plan(), NOW, 1800) == {"game-1": NOW + 1800}


def test_reminder_is_pushed_first_although_the_turn_was_pushed_days_ago() -> None:
    time = replace(TURN, event="time", since=NOW * 1000)

    def told(event: str, at: int) -> Recipient:
        pushed = {"game-1": OutboxRow(event, time.push_mark, 5, at, at)}
        browsers = (replace(BROWSER, rows=pushed), Browser("never told", NOW - 86_400, True))
        return recipient(**{**ALL, "browsers": browsers, "pending": (time, TURN)})

    assert channels(told("turn", NOW - 64_000)) == {"push"}, "the turn's mark is the same deadline"
    assert channels(told("time", NOW), NOW + NEXT_CHANNEL_DELAY_SECONDS - 1) == {"push"}
    assert channels(told("time", NOW), NOW + NEXT_CHANNEL_DELAY_SECONDS) == {"push", "webhook"}


def test_turn_is_not_pushed_before_it_has_settled() -> None:
    fresh = replace(TURN, since=NOW * 1000)
    assert channels(recipient(browsers=(BROWSER,), pending=(fresh,))) == set()
    assert channels(recipient(browsers=(BROWSER,), pending=(fresh,)), NOW + TURN_SETTLE_SECONDS) == {"push"}


@pytest.mark.parametrize(
    ("zone", "quiet", "expected"),
    [
        ("UTC", (720, 780), True),
        ("UTC", (660, 720), False),
        ("UTC", (1320, 480), False),
        ("UTC", (700, 480), True),
        ("Asia/Tokyo", (1200, 480), True),  # nine in the evening there
        ("America/New_York", (0, 480), True),  # seven in the morning there
        ("America/New_York", (480, 0), False),
        ("Nowhere/Atlantis", (720, 780), True),  # an unknown zone is read as UTC
    ],
)
def test_quiet_hours_are_in_the_persons_time_zone(zone: str, quiet: tuple[int, int], expected: bool) -> None:
    assert is_quiet(Wishes(zone=zone, quiet=quiet), NOW) is expected
    told = channels(recipient(**ALL, wishes=Wishes(zone=zone, quiet=quiet, every_channel=True)))
    assert (told == set()) is expected


def test_game_switches_override_general_switches() -> None:
    def told(**wishes: Any) -> set[str]:
        return channels(recipient(**ALL, wishes=Wishes(**wishes)))

    assert told(switches={"turn": False}) == set()
    assert told(switches={"time": False}) == {"push"}
    assert told(switches={"turn": False}, games={"game-1": {"turn": True}}) == {"push"}
    assert told(games={"game-1": {"turn": False}}) == set()
    assert told(games={"game-2": {"turn": False}}) == {"push"}


def test_most_urgent_wanted_notice_of_a_game_is_sent() -> None:
    time = replace(TURN, event="time")
    who = recipient(**ALL, pending=(time, TURN))
    assert [item.event for item in make_plan(who, NOW, 1800, **CHANNELS).push] == ["time"]
    who = replace(who, wishes=Wishes(switches={"time": False}))
    assert [item.event for item in make_plan(who, NOW, 1800, **CHANNELS).push] == ["turn"]


def test_daily_digest_is_sent_once_a_day_instead_of_single_notices() -> None:
    wishes = Wishes(zone="Europe/Oslo", digest_at=13 * 60 + 30)  # it is one o'clock there
    assert channels(recipient(**ALL, wishes=wishes)) == set()
    made = make_plan(recipient(**ALL, wishes=wishes), NOW + 1800, 1800, **CHANNELS)
    assert made.digest == "2026-11-17"
    assert made.push
    assert not made.mail
    assert channels(recipient(**ALL, wishes=replace(wishes, digested_on="2026-11-17")), NOW + 1800) == set()


# -- in a running site -----------------------------------------------------------------------------


@pytest.fixture
async def site(sqlite_url: str) -> AsyncIterator[TestSite]:
    async with pushing_site(sqlite_url) as site:
        yield site


async def _pair(site: TestSite, service: PushService) -> tuple[Any, Any]:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for browser in (ann, bo):
        await subscribe(browser, service)
    return ann, bo


def _events(service: PushService) -> list[str]:
    return [notice.content["title"] for notice in service.received]


async def test_wishes_are_stored_and_shown_and_invalid_ones_rejected(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    wishes = {"switches": {"table": False}, "zone": "Europe/Oslo", "quiet": [1320, 480], "digest_at": 1080}
    assert (await ann.put("/api/v1/me/notices/wishes", json=wishes)).status_code == 200
    shown = (await ann.get("/api/v1/me/notices")).json()["wishes"]
    assert shown["switches"] == {"turn": True, "time": True, "table": False, "invited": True, "rematch": True}
    assert (shown["zone"], shown["quiet"], shown["digest_at"]) == ("Europe/Oslo", [1320, 480], 1080)
    assert code_of(await ann.put("/api/v1/me/notices/wishes", json={"zone": "../etc/passwd"})) == "bad_zone"
    for bad in ({"quiet": [0, 1440]}, {"switches": {"cards": True}}, {"digest_at": -1}):
        assert (await ann.put("/api/v1/me/notices/wishes", json=bad)).status_code == 422
    not_mine = await ann.put("/api/v1/me/notices/games/abcdefgh", json={"switches": {"turn": True}})
    assert not_mine.status_code == 404


async def test_reminder_replaces_the_notice_of_the_turn(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    await play_table(ann, bo, **DAYS)
    await notify(site)
    await notify(site, 2 * 86_400)
    assert "time" not in [notice.content["t"] for notice in service.received]
    await notify(site, 86_400 // 2)
    turn = next(notice for notice in service.received if notice.content["t"] == "turn")
    late = next(notice for notice in service.received if notice.content["t"] == "time")
    assert late.headers["topic"] == turn.headers["topic"]
    assert late.headers["urgency"] == "high"
    await notify(site, 3600)
    (event,) = [notice.content["title"] for notice in service.received if notice.content["t"] == "time"]
    assert event in (
        "Your time against Anne Bonfire is running out",
        "Your time against Bo Bellows is running out",
    )


async def test_full_and_started_tables_are_notified(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    room = await open_table(ann)
    await sit(ann, room)
    await notify(site)
    assert _events(service) == []
    await done(bo, room, "sit")
    await notify(site)
    full = {"Your table with Anne Bonfire is full", "Your table with Bo Bellows is full"}
    assert len(_events(service)) == 2
    assert set(_events(service)) == full
    await play_table(ann, bo)
    await notify(site)
    started = {"Your game with Anne Bonfire has started", "Your game with Bo Bellows has started"}
    assert set(_events(service)) == full | started
    assert len(_events(service)) == 4


async def test_former_opponent_can_be_invited_and_is_notified_once(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await _pair(site, service)
    bo_id = (await bo.get("/api/v1/me")).json()["person"]["id"]
    room = await open_table(ann, title="Buy cheap rum")
    await sit(ann, room)
    stranger = await ann.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})
    assert code_of(stranger) == "not_played_together", "strangers cannot write on a lock screen"
    played = await play_table(ann, bo)
    beside = await ann.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})
    assert code_of(beside) == "not_played_together", "sitting at the same table is not enough"
    state = (await bo.get(f"/api/v1/games/{played}")).json()
    await done(bo, played, "act", version=state["seq"], action={"type": "resign"})
    answer = await ann.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})
    assert answer.status_code == 200, answer.text
    assert (await bo.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})).status_code == 404
    for _ in range(2):
        await notify(site)
    assert _events(service).count("You have an invitation to a table") == 1
    (invited,) = [notice.content for notice in service.received if notice.content["t"] == "invited"]
    assert invited["body"] == "Tortuga", "no text of the inviter on the invited person's screen"
    await sit(bo, room)
    await notify(site)
    assert _events(service).count("You have an invitation to a table") == 1


async def test_many_notices_at_once_become_a_summary(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    rooms = [await play_table(ann, bo, **DAYS) for _ in range(2 * MAX_SINGLE_NOTICES + 2)]
    for browser in (ann, bo):
        await browser.put("/api/v1/me/notices/wishes", json={"switches": {"table": False}})
    waiting = {
        browser: [room for room in rooms if (await find_mover(room, ann, bo))[0] is browser]
        for browser in (ann, bo)
    }
    await notify(site)
    for mine in waiting.values():
        if len(mine) > MAX_SINGLE_NOTICES:
            assert f"{len(mine)} games are waiting for you at Cartagena" in _events(service)
    singles = sum(len(mine) for mine in waiting.values() if len(mine) <= MAX_SINGLE_NOTICES)
    assert sum(title.startswith("Your turn against ") for title in _events(service)) == singles
    for summary in (notice.content for notice in service.received if notice.content["t"] == "digest"):
        lines = summary["body"].splitlines()
        assert len(lines) == MAX_SUMMARY_LINES
        assert all(line.startswith("Your turn against ") and " — Tortuga, until " in line for line in lines)
    count = len(service.received)
    await notify(site)
    assert len(service.received) == count


async def test_digest_of_a_single_game_does_not_say_games(site: TestSite, service: PushService) -> None:
    mover, _other, _room = await open_waiting_table(site, service)
    here = datetime.fromtimestamp(site.site.now(), UTC)
    wishes = {"switches": {"table": False}, "digest_at": (here.hour * 60 + here.minute + 1) % 1440}
    assert (await mover.put("/api/v1/me/notices/wishes", json=wishes)).status_code == 200
    await notify(site, wait=180)
    digests = [notice.content["title"] for notice in service.received if notice.content["t"] == "digest"]
    (digest,) = digests
    assert re.fullmatch(r"Your turn against [\w ]+ — Tortuga, until \w+ \d+ \w+, \d\d:\d\d UTC", digest)


async def test_switched_off_game_sends_nothing_and_others_do(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    quiet, loud = [await play_table(ann, bo, **DAYS) for _ in range(2)]
    for browser in (ann, bo):
        off = {"switches": {"turn": False, "time": False, "table": False}}
        answer = await browser.put(f"/api/v1/me/notices/games/{quiet}", json=off)
        assert answer.status_code == 200
    await notify(site)
    urls = {notice.content["url"] for notice in service.received}
    assert f"/g/{loud}" in urls
    assert f"/g/{quiet}" not in urls


async def test_discord_call_names_the_player_with_markup_escaped(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    async with receiving() as channel:
        for browser in (ann, bo):
            wanted = {"webhook": f"http://127.0.0.1:{channel.port}/hook", "webhook_form": "discord"}
            assert (await browser.put("/api/v1/me/notices", json=wanted)).status_code == 200
        room = await play_table(ann, bo, title="[x](https://evil.example) @everyone", **DAYS)
        mover, _ = await find_mover(room, ann, bo)
        name = (await mover.get("/api/v1/me")).json()["person"]["name"]
        await notify(site)
        ((_, body),) = channel.posted
        told = json.loads(body)
        assert set(told) == {"content", "allowed_mentions"}
        assert told["allowed_mentions"] == {"parse": []}
        opponent = {"Anne Bonfire": "Bo Bellows", "Bo Bellows": "Anne Bonfire"}[name]
        assert told["content"].startswith(f"It's {name}'s turn against {opponent}: [")
        link, _, details = told["content"].partition(" — ")
        assert link.endswith(f"](<http://testserver/g/{room}>)")
        assert re.fullmatch(r"Tortuga, until <t:\d{10}:f>", details), (
            "Discord shows it in each reader's time zone"
        )
        assert "\\@everyone" in told["content"]
        assert "](https" not in told["content"]
