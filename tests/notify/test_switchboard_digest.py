"""When the daily digest is sent: at its minute, after quiet hours, once, and again after a failure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.notify.switchboard import Plan, make_plan
from app.store.people.notice_values import Wishes
from tests.notify.test_switchboard import ALL, CHANNELS, TURN, recipient

OSLO = "Europe/Oslo"
INTERVAL = 1800
NIGHT = (22 * 60, 7 * 60)
FAR = replace(TURN, deadline=4_000_000_000_000)
MAIL = {"email": "a@example.org"}


def seconds(text: str) -> int:
    """Return the seconds since 1970 of a time in Oslo."""
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(OSLO)).timestamp())


def planned(at: str, wishes: Wishes, **more: Any) -> Plan:
    who = recipient(**{**MAIL, "pending": (FAR,), **more, "wishes": wishes})
    return make_plan(who, seconds(at), INTERVAL, **CHANNELS)


def digests(wishes: Wishes, begin: str, days: int, **more: Any) -> list[tuple[str, str]]:
    """Return when digests are sent within these days, checked every minute, and of which day."""
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
        ((60, 8 * 60), 6 * 60, "08:00"),  # does not span midnight
        ((12 * 60, 14 * 60), 13 * 60, "14:00"),
        ((22 * 60, 0), 23 * 60, "00:00"),
        ((0, 1439), 12 * 60, "23:59"),
    ],
)
def test_digest_is_sent_daily_or_when_quiet_hours_end(
    quiet: tuple[int, int] | None, digest_at: int, comes: str
) -> None:
    wishes = Wishes(zone=OSLO, quiet=quiet, digest_at=digest_at, digested_on="2026-06-01")
    expected = [(f"2026-06-0{day} {comes}", f"2026-06-0{day}") for day in (2, 3, 4)]
    assert digests(wishes, "2026-06-02", 3) == expected


def test_digest_in_quiet_hours_is_sent_on_days_of_a_clock_change() -> None:
    wishes = Wishes(zone=OSLO, quiet=(60, 150), digest_at=120, digested_on="2026-03-28")
    assert digests(wishes, "2026-03-29", 2) == [
        ("2026-03-29 03:00", "2026-03-29"),  # half past two does not exist that day
        ("2026-03-30 02:30", "2026-03-30"),
    ]


def test_quiet_hours_set_after_a_digest_cause_no_second_one_that_day() -> None:
    wishes = Wishes(zone=OSLO, quiet=NIGHT, digest_at=22 * 60 + 30, digested_on="2026-06-02")
    assert planned("2026-06-02 12:00", wishes).digest is None
    assert planned("2026-06-03 07:00", wishes).digest == "2026-06-03"
    # After a flight west it is yesterday again, but its digest is not repeated.
    moved_west = replace(wishes, zone="America/New_York", digested_on="2026-06-04")
    assert planned("2026-06-04 03:00", replace(moved_west, quiet=None, digest_at=0)).digest is None


def test_failed_digest_is_retried_after_the_interval() -> None:
    wishes = Wishes(zone=OSLO, digest_at=8 * 60)
    tried = seconds("2026-06-02 08:00")
    assert planned("2026-06-02 08:00", wishes).mail
    assert planned("2026-06-02 08:29", wishes, last_letter_at=tried) == Plan()
    assert planned("2026-06-02 08:30", wishes, last_letter_at=tried).mail
    told = replace(wishes, digested_on="2026-06-02")
    assert planned("2026-06-02 08:30", told, last_letter_at=tried) == Plan()


def test_push_of_a_digest_waits_only_if_there_is_a_letter() -> None:
    wishes = Wishes(zone=OSLO, digest_at=8 * 60)
    just_now = {**ALL, "last_letter_at": seconds("2026-06-02 07:59")}
    assert planned("2026-06-02 08:00", wishes, **just_now).push
    every = replace(wishes, every_channel=True)
    assert planned("2026-06-02 08:00", every, **just_now) == Plan(), (
        "otherwise the day would be recorded without the letter"
    )
    whole = planned("2026-06-02 08:29", every, **just_now)
    assert all((whole.push, whole.webhook, whole.mail))


def test_digest_that_failed_before_midnight_or_quiet_hours_is_still_sent() -> None:
    late = Wishes(zone=OSLO, digest_at=23 * 60 + 50, digested_on="2026-06-01")
    tried = seconds("2026-06-02 23:50")
    assert planned("2026-06-03 00:20", late, last_letter_at=tried).digest == "2026-06-02"
    again = seconds("2026-06-03 00:20")
    assert planned("2026-06-03 00:50", late, last_letter_at=again).digest == "2026-06-02"
    evening = replace(late, digest_at=21 * 60 + 50, quiet=NIGHT)
    tried = seconds("2026-06-02 21:50")
    assert planned("2026-06-02 22:20", evening, last_letter_at=tried).digest is None
    assert planned("2026-06-03 07:00", evening, last_letter_at=tried).digest == "2026-06-02"
    assert planned("2026-06-03 12:00", evening).digest is None, (
        "nothing was attempted: it is sent in the evening"
    )
