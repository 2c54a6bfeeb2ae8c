"""The sweeper: finds rows that are due, claims them for a while, lets their rooms do what is due.

Several workers may sweep at once: a claim is a lease, and the log refuses whatever is done twice.
The heartbeat tells the first worker after an outage how long nobody was there.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from app.play.due import due_at, tick
from app.play.engines import UnknownRules
from app.play.entries import Due
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal

if TYPE_CHECKING:
    from app.play.house import House

__all__ = ["Sweeper"]

_log = logging.getLogger("cartagena.sweeper")
POLL = 1000  # how late a row written by another worker may be found
LEASE = 30_000
LATE = 300  # how long a loaded room may be overdue before it is woken without asking the rows
AT_ONCE = 256  # rooms looked after at once; bots that think must not keep clocks waiting
BEAT_EVERY = 2000
BEAT_GAP = 8000  # longer without a beat: nobody was there


class Sweeper:
    """Due work of all games, loaded or not."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._next = 0
        self._wake = asyncio.Event()
        self._busy: set[str] = set()
        self._is_stopped = False
        self._beaten = 0  # when the last beat was noted

    def nudge(self, at: int) -> None:
        """Something is due at that time: do not sleep past it."""
        if at < self._next:
            self._next = at
            self._wake.set()

    def stop(self) -> None:
        """No new claims; what is under way goes on."""
        self._is_stopped = True
        self._wake.set()

    async def run(self) -> None:
        """Until stopped."""
        clock = self._house.clock
        while not self._is_stopped:
            self._next = clock.now() + POLL
            self._wake.clear()
            self._look_round(clock.now())
            try:
                for due in await self.claim():
                    self._house.spawn(self.handle(due))
            except StoreUnavailable:
                _log.warning("the store does not answer; due work waits")
            while clock.now() < self._next and not self._is_stopped:
                self._wake.clear()
                wait = max(0.0, (self._next - clock.now()) / 1000)
                try:
                    await asyncio.wait_for(self._wake.wait(), wait)
                except TimeoutError:
                    break

    def _look_round(self, now: int) -> None:
        """Wake loaded rooms whose time is over although no row says so.

        A row can be put off by a look at a table whose next entry was still on its way to the disk.
        """
        for room in self._house.rooms:
            due = due_at(room.table, room.presence, now)
            if due is not None and due < now - LATE and room.id not in self._busy:
                room.woken_at = None
                self._house.spawn(self._house.rewake(room))

    async def claim(self) -> list[Due]:
        room_for = AT_ONCE - len(self._busy)
        if room_for <= 0:
            return []
        claimed = await self._house.store.claim_due(self._house.clock.now(), LEASE, room_for)
        self._busy |= {due.game for due in claimed}
        return claimed

    async def sweep(self) -> int:
        """Everything that is due now, one after the other; how many rows. For tests that turn the clock."""
        claimed = await self.claim()
        for due in claimed:
            await self.handle(due)
        return len(claimed)

    async def handle(self, due: Due) -> None:
        """Let one room do what is due and write down when to look again."""
        house = self._house
        try:
            room = await house.rooms.get(due.game)
            if room is None:
                await house.store.settle_due(due, None)
                return
            next_at = await tick(room, house.clock.now())
            await house.store.settle_due(due, next_at)
            room.woken_at = next_at
            if next_at is not None:
                self.nudge(next_at)
            await house.rewake(room)  # somebody may have moved between the look and this note of it
        except (StoreUnavailable, Refusal):
            _log.warning("due work of game %s waits for the store; its lease expires", due.game)
        except UnknownRules:
            _log.warning("game %s needs newer rules than this worker knows", due.game)
        finally:
            self._busy.discard(due.game)

    # -- the heartbeat -----------------------------------------------------------------------------

    async def begin(self) -> None:
        """The first beat. Where there is one worker at most, the one before us is dead: nobody was there
        since its last beat, however short that was, and what it claimed is free.
        """
        is_alone = self._house.bus.is_alone
        await self.beat(0 if is_alone else BEAT_GAP)
        if is_alone:
            try:
                await self._house.store.end_leases()
            except StoreUnavailable:
                _log.warning("leases of the worker before this one could not be ended; they expire")

    async def beat(self, gap: int = BEAT_GAP) -> None:
        """Note that somebody lives; learn of outages that ended."""
        house = self._house
        now = house.clock.now()
        try:
            await house.store.beat(now, gap)
            house.outages = await house.store.outages(now - 40 * 86_400_000)
            self._beaten = now
        except StoreUnavailable:
            _log.warning("no heartbeat: the store does not answer")

    async def be_current(self, now: int) -> None:
        """Before any clock is judged: an outage that has just ended must be known by then.

        Without this, the first sweep after the database is back would run before the first beat.
        """
        if now - self._beaten > BEAT_GAP // 2:
            await self.beat()

    async def keep_beating(self) -> None:
        """Until the house closes."""
        while await self._house.rest(BEAT_EVERY):
            await self.beat()
