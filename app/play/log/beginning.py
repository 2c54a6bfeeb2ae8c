"""With whom a game can begin, and when one that was made for a rematch does by itself."""

from __future__ import annotations

from typing import Any

from app.play.log.table import Table
from app.rules import RuleError

ALL_HERE = 1000  # milliseconds after the last one is ready: time for a program that begins by itself
WAIT = 30_000  # after the second one is ready: who has not come by then is not waited for


def ready_seats(table: Table) -> list[int]:
    """Seats that are taken and ready."""
    return [number for number, seat in enumerate(table.seats) if seat.is_taken and seat.ready]


def options_for(table: Table, players: int) -> dict[str, Any]:
    """The options once empty seats have closed up; raises RuleError where they do not fit so many."""
    options = {**table.rules.options_to_json(table.options), "players": players}
    table.rules.parse_options(options)
    return options


def begins_at(table: Table) -> int | None:
    """When the game begins without anybody's command: after a rematch, and if those who are ready can play."""
    series = table.series
    if series is None or table.status != "open" or table.round is not None:
        return None
    waits = ((series.all_since, ALL_HERE), (series.two_since, WAIT))
    times = [since + wait for since, wait in waits if since is not None]
    return min(times) if times and _can_begin(table) else None


def _can_begin(table: Table) -> bool:
    order = ready_seats(table)
    people = [table.seats[number] for number in order if table.seats[number].bot is None]
    if len(order) < 2 or not people or (table.scheme == 2 and any(seat.seal is None for seat in people)):
        return False
    try:
        options_for(table, len(order))
    except RuleError:
        return False
    return True
