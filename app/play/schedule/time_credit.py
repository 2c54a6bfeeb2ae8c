"""Time credit: clocks get back the time in which no worker was running, or the store was unavailable or slow.

Outages of all workers are found by their heartbeats (`OutageTracker.outages`). `StoreDelays` records the shorter ones
of one room: commands that could not be stored, and entries that took long. An entry counts from its time of receipt, so
its sender loses nothing; the next player would, because their clock has been running since then.

A credit is written only when it matters: before another entry is written, and before a clock is checked. Everything due
by then becomes one `credited` entry, however many outages it comes from.
"""

from __future__ import annotations

from app.play.commands.request import Decision
from app.play.log.entries import NO_SEAT, Outage
from app.play.log.table import Table

SLOW_COMMIT_MS = 1000  # the next player is not charged for a commit that takes longer
RESEND_MS = 2000  # after the store recovers, clients resend within this time
SAME_FAILURE_MS = 30_000  # failures less than this apart are one, if nothing was stored in between
MAX_SPANS = 16  # rooms with a clock are credited before their next entry, and others need no credit


class StoreDelays:
    """Spans of time in which the store was unavailable to one room, or slow."""

    __slots__ = ("_stuck_since", "spans")

    def __init__(self) -> None:
        self.spans: list[Outage] = []
        self._stuck_since: int | None = None

    def on_failed(self, at: int) -> None:
        """Record that a command received at `at` could not be stored."""
        if self._stuck_since is not None:
            return
        # If the log can be read but not written, each command recovers and fails again. The time between two of them
        # belongs to the same failure.
        last = self.spans[-1] if self.spans else None
        is_same = last is not None and at - last.ended <= SAME_FAILURE_MS
        self._stuck_since = last.began if last is not None and is_same else at

    def on_recovered(self, now: int, *, is_timed: bool) -> None:
        """Record that the log can be read again. The failure needs a credit only if a clock is running."""
        since, self._stuck_since = self._stuck_since, None
        if since is not None and is_timed:
            self._add(since, now + RESEND_MS)

    def on_stored(self, at: int, now: int) -> None:
        """Record that a command received at `at` is stored now."""
        if now - at > SLOW_COMMIT_MS:
            self._add(at, now)

    def on_credited(self) -> None:
        """Drop the spans, which are in the log now."""
        self.spans = []

    def _add(self, began: int, ended: int) -> None:
        if self.spans and began <= self.spans[-1].ended:  # overlapping: one span
            last = self.spans.pop()
            began, ended = min(began, last.began), max(ended, last.ended)
        self.spans = [*self.spans[1 - MAX_SPANS :], Outage(began, ended)]


def decide_credit(table: Table, outages: list[Outage], delays: StoreDelays) -> Decision | None:
    """Return the entry that credits all outages to the running clocks; None if no credit is due.

    Its span ends with the last outage and is as long as all outages together.
    """
    timed = table.time_runs_since()
    if timed is None:
        return None
    covered = max(timed, table.credited_to)  # time up to here has been credited, or was counted by no clock
    uncredited = [span for span in (*outages, *delays.spans) if span.ended > covered]
    if not uncredited:
        return None
    lost = 0
    for span in sorted(uncredited, key=lambda span: span.began):
        lost += max(0, span.ended - max(span.began, covered))
        covered = max(covered, span.ended)
    return Decision("credited", NO_SEAT, {"began": covered - lost, "ended": covered})
