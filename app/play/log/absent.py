"""Which entries concern people who are away, so that app/notify must look at the game."""

from __future__ import annotations

from app.play.log.table import Table


def concerns_absent(before: Table, after: Table, kind: str) -> bool:
    """Return whether someone who is away may have to be notified of this entry.

    In a game over days: of every change of the seats to act, the deadline or the status. In a live game: when the
    table becomes full, changes its status or names a rematch, so that its moves cost nothing
    (the room does not ask about them).
    """
    if after.terms.clock.kind == "days":
        return (
            before.status != after.status
            or kind == "rematch"
            or before.awaited() != after.awaited()
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
