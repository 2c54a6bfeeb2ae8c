"""Days of the deal: they begin and end at midnight UTC; what is played on which weekday, and against whom."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec

from app import rules

DAY = 86_400_000  # UTC has no summer time: every day is as long
_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")

# From Monday to Sunday: options beyond the players, and the bots on the seats after the person's. The week grows
# harder. A thought is bounded in nodes (thinking.py), so that all of a day's bots together cost a server little.
_WEEK: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({"preset": "jamaica"}, ("sailor", "sailor")),
    ({"preset": "first-escape"}, ("mate", "sailor")),
    ({"preset": "tortuga"}, ("mate", "mate")),
    ({"preset": "hispaniola"}, ("captain", "mate")),
    ({"preset": "dungeon", "black_magic": True}, ("captain", "mate")),
    ({"preset": "jungle"}, ("captain", "captain")),
    ({"preset": "complete"}, ("legend",)),
)


class Deal(msgspec.Struct, frozen=True):
    """One day's deal as it was fixed. `server_seed` is nobody's business before the day is over."""

    day: str
    server_seed: str
    commitment: str
    options: dict[str, Any]
    opponents: tuple[str, ...]
    made_at: int  # milliseconds

    @property
    def was_early(self) -> bool:
        """Whether it was fixed before its day began; a server that was off the day before could not."""
        return self.made_at < begins_at(self.day)


def day_of(at: int) -> str:
    """The day in which this moment (milliseconds) lies."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


def parse_day(text: str) -> str | None:
    """The day, or None where this is not one."""
    if not _FORM.match(text):
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def begins_at(day: str) -> int:
    """Its first moment, in milliseconds."""
    found = date.fromisoformat(day)
    return int(datetime(found.year, found.month, found.day, tzinfo=UTC).timestamp()) * 1000


def ends_at(day: str) -> int:
    """The first moment that is no longer part of it."""
    return begins_at(day) + DAY


def next_day(day: str, days: int = 1) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def is_sealed(day: str | None, now: int) -> bool:
    """Whether nobody may be told more of this deal than who plays it sees: its day is not over."""
    return day is not None and now < ends_at(day)


def plan_of(day: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What is played on this day: options and opponents."""
    options, opponents = _WEEK[date.fromisoformat(day).weekday()]
    parsed = rules.parse_options({**options, "players": 1 + len(opponents)})
    return rules.options_to_json(parsed), opponents


def new_deal(day: str, now: int) -> Deal:
    """A deal with a secret of its own. Whoever stores it first has made it; the others' are dropped unseen."""
    options, opponents = plan_of(day)
    server_seed = secrets.token_hex(32)
    return Deal(day, server_seed, rules.commitment_of(server_seed), options, opponents, now)


def streak(played: list[str], today: str) -> tuple[int, int]:
    """Of the days played to the end, newest first: how many in a row up to now, and the most there ever were.

    Today breaks nothing before it is over.
    """
    best = run = present = 0
    expected: str | None = None
    is_present = bool(played) and played[0] in (today, next_day(today, -1))
    for day in played:
        if day != expected:
            if expected is not None:
                is_present = False
            run = 0
        run += 1
        best = max(best, run)
        if is_present:
            present = run
        expected = next_day(day, -1)
    return present, best
