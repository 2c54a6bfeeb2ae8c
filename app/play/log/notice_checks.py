"""Which entries need a notice check, because they may concern people who are away (app/notify)."""

from __future__ import annotations

from app.play.log.table import Table


def needs_notice_check(before: Table, after: Table, kind: str) -> bool:
    """Return whether someone who is away may need a notice of this entry.

    By correspondence: after every change of the awaited seats, the deadline or the status. In a live game: when the
    table becomes full, changes its status or names a rematch. The room does not call this for moves of live games, so
    they cost nothing.
    """
    if after.terms.clock.is_correspondence:
        return (
            before.status != after.status
            or kind == "rematch"
            or before.list_awaited_seats() != after.list_awaited_seats()
            or before.deadline() != after.deadline()
            or _has_become_full(before, after)
        )
    if after.deal is not None:
        return False
    return before.status != after.status or kind == "rematch" or _has_become_full(before, after)


def _has_become_full(before: Table, after: Table) -> bool:
    return (
        after.status == "open"
        and all(seat.is_taken for seat in after.seats)
        and not all(seat.is_taken for seat in before.seats)
    )
