"""A person's statistics over all deals: streaks, and the results that count."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from app.play.deal.days import count_streaks, day_ends_at
from app.play.deal.results import LOSS_BASE_SCORE, RESIGNED_SCORE


class FinishedTry(msgspec.Struct, frozen=True):
    """A try with a result."""

    day: str
    n: int
    ended_at: int
    score: int


class DealStatistics(msgspec.Struct, frozen=True):
    """Streaks in days, whether today's deal is played, and the results that count; turns are those of wins."""

    streak: int
    best_streak: int
    has_played_today: bool
    played: int
    won: int
    best_turns: int | None
    average_turns: float | None


def summarise_tries(tries: Sequence[FinishedTry], today: str) -> DealStatistics:
    """Return the statistics; `tries` are in the order of their days, newest first.

    A streak counts every day whose deal was played to the end, also in a later try or after midnight. The results are
    those of the lists: first tries that ended within their day.
    """
    days = list(dict.fromkeys(each.day for each in tries if each.score < RESIGNED_SCORE))
    streak, best = count_streaks(days, today)
    counted = {
        each.day: each.score for each in tries if each.n == 1 and each.ended_at < day_ends_at(each.day)
    }
    wins = [score for score in counted.values() if score < LOSS_BASE_SCORE]
    return DealStatistics(
        streak=streak,
        best_streak=best,
        has_played_today=today in days[:1],
        played=len(counted),
        won=len(wins),
        best_turns=min(wins, default=None),
        average_turns=round(sum(wins) / len(wins), 1) if wins else None,
    )
