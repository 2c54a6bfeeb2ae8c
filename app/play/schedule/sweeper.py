"""The sweeper: the queue of games that have something due (clocks, bots, absences), loaded or not.

Several workers may sweep at once: a claim is a lease, and the log refuses whatever is done twice.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import partial

from app.play.context import Context
from app.play.engines import UnknownRules
from app.play.log.entries import Due
from app.play.queues import ClaimLoop, Failures, Postponed
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
MAX_ROOMS_IN_PROGRESS = 256  # bots that think must not keep clocks waiting


class Sweeper:
    """The queue `due`: one row for each game, with the time of its next due work."""

    name = "due"

    def __init__(self, context: Context, rooms: Rooms, failures: Failures) -> None:
        self._context = context
        self._rooms = rooms
        self._rounds = 0
        self._late: set[str] = set()  # rooms that were found overdue, and without a row, in the last round
        self.loop: ClaimLoop[Due] = ClaimLoop(
            self,
            failures,
            context.tasks,
            poll_ms=POLL,
            concurrency=MAX_ROOMS_IN_PROGRESS,
            alarm=context.schedule,
        )

    async def find_missed(self) -> None:
        """Wake loaded rooms whose time is over although no row says so: a net that should stay empty.

        One that comes up in two rounds has been missed; in the first its row may be on its way. Each round
        takes the next few of them, so that thousands of rooms do not hold the loop up.
        """
        context, now = self._context, self._context.clock.now()
        rooms = list(self._rooms)
        start = self._rounds * ROUND % max(1, len(rooms))
        self._rounds += 1
        late = {
            room.id: due
            for room in (*rooms[start : start + ROUND], *filter(None, map(self._rooms.loaded, self._late)))
            if (due := due_at(room.table, room.presence, now)) is not None
            and due < now - LATE
            and not self.loop.is_busy(room.id)
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

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[Due]:
        is_anothers = partial(self._is_anothers, now)
        return await self._context.store.claim_due(now, LEASE, limit, is_anothers, skip_keys)

    def key(self, row: Due) -> str:
        return row.game

    def owner(self, row: Due) -> str | None:
        return None

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
        """Process everything that is due now, one row after another, and return how many. For tests."""
        return await self.loop.run_once()

    async def process(self, row: Due) -> None:
        """Let one room do what is due and store the time of its next due work."""
        try:
            await self._process(row)
        except UnknownRules as problem:
            _log.warning("game %s needs newer rules than this worker knows", row.game)
            raise Postponed from problem

    async def _process(self, row: Due) -> None:
        context = self._context
        room = await self._rooms.get(row.game)
        if room is None:
            await context.store.settle_due(row, None)
            return
        now = context.clock.now()
        room.pins += 1
        try:
            sweep = await room.begin_sweep(now)
            next_at = await context.store.settle_due(row, await _do_due(room, now))
        finally:
            room.pins -= 1
        room.wakeup.note(next_at, sweep)
        if next_at is not None:
            context.schedule.nudge(next_at)
        if not len(room.subscribers):
            context.publish("looked", room.id, next_at)


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
