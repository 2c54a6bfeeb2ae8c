"""Time credit: clocks get back the time in which no worker was running, or the store could not store anything.

Outages of all workers show in their heartbeat (`Schedule.outages`). `Delays` holds the shorter ones of one room: a
command that could not be stored, and an entry that took long to be. An entry counts from when it was received, so its
sender loses nothing; the next player would, because their clock has run since then.

A credit is written only when something depends on it: before an entry that is about to be written, and before a clock
is judged. Everything owed by then becomes one `credited` entry, however many restarts it came from.
"""

from __future__ import annotations

from app.play.commands.proposal import Proposal
from app.play.log.entries import NOBODY, Outage
from app.play.log.table import Table

SLOW_COMMIT_MS = 1000  # a commit that takes longer is the store's fault, not the next player's
RESEND_MS = 2000  # clients send again what could not be stored within this time after the store is back
SAME_FAILURE_MS = 30_000  # failures no further apart are one, as long as nothing was stored in between
MAX_SPANS = 16  # a room with a clock is credited before its next entry; a room without one never is


class Delays:
    """Spans in which one room could not store anything, or took long to."""

    __slots__ = ("_stuck_since", "spans")

    def __init__(self) -> None:
        self.spans: list[Outage] = []
        self._stuck_since: int | None = None

    def on_failed(self, at: int) -> None:
        """Note that something received at `at` could not be stored."""
        if self._stuck_since is not None:
            return
        # Where the log can be read but not written, each command recovers and fails anew. No clock is charged for the
        # time between two of them.
        last = self.spans[-1] if self.spans else None
        is_same = last is not None and at - last.ended <= SAME_FAILURE_MS
        self._stuck_since = last.began if last is not None and is_same else at

    def on_recovered(self, now: int, *, is_timed: bool) -> None:
        """Note that the log can be read again. The failure is over; it cost time only if a clock runs."""
        since, self._stuck_since = self._stuck_since, None
        if since is not None and is_timed:
            self._add(since, now + RESEND_MS)

    def on_stored(self, at: int, now: int) -> None:
        """Note that something received at `at` is stored now."""
        if now - at > SLOW_COMMIT_MS:
            self._add(at, now)

    def on_credited(self) -> None:
        """Forget the spans: the log has them."""
        self.spans = []

    def _add(self, began: int, ended: int) -> None:
        if self.spans and began <= self.spans[-1].ended:  # overlapping: one span
            last = self.spans.pop()
            began, ended = min(began, last.began), max(ended, last.ended)
        self.spans = [*self.spans[1 - MAX_SPANS :], Outage(began, ended)]


def next_credit(table: Table, outages: list[Outage], delays: Delays) -> Proposal | None:
    """Return the entry that gives back all that the running clocks have counted wrongly; None if nothing is owed.

    Its span ends with the last outage and is as long as all of them together, which is what the clocks get back.
    """
    timed = table.timed_since()
    if timed is None:
        return None
    covered = max(timed, table.credited_to)  # time up to here has been credited, or was counted by no clock
    owed = [span for span in (*outages, *delays.spans) if span.ended > covered]
    if not owed:
        return None
    lost = 0
    for span in sorted(owed, key=lambda span: span.began):
        lost += max(0, span.ended - max(span.began, covered))
        covered = max(covered, span.ended)
    return Proposal("credited", NOBODY, {"began": covered - lost, "ended": covered})
