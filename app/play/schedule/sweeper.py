"""The sweeper: finds rows that are due, claims them for a while, lets their rooms do what is due.

Several workers may sweep at once: a claim is a lease, and the log refuses whatever is done twice.
The heartbeat tells the first worker after an outage how long nobody was there.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from app.play.engines import UnknownRules
from app.play.log.entries import Due
from app.play.ports import News, StoreUnavailable
from app.play.refusals import Refusal
from app.play.retry import wait_until_answered
from app.play.schedule.due import due_at, tick

if TYPE_CHECKING:
    from app.play.server import GameServer

__all__ = ["Sweeper"]

_log = logging.getLogger("cartagena.sweeper")
POLL = 1000  # how late a row written by another worker may be found
LEASE = 30_000
LATE = 300  # how long a loaded room may be overdue before somebody asks whether it has a row
ROUND = 200  # loaded rooms that are asked in one round
AT_ONCE = 256  # rooms looked after at once; bots that think must not keep clocks waiting
HEARTBEAT_EVERY = 2000
HEARTBEAT_GAP = 8000  # longer without a beat: nobody was there


class Sweeper:
    """Due work of all games, loaded or not."""

    def __init__(self, game_server: GameServer) -> None:
        self._game_server = game_server
        self._next = 0
        self._wake = asyncio.Event()
        self._busy: set[str] = set()
        self._rounds = 0
        self._rounded = 0  # when the last round was
        self._late: set[str] = set()  # rooms that were found overdue, and without a row, in the last round
        self._is_stopped = False
        self._heartbeat_at = 0  # when the last beat was noted

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
        clock = self._game_server.clock
        while not self._is_stopped:
            self._next = clock.now() + POLL
            self._wake.clear()
            try:
                if clock.now() - self._rounded >= POLL:
                    self._rounded = clock.now()
                    await self.find_missed(self._rounded)
                for due in await self.claim():
                    self._game_server.spawn(self.handle(due))
            except StoreUnavailable:
                _log.warning("the store does not answer; due work waits")
            while clock.now() < self._next and not self._is_stopped:
                self._wake.clear()
                wait = max(0.0, (self._next - clock.now()) / 1000)
                try:
                    await asyncio.wait_for(self._wake.wait(), wait)
                except TimeoutError:
                    break

    async def find_missed(self, now: int) -> None:
        """Wake loaded rooms whose time is over although no row says so: a net that should stay empty.

        One that comes up in two rounds has been missed; in the first its row may be on its way. Each round
        takes the next few of them, so that thousands of rooms do not hold the loop up.
        """
        game_server = self._game_server
        rooms = list(game_server.rooms)
        start = self._rounds * ROUND % max(1, len(rooms))
        self._rounds += 1
        late = {
            room.id: due
            for room in (
                *rooms[start : start + ROUND],
                *filter(None, map(game_server.rooms.loaded, self._late)),
            )
            if (due := due_at(room.table, room.presence, now)) is not None
            and due < now - LATE
            and room.id not in self._busy
        }
        if late:
            promised = await game_server.store.promised(list(late), now)
            late = {game: due for game, due in late.items() if promised.get(game, now + 1) > now}
        again, self._late = self._late & set(late), set(late)
        for game in again:
            _log.error("nobody was going to look at game %s", game)
            game_server.metrics.missed_wakeup()
            await game_server.store.wake(game, late[game])
            self.nudge(late[game])

    async def claim(self) -> list[Due]:
        room_for = AT_ONCE - len(self._busy)
        if room_for <= 0:
            return []
        claimed = await self._game_server.store.claim_due(self._game_server.clock.now(), LEASE, room_for)
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
        game_server = self._game_server
        try:
            room = await game_server.rooms.get(due.game)
            if room is None:
                await game_server.store.settle_due(due, None)
                return
            now = game_server.clock.now()
            room.pins += 1
            try:
                look = await room.begin_sweep(now)
                next_at = await game_server.store.settle_due(due, await tick(room, now))
            finally:
                room.pins -= 1
            room.wakeup.note(next_at, look)
            if next_at is not None:
                self.nudge(next_at)
            if not len(room.subscribers):
                game_server.publish(News("looked", room.id, game_server.worker, next_at))
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
        is_alone = self._game_server.bus.is_alone
        # Only the first beat knows that nobody was there: were it left out, a short gap would count for the clocks.
        await wait_until_answered(lambda: self._heartbeat(0 if is_alone else HEARTBEAT_GAP))
        if is_alone:
            await wait_until_answered(self._game_server.store.end_leases)

    async def heartbeat(self) -> None:
        """Note that somebody lives; learn of outages that ended."""
        try:
            await self._heartbeat(HEARTBEAT_GAP)
        except StoreUnavailable:
            _log.warning("no heartbeat: the store does not answer")

    async def _heartbeat(self, gap: int) -> None:
        game_server = self._game_server
        now = game_server.clock.now()
        await game_server.store.heartbeat(now, gap)
        game_server.outages = await game_server.store.outages(now - 40 * 86_400_000)
        self._heartbeat_at = now

    async def be_current(self, now: int) -> None:
        """Before any clock is judged: an outage that has just ended must be known by then.

        Without this, the first sweep after the database is back would run before the first beat.
        """
        if not self.is_current(now):
            await self.heartbeat()

    def is_current(self, now: int) -> bool:
        """Whether an outage would be known by now."""
        return now - self._heartbeat_at <= HEARTBEAT_GAP // 2

    async def keep_heartbeat(self) -> None:
        """Until the server closes."""
        while await self._game_server.rest(HEARTBEAT_EVERY):
            await self.heartbeat()
