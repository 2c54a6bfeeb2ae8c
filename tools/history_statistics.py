"""Ratings and practice in the history of a busy server (history.py)."""

from __future__ import annotations

from collections.abc import Mapping

Tables = dict[str, tuple[int, Mapping[str, str]]]


def rating_tables(games: int, others: int, people: int, owned: Mapping[str, str], created: str) -> Tables:
    """Return the number of rows of each table of ratings, and its columns as SQL of the row number n.

    `owned` are the columns of a person and a game, `created` is the time at which the game was created.
    """
    return {
        "ratings": (
            others,
            {
                "person": owned["person"],
                "pool": "'duel-hidden'",
                "mu": "20 + n % 10",
                "sigma": "3",
                "games": "30",
                "last_at": created,
            },
        ),
        "rating_changes": (
            games,
            {
                **owned,
                "seat": "0",
                "pool": "'duel-hidden'",
                "ended_at": f"{created} + 3600000",
                "company": f"'c' || (n % {people})",
                "rank": "1",
                "timed_out": "n % 50 = 1",
                "weight": "1",
                **dict.fromkeys(("mu_before", "mu"), "25"),
                **dict.fromkeys(("sigma_before", "sigma"), "3"),
                "games": f"n / {people} + 1",
            },
        ),
        "rating_settings": (
            others,
            {"person": owned["person"], "hides_ratings": "n % 9 = 1", "is_withheld": "n % 7 = 1"},
        ),
    }


def practice_tables(others: int, owned: Mapping[str, str], age: str, now: int) -> Tables:
    """Return the same for the tables of practice; `age` is a time in the last months."""
    return {
        "mistakes": (
            others,
            {
                **owned,
                **dict.fromkeys(("seat", "best", "played", "stage", "tries"), "1"),
                "step": "n % 60",
                "found_at": age,
            },
        ),
        "mistake_searches": (others, {**owned, "asked_at": age, "lease_until": "0", "done_at": f"{now}"}),
    }
