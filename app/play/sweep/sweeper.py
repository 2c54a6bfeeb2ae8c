"""The sweeper: the queue of games with due work (clocks, bots, absences), whether their rooms are loaded or not.

Several workers may sweep at once: rows are claimed under leases, and the log refuses an entry that is written twice.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import partial

from app.play.context import Context
from app.play.engines import UnknownRules
from app.play.log.entries import DueRow
from app.play.queues import ClaimLoop, Failures, Postponed
from app.play.room.room import Room
from app.play.room.rooms import Rooms
from app.play.room.submit import add_server_entry, begin_sweep
from app.play.schedule.due import decide_due, next_due_at
from app.play.sweep.bot_turns import play_bot_action

_log = logging.getLogger("cartagena.sweeper")
POLL_MS = 1000  # how late a row written by another worker may be found
LEASE_MS = 30_000
HOLDER_PRIORITY_MS = 2 * POLL_MS  # how long a due row is left to the worker that has the table's clients
OVERDUE_MS = 300  # how long a loaded room may be overdue before its row is checked
MAX_ROOMS_CHECKED = 200  # loaded rooms per round of `find_missed_wakeups`
MAX_ROOMS_SWEPT = 256  # at the same time: clocks must not wait for bots that are thinking


class Sweeper:
    """The queue `due`: one row for each game, with the time of its next due work."""

    name = "due"

    def __init__(self, context: Context, rooms: Rooms, failures: Failures) -> None:
        self._context = context
        self._rooms = rooms
        self._rounds = 0
        self._overdue: set[str] = set()  # rooms found overdue and without a row in the last round
        self.loop: ClaimLoop[DueRow] = ClaimLoop(
            self,
            failures,
            context.tasks,
            poll_ms=POLL_MS,
            concurrency=MAX_ROOMS_SWEPT,
            alarm=context.sweep_alarm,
        )

    async def find_missed_wakeups(self) -> None:
        """Schedule loaded rooms that are overdue without a due row; a safety net that should find none.

        A room must be found in two rounds, because its row may be on its way in the first. Each round checks a bounded
        number of rooms, so that thousands of them do not block the event loop.
        """
        context, now = self._context, self._context.clock.now()
        rooms = list(self._rooms)
        start = self._rounds * MAX_ROOMS_CHECKED % max(1, len(rooms))
        self._rounds += 1
        overdue = {
            room.id: due
            for room in (
                *rooms[start : start + MAX_ROOMS_CHECKED],
                *filter(None, map(self._rooms.get_loaded, self._overdue)),
            )
            if (due := next_due_at(room.table, room.presence, now)) is not None
            and due < now - OVERDUE_MS
            and not self.loop.is_busy(room.id)
        }
        if overdue:
            row_times = await context.store.due.read_due_times(list(overdue), now)
            overdue = {game: due for game, due in overdue.items() if row_times.get(game, now + 1) > now}
        missed, self._overdue = self._overdue & set(overdue), set(overdue)
        for game in missed:
            _log.error("game %s was overdue without a due row", game)
            context.metrics.count_missed_wakeup()
            await context.store.due.schedule(game, overdue[game])
            context.sweep_alarm.nudge(overdue[game])

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[DueRow]:
        is_for_other_worker = partial(self._is_for_other_worker, now)
        return await self._context.store.due.claim(now, LEASE_MS, limit, is_for_other_worker, skip_keys)

    def key(self, row: DueRow) -> str:
        return row.game

    def owner(self, row: DueRow) -> str | None:
        return None

    def _is_for_other_worker(self, now: int, game: str, at: int) -> bool:
        """Return whether the row is left to another worker that has the room, and this one has no client in it.

        Loading the room here too would mean that each of its entries has to be published from then on. The row is left
        only for a short time, because the other worker may have died. A room without sockets anywhere, such as that of
        a player who uses the HTTP API alone, is swept by any worker that has it.
        """
        if at <= now - HOLDER_PRIORITY_MS or not self._context.bus.has_followers(game):
            return False
        room = self._rooms.get_loaded(game)
        return room is None or not (len(room.subscribers) or room.presence.is_deserted(now))

    async def sweep(self) -> int:
        """Process everything that is due now, one row after another, and return how many. For tests."""
        return await self.loop.run_once()

    async def process(self, row: DueRow) -> None:
        """Do the due work of one room and store the time of its next due work."""
        try:
            await self._process(row)
        except UnknownRules as problem:
            _log.warning("game %s has a rules version that this worker does not know", row.game)
            raise Postponed from problem

    async def _process(self, row: DueRow) -> None:
        context = self._context
        room = await self._rooms.get(row.game)
        if room is None:
            await context.store.due.settle(row, None)
            return
        now = context.clock.now()
        room.pins += 1
        try:
            sweep = await begin_sweep(room, now)
            next_at = await context.store.due.settle(row, await _do_due_work(room, now))
        finally:
            room.pins -= 1
        room.wakeup.set_row_time(next_at, sweep)
        if next_at is not None:
            context.sweep_alarm.nudge(next_at)
        if not len(room.subscribers):
            context.publish("looked", room.id, next_at)


async def _do_due_work(room: Room, now: int) -> int | None:
    """Do the work that is due at `now`; return when the next is due."""
    for _ in range(200):  # an expired clock may have to act several times before the turn passes
        table = room.table
        decision = decide_due(table, room.presence, now)
        if decision is None:
            break
        await add_server_entry(room, decision, now, table, in_sweep=True)
    for _ in range(2):  # a bot's action, and the `end` of its turn, which has no delay
        bots = room.table.list_bots_to_act()
        due = next_due_at(room.table, room.presence, now)
        if not bots or due is None or due > now or room.table.is_paused:
            return due
        await play_bot_action(room, bots[0])
        now = room.context.clock.now()
    return next_due_at(room.table, room.presence, now)
