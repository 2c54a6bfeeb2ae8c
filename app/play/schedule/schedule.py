"""When a worker must next look for due work, and its heartbeat: whether an outage would be known by now.

The heartbeat tells the first worker after an outage how long nobody was there.
"""

from __future__ import annotations

import logging

from app.play.alarm import Alarm
from app.play.log.entries import Outage
from app.play.ports import Clock, GameStore, StoreUnavailable
from app.play.tasks import wait_until_answered

_log = logging.getLogger("cartagena.schedule")
HEARTBEAT_SECONDS = 2.0
HEARTBEAT_GAP = 8000  # longer without a heartbeat: nobody was there
_REMEMBERED = 40 * 86_400_000  # how far back outages matter to a clock


class Schedule(Alarm):
    """When the due work of one worker is next due, and its heartbeat."""

    def __init__(self, store: GameStore, clock: Clock, *, is_alone: bool) -> None:
        super().__init__(clock)
        self.store = store
        self.outages: list[Outage] = []
        self._is_alone = is_alone
        self._heartbeat_at = 0  # when the last one was noted

    # -- the heartbeat -----------------------------------------------------------------------------

    async def begin(self) -> None:
        """The first heartbeat. Where there is one worker at most, the one before us is dead: nobody was there
        since its last one, however short that was, and what it claimed is free.
        """
        # Only the first one knows that nobody was there: were it left out, a short gap would count for the clocks.
        await wait_until_answered(lambda: self._heartbeat(0 if self._is_alone else HEARTBEAT_GAP))
        if self._is_alone:
            await wait_until_answered(self.store.end_leases)

    async def heartbeat(self) -> None:
        """Note that somebody lives; learn of outages that ended."""
        try:
            await self._heartbeat(HEARTBEAT_GAP)
        except StoreUnavailable:
            _log.warning("no heartbeat: the store does not answer")

    async def _heartbeat(self, gap: int) -> None:
        now = self.clock.now()
        await self.store.heartbeat(now, gap)
        self.outages = await self.store.outages(now - _REMEMBERED)
        self._heartbeat_at = now

    def is_current(self, now: int) -> bool:
        """Whether an outage would be known by now."""
        return now - self._heartbeat_at <= HEARTBEAT_GAP // 2

    async def be_current(self, now: int) -> None:
        """Before any clock is judged: an outage that has just ended must be known by then.

        Without this, the first sweep after the database is back would run before the first heartbeat.
        """
        if not self.is_current(now):
            await self.heartbeat()


class Wakeup:
    """When a room's row will have the sweeper come, as far as this worker knows: never earlier than the row says.

    An entry may leave the row alone only if a sweep is sure to come in time *and* to see that entry. So:
    - a sweep uses the row's time up. From its beginning until the next time is written down nothing is known,
      and every entry writes its own time, in its own transaction; the sweep's note then gives way to it;
    - a sweep begins with the room's lock, so that an entry decided on what was known before is in place by then;
    - where other workers sweep as well nothing is ever known: the row is asked in the entry's transaction.
    """

    __slots__ = ("_is_alone", "at", "sweeps")

    def __init__(self, *, is_alone: bool) -> None:
        self._is_alone = is_alone
        self.at: int | None = None
        self.sweeps = 0  # how many sweeps have begun

    def begin_sweep(self) -> int:
        """The row's time is being used up; the number of this sweep."""
        self.at = None
        self.sweeps += 1
        return self.sweeps

    def note(self, at: int | None, sweeps: int) -> None:
        """The row was written with this time, begun when so many sweeps had begun: a later one has used it up."""
        if self._is_alone and sweeps == self.sweeps:
            self.at = at

    def is_set_for(self, due: int) -> bool:
        """Whether the row is known to be no later."""
        return self.at is not None and self.at <= due
