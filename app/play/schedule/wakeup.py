"""When an entry must write the room's due row, which causes a sweep at its time."""

from __future__ import annotations

from app.play.log.table import Table
from app.play.presence import Presence
from app.play.schedule.due import next_due_at


class Wakeup:
    """This worker's knowledge of the due row of one room, so that nearly all actions can leave the row unchanged.

    Invariant: while `_at` is not None, the row has that time or an earlier one, and the sweep at that time sees every
    entry stored until then. An entry whose work is due no earlier need not write the row.

    The row has three writers. A sweep uses the row's time up, so each writer passes `set_row_time` the number of sweeps
    that had begun before its write:

    - An entry writes `row_time_after_entry` in its own transaction. It holds the room's lock; a sweep needs the lock to
      begin.
    - A change of presence writes `row_time_after_change` without the lock, so a sweep may begin meanwhile.
    - A sweep writes the next time when it ends. Until then the row's time is unknown, and each entry writes its own
      time, which wins over the sweep's in the store.

    With several workers the row's time is never known, because others sweep too.
    """

    __slots__ = ("_at", "_is_single_worker", "sweeps")

    def __init__(self, *, is_single_worker: bool) -> None:
        self._is_single_worker = is_single_worker
        self._at: int | None = None
        self.sweeps = 0  # sweeps that have begun

    def begin_sweep(self) -> int:
        """Forget the row's time, which a sweep uses up; return the sweep's number. The caller holds the room's lock."""
        self._at = None
        self.sweeps += 1
        return self.sweeps

    def set_row_time(self, at: int | None, sweeps: int) -> None:
        """Record the row's time after a write that began after so many sweeps."""
        if self._is_single_worker and sweeps == self.sweeps:
            self._at = at

    def row_time_after_entry(self, table: Table, presence: Presence, kind: str, now: int) -> int | None:
        """Return the time that an entry of this kind must write; None if the row can stay unchanged.

        `table` is the table after the entry.
        """
        # Before the start `clocks` is None: a player who stands up or is ready may make something due earlier.
        is_untimed = table.clocks is not None and not table.clocks.is_timed
        if is_untimed and not table.list_bots_to_act():
            earliest = presence.earliest_absence_at(table)
            if self._at is not None and self._at <= earliest:
                return None  # only an absence can be due
            if kind == "action" and not table.votes and not table.consents and not table.is_over:
                return earliest if table.terms.absence else None
        return self.row_time_after_change(table, presence, now)

    def row_time_after_change(self, table: Table, presence: Presence, now: int) -> int | None:
        """Return the time to write after a change of presence; None if the row can stay unchanged."""
        due = next_due_at(table, presence, now)
        return None if due is None or (self._at is not None and self._at <= due) else due
