"""The part of a busy server's history (tools/history.py) that is about friends."""

from __future__ import annotations

from collections.abc import Mapping

_DAY = 86_400


def friend_tables(others: int, now: int, player: str, other: str) -> dict[str, tuple[int, Mapping[str, str]]]:
    """Return the number of rows of each table, and its columns as SQL; `player` and `other` are ids in row n."""
    asked_at, seen_at = (f"{now} - CAST(n % {days} AS bigint) * {_DAY}" for days in (85, 25))
    request = {"player": player, "asked": other, "at": asked_at, "is_withdrawn": "1 = 0"}
    note = {"player": player, "about": other, "text": "'Plays fast.'", "at": f"{now}"}
    shown = {"player": player, "shows_online": "1 = 1", "shows_seen": "1 = 1", "seen_at": seen_at}
    return {
        "friendships": (others, {"player": player, "friend": other, "since": f"{now}"}),
        "friend_requests": (others, request),
        "player_notes": (others, note),
        "friend_settings": (others, shown),
    }
