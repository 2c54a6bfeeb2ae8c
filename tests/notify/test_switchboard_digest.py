"""When the switchboard has a daily digest come: at its minute, after quiet hours, once, and again when it failed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.notify.ports import Wishes
from app.notify.switchboard import Plan, plan
from tests.notify.test_switchboard import ALL, CHANNELS, TURN, recipient

OSLO = "Europe/Oslo"
INTERVAL = 1800
NIGHT = (22 * 60, 7 * 60)
FAR = replace(TURN, deadline=4_000_000_000_000)
MAIL = {"email": "a@example.org"}


def seconds(text: str) -> int:
    """Of a time in Oslo."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(OSLO)).timestamp())


def planned(at: str, wishes: Wishes, **more: Any) -> Plan:
    who = recipient(**{**MAIL, "waiting": (FAR,), **more, "wishes": wishes})
    return plan(who, seconds(at), INTERVAL, **CHANNELS)


def digests(wishes: Wishes, begin: str, days: int, **more: Any) -> list[tuple[str, str]]:
    """What comes in these days, looked at every minute: when, and of which day."""
    found: list[tuple[str, str]] = []
    for moment in range(seconds(begin), seconds(begin) + days * 86_400, 60):
        at = datetime.fromtimestamp(moment, ZoneInfo(OSLO)).isoformat(" ", "minutes")[:16]
        if day := planned(at, wishes, **more).digest:
            wishes = replace(wishes, digested_on=day)
            found.append((at, day))
    return found


@pytest.mark.parametrize(
    ("quiet", "digest_at", "comes"),
    [
        (None, 22 * 60 + 30, "22:30"),
        (NIGHT, 21 * 60, "21:00"),
        (NIGHT, 22 * 60, "07:00"),
        (NIGHT, 22 * 60 + 30, "07:00"),
        (NIGHT, 23 * 60 + 59, "07:00"),
        (NIGHT, 0, "07:00"),
        (NIGHT, 6 * 60, "07:00"),
        (NIGHT, 7 * 60, "07:00"),
        ((60, 8 * 60), 6 * 60, "08:00"),  # not over midnight
        ((12 * 60, 14 * 60), 13 * 60, "14:00"),
        ((22 * 60, 0), 23 * 60, "00:00"),
        ((0, 1439), 12 * 60, "23:59"),
    ],
)
def test_a_digest_comes_every_day_and_one_of_the_quiet_hours_when_they_end(
    quiet: tuple[int, int] | None, digest_at: int, comes: str
) -> None:
    wishes = Wishes(zone=OSLO, quiet=quiet, digest_at=digest_at, digested_on="2026-06-01")
    expected = [(f"2026-06-0{day} {comes}", f"2026-06-0{day}") for day in (2, 3, 4)]
    assert digests(wishes, "2026-06-02", 3) == expected


def test_a_digest_of_the_quiet_hours_comes_on_days_when_the_clock_changes() -> None:
    wishes = Wishes(zone=OSLO, quiet=(60, 150), digest_at=120, digested_on="2026-03-28")
    assert digests(wishes, "2026-03-29", 2) == [
        ("2026-03-29 03:00", "2026-03-29"),  # there is no half past two
        ("2026-03-30 02:30", "2026-03-30"),
    ]


def test_quiet_hours_that_are_set_after_a_digest_came_make_no_second_one_that_day() -> None:
    wishes = Wishes(zone=OSLO, quiet=NIGHT, digest_at=22 * 60 + 30, digested_on="2026-06-02")
    assert planned("2026-06-02 12:00", wishes).digest is None
    assert planned("2026-06-03 07:00", wishes).digest == "2026-06-03"
    # Whoever flies west has yesterday once more, and its digest not.
    moved_west = replace(wishes, zone="America/New_York", digested_on="2026-06-04")
    assert planned("2026-06-04 03:00", replace(moved_west, quiet=None, digest_at=0)).digest is None


def test_a_letter_that_failed_is_tried_again_after_the_interval() -> None:
    wishes = Wishes(zone=OSLO, digest_at=8 * 60)
    tried = seconds("2026-06-02 08:00")
    assert planned("2026-06-02 08:00", wishes).mail
    assert planned("2026-06-02 08:29", wishes, told_at=tried) == Plan()
    assert planned("2026-06-02 08:30", wishes, told_at=tried).mail
    told = replace(wishes, digested_on="2026-06-02")
    assert planned("2026-06-02 08:30", told, told_at=tried) == Plan()


def test_a_push_waits_for_no_letter_unless_there_is_one() -> None:
    wishes = Wishes(zone=OSLO, digest_at=8 * 60)
    just_now = {**ALL, "told_at": seconds("2026-06-02 07:59")}
    assert planned("2026-06-02 08:00", wishes, **just_now).push
    every = replace(wishes, every_channel=True)
    assert planned("2026-06-02 08:00", every, **just_now) == Plan(), "or the day would be noted without it"
    whole = planned("2026-06-02 08:29", every, **just_now)
    assert all((whole.push, whole.webhook, whole.mail))


def test_a_letter_that_failed_before_midnight_or_quiet_hours_still_comes() -> None:
    late = Wishes(zone=OSLO, digest_at=23 * 60 + 50, digested_on="2026-06-01")
    tried = seconds("2026-06-02 23:50")
    assert planned("2026-06-03 00:20", late, told_at=tried).digest == "2026-06-02"
    again = seconds("2026-06-03 00:20")
    assert planned("2026-06-03 00:50", late, told_at=again).digest == "2026-06-02"
    evening = replace(late, digest_at=21 * 60 + 50, quiet=NIGHT)
    tried = seconds("2026-06-02 21:50")
    assert planned("2026-06-02 22:20", evening, told_at=tried).digest is None
    assert planned("2026-06-03 07:00", evening, told_at=tried).digest == "2026-06-02"
    assert planned("2026-06-03 12:00", evening).digest is None, "nothing was begun: it comes in the evening"
