"""Automatic starts: when a table made for a rematch, or opened from a screen, starts without a command."""

from __future__ import annotations

from typing import Any

from app.play.log.table import Table
from app.rules import RuleError

# Of a rematch:
START_DELAY_ALL_READY_MS = 1000  # time for a client that sends the start command by itself
START_DELAY_TWO_READY_MS = 30_000  # players who are not ready by then are left out
# Of a table opened from a screen, where all seated players are ready:
START_DELAY_FULL_MS = 3_000
START_DELAY_FREE_SEATS_MS = 10_000  # a player who sits down meanwhile stops the countdown


def list_ready_seats(table: Table) -> list[int]:
    """Return the seats that are taken and ready."""
    return [number for number, seat in enumerate(table.seats) if seat.is_taken and seat.ready]


def are_all_ready(table: Table) -> bool:
    """Return whether all seated players are ready, enough to play, and not only bots."""
    taken = [seat for seat in table.seats if seat.is_taken]
    return (
        len(taken) > 1
        and all(seat.ready for seat in taken)
        and any(seat.person is not None for seat in taken)
    )


def options_for_players(table: Table, players: int) -> dict[str, Any]:
    """Return the table's options for this number of players. Raises RuleError if they do not allow it."""
    options = {**table.rules.options_to_json(table.options), "players": players}
    table.rules.parse_options(options)
    return options


def automatic_start_at(table: Table) -> int | None:
    """Return when the game starts without a command; None if it does not, or the ready players cannot play."""
    series = table.series
    if table.status != "open" or table.seal_round is not None:
        return None
    waits: list[tuple[int | None, int]] = []
    if series is not None:
        waits += (series.all_since, START_DELAY_ALL_READY_MS), (series.two_since, START_DELAY_TWO_READY_MS)
    if table.is_from_screen:
        is_full = not any(seat.is_free for seat in table.seats)
        waits.append((table.ready_since, START_DELAY_FULL_MS if is_full else START_DELAY_FREE_SEATS_MS))
    times = [since + wait for since, wait in waits if since is not None]
    return min(times) if times and _can_begin(table) else None


def _can_begin(table: Table) -> bool:
    order = list_ready_seats(table)
    people = [table.seats[number] for number in order if table.seats[number].bot is None]
    if len(order) < 2 or not people or any(seat.seal is None for seat in people):
        return False
    try:
        options_for_players(table, len(order))
    except RuleError:
        return False
    return True
