"""The sweeper: finds rows that are due, claims them for a while, lets their rooms do what is due.

Several workers may sweep at once: a claim is a lease, and the log refuses whatever is done twice.
"""

from __future__ import annotations

import logging
from functools import partial

from app.play.context import Context
from app.play.engines import UnknownRules
from app.play.log.entries import Due
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.room.rooms import Rooms
from app.play.schedule.bot_turns import move_bot
from app.play.schedule.due import due_at, next_due

_log = logging.getLogger("cartagena.sweeper")
POLL = 1000  # how late a row written by another worker may be found
LEASE = 30_000
HOLDERS_TURN = 2 * POLL  # how long a row is left to the worker where the people of that table are
LATE = 300  # how long a loaded room may be overdue before somebody asks whether it has a row
ROUND = 200  # loaded rooms that are asked in one round
AT_ONCE = 256  # rooms looked after at once; bots that think must not keep clocks waiting
HEARTBEAT_EVERY = 2000


class Sweeper:
    """Due work of all games, loaded or not."""

    def __init__(self, context: Context, rooms: Rooms) -> None:
        self._context = context
        self._rooms = rooms
        self._busy: set[str] = set()
        self._rounds = 0
        self._rounded = 0  # when the last round was
        self._late: set[str] = set()  # rooms that were found overdue, and without a row, in the last round
        self._is_stopped = False

    def stop(self) -> None:
        """No new claims; what is under way goes on."""
        self._is_stopped = True
        self._context.schedule.stop()

    async def run(self) -> None:
        """Until stopped."""
        clock, schedule = self._context.clock, self._context.schedule
        while not self._is_stopped:
            schedule.plan(clock.now() + POLL)
            try:
                if clock.now() - self._rounded >= POLL:
                    self._rounded = clock.now()
                    await self.find_missed(self._rounded)
                for due in await self.claim():
                    self._context.tasks.spawn(self.handle(due))
            except StoreUnavailable:
                _log.warning("the store does not answer; due work waits")
            await schedule.wait()

    async def keep_heartbeat(self) -> None:
        """Until the server closes."""
        while await self._context.tasks.rest(HEARTBEAT_EVERY):
            await self._context.schedule.heartbeat()

    async def find_missed(self, now: int) -> None:
        """Wake loaded rooms whose time is over although no row says so: a net that should stay empty.

        One that comes up in two rounds has been missed; in the first its row may be on its way. Each round
        takes the next few of them, so that thousands of rooms do not hold the loop up.
        """
        context = self._context
        rooms = list(self._rooms)
        start = self._rounds * ROUND % max(1, len(rooms))
        self._rounds += 1
        late = {
            room.id: due
            for room in (*rooms[start : start + ROUND], *filter(None, map(self._rooms.loaded, self._late)))
            if (due := due_at(room.table, room.presence, now)) is not None
            and due < now - LATE
            and room.id not in self._busy
        }
        if late:
            promised = await context.store.promised(list(late), now)
            late = {game: due for game, due in late.items() if promised.get(game, now + 1) > now}
        again, self._late = self._late & set(late), set(late)
        for game in again:
            _log.error("nobody was going to look at game %s", game)
            context.metrics.missed_wakeup()
            await context.store.wake(game, late[game])
            context.schedule.nudge(late[game])

    async def claim(self) -> list[Due]:
        room_for = AT_ONCE - len(self._busy)
        if room_for <= 0:
            return []
        now = self._context.clock.now()
        claimed = await self._context.store.claim_due(now, LEASE, room_for, partial(self._is_anothers, now))
        self._busy |= {due.game for due in claimed}
        return claimed

    def _is_anothers(self, now: int, game: str, at: int) -> bool:
        """Whether its room is at another worker, and nobody of it here: were it loaded here as well, each of its
        entries would have to be said from then on. Not for long: that worker may have died. Where nobody has a socket
        anywhere, as somebody who plays by requests alone, it is any worker's that has the room.
        """
        if at <= now - HOLDERS_TURN or not self._context.bus.hears(game):
            return False
        room = self._rooms.loaded(game)
        return room is None or not (len(room.subscribers) or room.presence.is_deserted(now))

    async def sweep(self) -> int:
        """Everything that is due now, one after the other; how many rows. For tests that turn the clock."""
        claimed = await self.claim()
        for due in claimed:
            await self.handle(due)
        return len(claimed)

    async def handle(self, due: Due) -> None:
        """Let one room do what is due and write down when to look again."""
        context = self._context
        try:
            room = await self._rooms.get(due.game)
            if room is None:
                await context.store.settle_due(due, None)
                return
            now = context.clock.now()
            room.pins += 1
            try:
                sweep = await room.begin_sweep(now)
                next_at = await context.store.settle_due(due, await _do_due(room, now))
            finally:
                room.pins -= 1
            room.wakeup.note(next_at, sweep)
            if next_at is not None:
                context.schedule.nudge(next_at)
            if not len(room.subscribers):
                context.publish("looked", room.id, next_at)
        except (StoreUnavailable, Refusal):
            _log.warning("due work of game %s waits for the store; its lease expires", due.game)
        except UnknownRules:
            _log.warning("game %s needs newer rules than this worker knows", due.game)
        finally:
            self._busy.discard(due.game)


async def _do_due(room: Room, now: int) -> int | None:
    """Do what is due at `now`; when to look again."""
    for _ in range(200):  # a run-out clock may have to move several times before the turn passes
        table = room.table
        proposal = next_due(table, room.presence, now)
        if proposal is None:
            break
        await room.add(proposal, now, table, in_sweep=True)
    for _ in range(2):  # an action, and the `end` that waits for nothing after the last one of a turn
        bots = room.table.bots_to_act()
        due = due_at(room.table, room.presence, now)
        if not bots or due is None or due > now or room.table.is_paused:
            return due
        await move_bot(room, bots[0])
        now = room.context.clock.now()
    return due_at(room.table, room.presence, now)
