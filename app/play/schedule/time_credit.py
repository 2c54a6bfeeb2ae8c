"""Time that counts for nobody: no worker, or no store, was there. It is given back to the clocks by an entry.

An outage of all workers shows in their heartbeat. `Delays` are the shorter ones, in one room: a command that
could not be stored, and an entry that took long to be. Its time is when it was received, so whoever moved loses
nothing; whoever moves next would, for their clock has run since then.
"""

from __future__ import annotations

from app.play.commands.proposal import Proposal
from app.play.log.entries import NOBODY, Outage
from app.play.log.table import Table

SLOW = 1000  # a commit that takes longer is the store's fault, not the next player's
AGAIN = 2000  # what could not be stored comes again a moment after the store is back
KEPT = 16  # spans: a clock that runs is credited before the next command, a room without one never asks


class Delays:
    """What one room has to give back to its clocks."""

    __slots__ = ("_spans", "_stuck_since")

    def __init__(self) -> None:
        self._spans: list[Outage] = []
        self._stuck_since: int | None = None

    def failed(self, at: int) -> None:
        """Something received at that time could not be stored."""
        if self._stuck_since is None:
            self._stuck_since = at

    def stored(self, at: int, now: int) -> None:
        """Something received at `at` is stored now."""
        if now - at <= SLOW:
            return
        if self._spans and at <= self._spans[-1].ended:  # waited for together: one span
            last = self._spans.pop()
            at, now = min(at, last.began), max(now, last.ended)
        self._spans = [*self._spans[1 - KEPT :], Outage(at, now)]

    def to_credit(self, now: int) -> list[Outage]:
        if self._stuck_since is None:
            return self._spans
        return [*self._spans, Outage(self._stuck_since, now + AGAIN)]

    def credited(self) -> None:
        """All of it is in the log."""
        self._spans = []
        self._stuck_since = None


def next_credit(table: Table, outages: list[Outage], delays: Delays, now: int) -> Proposal | None:
    """The next time span to give back, if a clock has counted one; asked again until there is none."""
    timed = table.timed_since()
    if timed is None:
        return None
    since = max(timed, table.credited_to)
    for outage in (*outages, *delays.to_credit(now)):
        if outage.ended > since:
            began = max(outage.began, table.credited_to)  # no time is given twice
            return Proposal("credited", NOBODY, {"began": began, "ended": outage.ended})
    return None
