"""The switchboard: switches, quiet hours, one channel at a time, digests; first by itself, then in a running site."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from app.notify.ports import Browser, Pushed, Recipient, Waiting, Wishes
from app.notify.switchboard import (
    NEXT_CHANNEL,
    SETTLED,
    SINGLE,
    Plan,
    decide_letter,
    decide_push,
    is_quiet,
    mark_of,
    plan,
)
from tests.notify.push_service import PushService
from tests.notify.pushing import DAYS, in_turn, pushing_site, subscribe, tell
from tests.notify.test_webhooks import receiving
from tests.web.running_site import TestSite, code_of
from tests.web.tables import done, open_table, play_table, sit

NOW = int(datetime(2026, 11, 17, 12, 0, tzinfo=UTC).timestamp())
TURN = Waiting("game-1", "One", (NOW + 86_400) * 1000, since=(NOW - 60) * 1000, seq=5)
CHANNELS = {"mails": True, "calls": True}


def recipient(**more: Any) -> Recipient:
    fields: dict[str, Any] = {
        "player": "p",
        "name": "Anne",
        "language": "en",
        "email": None,
        "stop_token": "s",
        "webhook": None,
        "webhook_key": None,
        "told_at": 0,
        "told_of": (),
        "waiting": (TURN,),
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
    made = plan(who, now, 1800, **CHANNELS)
    return {name for name in ("push", "webhook", "mail") if getattr(made, name)}


def test_one_channel_for_one_event_unless_asked() -> None:
    assert channels(recipient(**ALL)) == {"push"}
    assert channels(recipient(**{**ALL, "browsers": ()})) == {"webhook"}
    assert channels(recipient(email="a@example.org")) == {"mail"}
    assert channels(recipient(**ALL, wishes=Wishes(every_channel=True))) == {"push", "webhook", "mail"}


def test_what_was_pushed_and_still_waits_is_told_on_the_next_channel_half_an_hour_later() -> None:
    def told(sent_at: int | None, queued_at: int) -> Recipient:
        pushed = {"game-1": Pushed("turn", mark_of(TURN), 5, sent_at, queued_at)}
        return recipient(**{**ALL, "browsers": (replace(BROWSER, pushed=pushed),)})

    assert channels(told(NOW, NOW)) == {"push"}
    assert channels(told(NOW, NOW), NOW + 61) == {"push"}
    assert channels(told(NOW, NOW), NOW + NEXT_CHANNEL) == {"push", "webhook"}
    assert channels(told(None, NOW), NOW + NEXT_CHANNEL) == {"push", "webhook"}, "a push service that is away"


@pytest.mark.parametrize(("sent_at", "withdrawn"), [(None, ("game-1",)), (NOW - 60, ())])
def test_a_withdrawal_is_sent_until_it_was_taken(sent_at: int | None, withdrawn: tuple[str, ...]) -> None:
    """Rows of withdrawals that were sent come from the release before."""
    browser = replace(BROWSER, pushed={"game-1": Pushed("gone", "gone", 0, sent_at, NOW - 60)})
    decision = decide_push(recipient(waiting=(), browsers=(browser,)), browser, Plan(), NOW)
    assert decision.withdrawn == withdrawn
    assert decision.next_at == {"game-1": None}


def test_a_letter_without_a_channel_is_not_decided_about_every_minute() -> None:
    """A webhook that failed too often rests until its owner sets it again."""
    letters = {"game-1": Pushed()}
    assert decide_letter(recipient(letters=letters), Plan(), NOW, 1800) == {"game-1": NOW + 86_400}
    closed = recipient(letters=letters, email="a@example.org", told_at=NOW)
    assert decide_letter(closed, Plan(), NOW, 1800) == {"game-1": NOW + 1800}


def test_time_that_runs_out_is_pushed_alone_though_the_turn_was_pushed_days_ago() -> None:
    time = replace(TURN, event="time", since=NOW * 1000)

    def told(event: str, at: int) -> Recipient:
        pushed = {"game-1": Pushed(event, mark_of(time), 5, at, at)}
        browsers = (replace(BROWSER, pushed=pushed), Browser("never told", NOW - 86_400, True))
        return recipient(**{**ALL, "browsers": browsers, "waiting": (time, TURN)})

    assert channels(told("turn", NOW - 64_000)) == {"push"}, "the turn's mark is the same deadline"
    assert channels(told("time", NOW), NOW + NEXT_CHANNEL - 1) == {"push"}
    assert channels(told("time", NOW), NOW + NEXT_CHANNEL) == {"push", "webhook"}


def test_a_turn_that_is_played_on_at_once_is_not_pushed() -> None:
    fresh = replace(TURN, since=NOW * 1000)
    assert channels(recipient(browsers=(BROWSER,), waiting=(fresh,))) == set()
    assert channels(recipient(browsers=(BROWSER,), waiting=(fresh,)), NOW + SETTLED) == {"push"}


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
        ("Nowhere/Atlantis", (720, 780), True),  # a zone that is gone is read as UTC
    ],
)
def test_quiet_hours_are_those_of_the_persons_zone(zone: str, quiet: tuple[int, int], expected: bool) -> None:
    assert is_quiet(Wishes(zone=zone, quiet=quiet), NOW) is expected
    told = channels(recipient(**ALL, wishes=Wishes(zone=zone, quiet=quiet, every_channel=True)))
    assert (told == set()) is expected


def test_switches_are_the_persons_and_before_them_the_games() -> None:
    def told(**wishes: Any) -> set[str]:
        return channels(recipient(**ALL, wishes=Wishes(**wishes)))

    assert told(switches={"turn": False}) == set()
    assert told(switches={"time": False}) == {"push"}
    assert told(switches={"turn": False}, games={"game-1": {"turn": True}}) == {"push"}
    assert told(games={"game-1": {"turn": False}}) == set()
    assert told(games={"game-2": {"turn": False}}) == {"push"}


def test_of_one_game_the_most_pressing_thing_that_is_wanted_is_told() -> None:
    time = replace(TURN, event="time")
    who = recipient(**ALL, waiting=(time, TURN))
    assert [item.event for item in plan(who, NOW, 1800, **CHANNELS).push] == ["time"]
    who = replace(who, wishes=Wishes(switches={"time": False}))
    assert [item.event for item in plan(who, NOW, 1800, **CHANNELS).push] == ["turn"]


def test_a_daily_digest_comes_once_a_day_and_instead_of_single_ones() -> None:
    wishes = Wishes(zone="Europe/Oslo", digest_at=13 * 60 + 30)  # it is one o'clock there
    assert channels(recipient(**ALL, wishes=wishes)) == set()
    made = plan(recipient(**ALL, wishes=wishes), NOW + 1800, 1800, **CHANNELS)
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
    return [each.told["title"] for each in service.received]


async def test_wishes_are_kept_and_shown_and_bad_ones_refused(site: TestSite) -> None:
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


async def test_time_that_runs_out_is_told_in_place_of_the_turn(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    await play_table(ann, bo, **DAYS)
    await tell(site)
    await tell(site, 2 * 86_400)
    assert "Your time is running out" not in _events(service)
    await tell(site, 86_400 // 2)
    turn = next(each for each in service.received if each.told["t"] == "turn")
    late = next(each for each in service.received if each.told["t"] == "time")
    assert late.headers["topic"] == turn.headers["topic"]
    assert late.headers["urgency"] == "high"
    await tell(site, 3600)
    assert _events(service).count("Your time is running out") == 1


async def test_a_full_table_and_one_that_has_begun_are_told(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    room = await open_table(ann)
    await sit(ann, room)
    await tell(site)
    assert _events(service) == []
    await done(bo, room, "sit")
    await tell(site)
    assert _events(service) == ["Your table is full"] * 2
    await play_table(ann, bo)
    await tell(site)
    assert _events(service).count("Your table has begun") == 2


async def test_who_played_with_me_can_be_invited_and_hears_of_it_once(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await _pair(site, service)
    bo_id = (await bo.get("/api/v1/me")).json()["person"]["id"]
    room = await open_table(ann, title="Buy cheap rum")
    await sit(ann, room)
    stranger = await ann.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})
    assert code_of(stranger) == "not_played_together", "a stranger's lock screen is nobody's to write on"
    played = await play_table(ann, bo)
    beside = await ann.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})
    assert code_of(beside) == "not_played_together", "to sit beside a stranger is not enough"
    state = (await bo.get(f"/api/v1/games/{played}")).json()
    await done(bo, played, "act", version=state["seq"], action={"type": "resign"})
    answer = await ann.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})
    assert answer.status_code == 200, answer.text
    assert (await bo.post(f"/api/v1/games/{room}/invitations", json={"player": bo_id})).status_code == 404
    for _ in range(2):
        await tell(site)
    assert _events(service).count("You are invited to a table") == 1
    (invited,) = [each.told for each in service.received if each.told["t"] == "invited"]
    assert invited["body"] == "Cartagena", "no words of the inviter on the invited person's screen"
    await sit(bo, room)
    await tell(site)
    assert _events(service).count("You are invited to a table") == 1


async def test_more_than_a_few_at_once_come_as_one(site: TestSite, service: PushService) -> None:
    ann, bo = await _pair(site, service)
    rooms = [await play_table(ann, bo, **DAYS) for _ in range(2 * SINGLE + 2)]
    for browser in (ann, bo):
        await browser.put("/api/v1/me/notices/wishes", json={"switches": {"table": False}})
    waiting = {
        browser: [room for room in rooms if (await in_turn(room, ann, bo))[0] is browser]
        for browser in (ann, bo)
    }
    await tell(site)
    for mine in waiting.values():
        if len(mine) > SINGLE:
            assert f"{len(mine)} games of Cartagena wait for you" in _events(service)
    singles = sum(len(mine) for mine in waiting.values() if len(mine) <= SINGLE)
    assert _events(service).count("Your turn") == singles
    count = len(service.received)
    await tell(site)
    assert len(service.received) == count


async def test_a_game_that_was_switched_off_is_silent_and_the_others_are_not(
    site: TestSite, service: PushService
) -> None:
    ann, bo = await _pair(site, service)
    quiet, loud = [await play_table(ann, bo, **DAYS) for _ in range(2)]
    for browser in (ann, bo):
        off = {"switches": {"turn": False, "time": False, "table": False}}
        answer = await browser.put(f"/api/v1/me/notices/games/{quiet}", json=off)
        assert answer.status_code == 200
    await tell(site)
    urls = {each.told["url"] for each in service.received}
    assert f"/g/{loud}" in urls
    assert f"/g/{quiet}" not in urls


async def test_a_club_channel_hears_whose_turn_it_is_and_no_markup_of_a_name(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    async with receiving() as channel:
        for browser in (ann, bo):
            wanted = {"webhook": f"http://127.0.0.1:{channel.port}/hook", "webhook_form": "discord"}
            assert (await browser.put("/api/v1/me/notices", json=wanted)).status_code == 200
        room = await play_table(ann, bo, title="[x](https://evil.example) @everyone", **DAYS)
        mover, _ = await in_turn(room, ann, bo)
        name = (await mover.get("/api/v1/me")).json()["person"]["name"]
        await tell(site)
        ((_, body),) = channel.posted
        told = json.loads(body)
        assert set(told) == {"content", "allowed_mentions"}
        assert told["allowed_mentions"] == {"parse": []}
        assert told["content"].startswith(f"It is {name}'s turn: ")
        assert told["content"].endswith(f"](<http://testserver/g/{room}>)")
        assert "\\@everyone" in told["content"]
        assert "](https" not in told["content"]
