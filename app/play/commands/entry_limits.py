"""Limits on log entries other than actions: each must change something, and each person may write a bounded number.

Every client that opens a table causes its whole log to be read, so the log must stay short. The allowance is per
person, so that no player can use up another's. During a game it grows with the actions that stand; a long game with
many undos never reaches it. Before the start, all guests together have a limit as well, beyond which each guest may
still write the few entries that sitting down takes. The host has an allowance of their own. Entries that the server
writes by itself (absences, takeovers, time credits) are limited by time and not counted.
"""

from __future__ import annotations

from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.request import Decision, Request
from app.play.log.entries import Entry
from app.play.log.fold import fold_copy
from app.play.log.table import Table
from app.play.refusals import Refusal

MAX_ENTRIES_BY_PERSON = 500  # in a game, or by the host before the start
MAX_ENTRIES_BY_PERSON_PER_ACTION = 3  # added for each action that stands
# Before the start, by people who are not the host:
MAX_ENTRIES_BY_GUEST = 100
MAX_ENTRIES_BY_ALL_GUESTS = 1_000
MIN_ENTRIES_BY_GUEST = 10  # granted beyond the shared limit: enough to sit, seal and be ready

# Never refused. None of these can be repeated without an entry that is counted, or without waiting for a clock.
_UNLIMITED_COMMANDS = (
    cmd.Start,
    cmd.OpenSeal,
    cmd.VoidRound,
    cmd.StandUp,
    cmd.RemoveFromSeat,
    cmd.CloseTable,
    cmd.ReturnToSeat,
    cmd.Rematch,
)
_ALWAYS_CHANGING_KINDS = frozenset(
    ("sealed", "frozen", "opened", "voided", "started", "undo", "returned", "rematch", "hint")
)


def check_change(table: Table, request: Request[Any], decision: Decision) -> None:
    """Raise Refusal if the person has no allowance left or the entry would change nothing."""
    if not isinstance(request.command, _UNLIMITED_COMMANDS) and not _is_needed_to_begin(
        table, request, decision
    ):
        check_entry_limit(table, request.actor.ids)
    if decision.kind not in _ALWAYS_CHANGING_KINDS and not _is_change(table, decision):
        raise Refusal("no_change")


def _is_needed_to_begin(table: Table, request: Request[Any], decision: Decision) -> bool:
    """Return whether the game cannot begin without this entry of a seated player.

    Such an entry is never refused: otherwise strangers could keep a game from starting by using up the shared
    allowance. Repeating it takes an entry that is counted, or another start.
    """
    match request.command:
        case cmd.SetReady(ready=ready):
            return ready
        case cmd.Seal():
            return table.seats[decision.seat].seal is None
    return False


def check_entry_limit(table: Table, ids: tuple[str, ...]) -> None:
    """Raise Refusal when this person has written as many entries other than actions as they may."""
    written = sum(table.change_counts.get(person, 0) for person in ids)
    if written >= _compute_entry_limit(table, ids):
        raise Refusal("too_many_changes")


def _compute_entry_limit(table: Table, ids: tuple[str, ...]) -> int:
    if table.status != "open":
        return MAX_ENTRIES_BY_PERSON + MAX_ENTRIES_BY_PERSON_PER_ACTION * table.action_count
    if table.host in ids:
        return MAX_ENTRIES_BY_PERSON
    by_guests = sum(table.change_counts.values()) - table.change_counts.get(table.host, 0)
    is_used_up = by_guests >= MAX_ENTRIES_BY_ALL_GUESTS
    return MIN_ENTRIES_BY_GUEST if is_used_up else MAX_ENTRIES_BY_GUEST


def _is_change(table: Table, made: Decision) -> bool:
    entry = Entry(table.id, table.seq + 1, made.kind, made.seat, made.body, "person", table.at)
    return _changeable_state(table) != _changeable_state(fold_copy(table, entry)[0])


def _changeable_state(table: Table) -> tuple[object, ...]:
    """Return everything that an entry other than an action can change, without numbers and times."""
    return (
        table.status,
        table.is_paused,
        table.host,
        table.chat_closed,
        table.consents,
        table.votes,
        table.seats,
        table.removed,
    )
