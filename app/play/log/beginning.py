"""With whom a game can begin, and when one does by itself: after a rematch, and at a table opened from a screen."""

from __future__ import annotations

from typing import Any

from app.play.log.table import Table
from app.rules import RuleError

ALL_HERE = 1000  # milliseconds after the last one is ready: time for a program that begins by itself
WAIT = 30_000  # after the second one is ready: who has not come by then is not waited for
GATHERED = 3_000  # at a table opened from a screen, when all its seats are taken and ready
GATHERING = 10_000  # and while there are free ones: whoever is about to sit down there stops it by doing so


def ready_seats(table: Table) -> list[int]:
    """Seats that are taken and ready."""
    return [number for number, seat in enumerate(table.seats) if seat.is_taken and seat.ready]


def are_all_ready(table: Table) -> bool:
    """Whether all who sit are ready, and enough to play; somebody must be a person."""
    taken = [seat for seat in table.seats if seat.is_taken]
    return (
        len(taken) > 1
        and all(seat.ready for seat in taken)
        and any(seat.person is not None for seat in taken)
    )


def options_for(table: Table, players: int) -> dict[str, Any]:
    """The options once empty seats have closed up; raises RuleError where they do not fit so many."""
    options = {**table.rules.options_to_json(table.options), "players": players}
    table.rules.parse_options(options)
    return options


def begins_at(table: Table) -> int | None:
    """When the game begins without anybody's command, if those who are ready can play."""
    series = table.series
    if table.status != "open" or table.round is not None:
        return None
    waits: list[tuple[int | None, int]] = []
    if series is not None:
        waits += (series.all_since, ALL_HERE), (series.two_since, WAIT)
    if table.is_from_screen:
        is_full = not any(seat.is_free for seat in table.seats)
        waits.append((table.ready_since, GATHERED if is_full else GATHERING))
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
