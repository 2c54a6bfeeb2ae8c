"""Days of the deal, from midnight to midnight UTC: what is played on each weekday and against which bots."""

from __future__ import annotations

import re
import secrets
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec

from app import rules

DAY_MS = 86_400_000  # every day: UTC has no daylight saving time
_DAY_PATTERN = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")

# Options (without the number of players) and bots from Monday to Sunday, of increasing difficulty. Each decision of a
# bot is bounded in nodes (bot_budget.py), so that all games of a day cost the server little.
_WEEKLY_PLAN: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({"preset": "jamaica"}, ("sailor", "sailor")),
    ({"preset": "first-escape"}, ("mate", "sailor")),
    ({"preset": "tortuga"}, ("mate", "mate")),
    ({"preset": "hispaniola"}, ("captain", "mate")),
    ({"preset": "dungeon", "black_magic": True}, ("captain", "mate")),
    ({"preset": "jungle"}, ("captain", "captain")),
    ({"preset": "complete"}, ("legend",)),
)


class Deal(msgspec.Struct, frozen=True):
    """One day's deal. `server_seed` stays secret until the day is over."""

    day: str
    server_seed: str
    commitment: str
    options: dict[str, Any]
    opponents: tuple[str, ...]
    made_at: int  # milliseconds

    @property
    def was_early(self) -> bool:
        """Whether the deal was fixed before its day began; not so if no server ran the day before."""
        return self.made_at < day_starts_at(self.day)


def day_of(at: int) -> str:
    """Return the day of a time in milliseconds."""
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()


def parse_day(text: str) -> str | None:
    """Return the day, or None if the text is not one."""
    if not _DAY_PATTERN.match(text):
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def day_starts_at(day: str) -> int:
    """Return the start of the day in milliseconds."""
    start = date.fromisoformat(day)
    return int(datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp()) * 1000


def day_ends_at(day: str) -> int:
    """Return the end of the day in milliseconds, exclusive."""
    return day_starts_at(day) + DAY_MS


def add_days(day: str, days: int = 1) -> str:
    return (date.fromisoformat(day) + timedelta(days)).isoformat()


def is_deal_secret(day: str | None, now: int) -> bool:
    """Return whether the deal's day is not over, so that only its players may see anything of it."""
    return day is not None and now < day_ends_at(day)


def plan_day(day: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options and the opponents of a day."""
    options, opponents = _WEEKLY_PLAN[date.fromisoformat(day).weekday()]
    parsed = rules.parse_options({**options, "players": 1 + len(opponents)})
    return rules.options_to_json(parsed), opponents


def new_deal(day: str, now: int) -> Deal:
    """Return a deal with a new secret. Several workers may make one; the first that is stored counts."""
    options, opponents = plan_day(day)
    server_seed = secrets.token_hex(32)
    return Deal(day, server_seed, rules.commitment_of(server_seed), options, opponents, now)


def count_streaks(played: list[str], today: str) -> tuple[int, int]:
    """Return the current and the longest streak of days; `played` are the days finished, newest first.

    A streak that reaches yesterday is current: today does not break it before it is over.
    """
    best = run = present = 0
    expected: str | None = None
    is_present = bool(played) and played[0] in (today, add_days(today, -1))
    for day in played:
        if day != expected:
            if expected is not None:
                is_present = False
            run = 0
        run += 1
        best = max(best, run)
        if is_present:
            present = run
        expected = add_days(day, -1)
    return present, best
