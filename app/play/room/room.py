"""A room: the table of one game in this worker, kept up to date with the log, and its subscribers.

Entries reach it in two ways: `submit.py` writes them, and other workers' entries are received or read from the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

import orjson

from app.play import frames
from app.play.context import Context
from app.play.frames import Frame
from app.play.log.entries import Entry, GameRow
from app.play.log.fold import fold, fold_copy
from app.play.log.reading import apply_to_line, read_log_slices
from app.play.log.table import Table
from app.play.outcome import QueuePlace
from app.play.ports import Actor, StoreUnavailable
from app.play.presence import Presence
from app.play.queues import describe_error
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.audience_frames import Audience
from app.play.room.subscribers import Subscriber, Subscribers
from app.play.schedule.time_credit import StoreDelays
from app.play.schedule.wakeup import Wakeup
from app.rules import Event

_log = logging.getLogger("cartagena.rooms")
_RESEATING_KINDS = frozenset(("seated", "left", "voided", "started"))

_HINT_FIELDS = ("action", "why", "params")


class Lock:
    """FIFO lock like asyncio.Lock, with `try_acquire` for code that does not run in a task."""

    __slots__ = ("_waiting", "is_locked")

    def __init__(self) -> None:
        self.is_locked = False
        self._waiting: deque[QueuePlace] | None = None  # created when first needed, which is rare

    def try_acquire(self) -> bool:
        """Acquire the lock if it is free. The caller must release it."""
        if self.is_locked:
            return False
        self.is_locked = True
        return True

    async def acquire(self) -> None:
        """Wait for the lock. The caller must release it."""
        if self.try_acquire():
            return
        if self._waiting is None:
            self._waiting = deque()
        place = QueuePlace(loop=asyncio.get_running_loop())
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # the lock was granted at the same moment
                self.release()
            raise

    def release(self) -> None:
        """Pass the lock to the next waiter. It stays locked in between, so that no newcomer gets it first."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self.is_locked = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *_: object) -> None:
        self.release()


class Room:
    """One game in this worker. `table` is always on disk; it is replaced, never modified."""

    __slots__ = (
        "_unreadable_seq",
        "commands",
        "context",
        "delays",
        "has_mutes",
        "hints",
        "history",
        "id",
        "is_left",
        "is_stale",
        "last_chat_sent",
        "last_used",
        "lock",
        "on_moved",
        "pins",
        "presence",
        "row",
        "sent_countdowns",
        "sent_presence",
        "sent_waiting",
        "subscribers",
        "table",
        "wakeup",
    )

    def __init__(self, context: Context, row: GameRow, on_moved: OnMoved) -> None:
        self.context = context
        self.on_moved = on_moved
        self.id = row.id
        self.row = row
        self.table = Table.from_row(row, context.names)
        self.commands: dict[str, tuple[int, str]] = {}  # command id → (seq, sender)
        self.history: list[tuple[Event, ...]] | None = None  # events of the actions that stand; for bots
        self.hints: dict[int, dict[str, Any]] = {}  # seq → the hint's fields
        self.is_stale = False  # the log may be ahead and must be read before the next command
        self._unreadable_seq = 0  # of the last entry that could not be read or folded
        self.lock = Lock()  # held while the next entry is decided and written
        self.subscribers = Subscribers(context.spectator_batch_seconds)
        self.presence = Presence(context.clock.now())
        self.last_used = self.presence.known_since
        self.is_left = False  # without clients for a while, so the public lists do not show the table
        self.wakeup = Wakeup(is_single_worker=context.bus.is_single_worker)
        self.delays = StoreDelays()
        self.last_chat_sent: int | None = None
        self.has_mutes = True  # whether the store may have mutes for this room
        self.sent_countdowns: dict[str, int] = {}
        self.sent_presence: frames.Presence | None = None
        self.sent_waiting = (
            0  # how many people wait for others, by the last row that any worker sent to lobbies
        )
        self.pins = 0  # sweeps in progress, which keep the room loaded without a subscriber

    # -- following the log -------------------------------------------------------------------------

    def load_entries(self, entries: list[Entry]) -> None:
        """Fold the next entries of the log into a room that is not in use yet."""
        for entry in entries:
            self._remember(entry, fold(self.table, entry))

    def install(
        self,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience = None,
        made: dict[Audience, Frame] | None = None,
        *,
        is_news: bool = False,
    ) -> None:
        """Replace the table after an entry was stored, and send the entry to the subscribers.

        `made` are frames that were built before the commit. `is_news`: another worker wrote the entry, and updates the
        lobbies.
        """
        before, self.table = self.table, table
        if self.presence.pace_settings.skipping:
            self.presence.pace_settings.end_skips(table)
        self._remember(entry, events)
        if entry.kind in _RESEATING_KINDS:
            self.subscribers.reseat(table)
            self._update_presence_keys()
        self.subscribers.send_entry(before, table, entry, events, acked, made)
        self.on_moved(self, before, entry, is_news)

    def _remember(self, entry: Entry, events: tuple[Event, ...]) -> None:
        if entry.command is not None:
            self.commands[entry.command] = (entry.seq, entry.who)
        if self.history is not None:
            apply_to_line(self.history, entry, events)
        if entry.kind == "action":
            return
        if entry.kind == "started" or (entry.kind == "created" and self.table.deal is not None):
            has_bots = any(seat.bot is not None for seat in self.table.seats)
            self.history = [] if has_bots or self.table.terms.hints else None
        elif entry.kind == "hint":
            self.hints[entry.seq] = {key: entry.body[key] for key in _HINT_FIELDS}

    def receive_entry(self, entry: Entry, *, is_news: bool = False, public: bytes = b"") -> bool:
        """Install an entry that another worker has stored; return False if entries before it are missing.

        `public` is the spectators' frame of an action, if the entry's writer has sent it.
        """
        before = self.table
        if entry.seq <= before.seq:
            return True
        if entry.seq != before.seq + 1:
            return False
        if entry.kind == "seated" and not self.context.names.has_all(people_named_by(entry)):
            return False
        table, events = self._apply_news(entry) if is_news else fold_copy(before, entry)
        made = self.subscribers.build_frames(before, table, entry, events, None, public) if public else None
        self.install(table, entry, events, None, made, is_news=is_news)
        return True

    def _apply_news(self, entry: Entry) -> tuple[Table, tuple[Event, ...]]:
        """Return the table after another worker's entry, and its events.

        The writer has checked the action against the same table, so it is applied as legal. While a choice is pending,
        the rules have to find the action among the pending choices.
        """
        table, rules, position = self.table, self.table.rules, self.table.position
        if entry.kind != "action" or position is None or position.pending is not None:
            return fold_copy(table, entry)
        said = entry.body["action"]
        known = rules.find_cached_action(position, orjson.dumps(said))
        action = rules.action_from_json(said).canonical() if known is None else known[0]
        return fold_copy(table, entry, *rules.apply(position, entry.seat, action, is_listed=True))

    async def read_new_entries(self) -> None:
        """Read and install the entries after this table's. Raises Unconfirmed if the store does not answer."""
        try:
            async for some in read_log_slices(self.context.store.log, self.id, self.table.seq):
                await self.context.names.fetch_missing(
                    person for entry in some for person in people_named_by(entry)
                )
                for entry in some:
                    self.receive_entry(entry)
        except StoreUnavailable:
            self.is_stale = True
            raise Unconfirmed from None
        self.is_stale = False
        self.delays.on_recovered(self.context.clock.now(), is_timed=self.table.time_runs_since() is not None)

    async def read_history(self) -> list[tuple[Event, ...]]:
        """Return the events of each action that stands; read the log if they were not kept."""
        if self.history is None:
            async with self.lock:
                table = Table.from_row(self.row)
                history: list[tuple[Event, ...]] = []
                # Other workers' entries are installed without the lock, so the table may change meanwhile.
                while table.seq < self.table.seq:
                    async for some in read_log_slices(self.context.store.log, self.id, table.seq):
                        for entry in some:
                            if entry.seq > self.table.seq or entry.seq != table.seq + 1:
                                break
                            apply_to_line(history, entry, fold(table, entry))
                self.history = history
        return self.history

    async def catch_up(self) -> None:
        """Read the log after a gap was found. A failure is logged and affects this room alone."""
        try:
            await self.read_new_entries()
        except Refusal:
            _log.warning("could not read new entries of game %s; the next check of heads retries", self.id)
        except Exception as problem:  # noqa: BLE001  # a bad log of one room must not stop the other rooms
            self.on_unreadable(problem)

    def on_unreadable(self, problem: Exception) -> None:
        """Mark the room as stale because the next entry cannot be read or folded, and log that once."""
        self.is_stale = True
        if self._unreadable_seq != self.table.seq + 1:
            self._unreadable_seq = self.table.seq + 1
            _log.error(
                "entry %d of game %s cannot be read: %s",
                self._unreadable_seq,
                self.id,
                describe_error(problem),
            )

    # -- subscribers -------------------------------------------------------------------------------

    def enter(self, subscriber: Subscriber, now: int) -> None:
        self.last_used = now
        self.subscribers.add(subscriber, self.table)
        subscriber.presence_key = self.presence_key(subscriber.actor)
        self.presence.add_socket(subscriber.presence_key, now, is_screen=subscriber.is_screen)

    def leave(self, subscriber: Subscriber, now: int) -> None:
        self.last_used = now
        is_last = self.subscribers.remove(subscriber) and self.presence.remove_socket(
            subscriber.presence_key, now, is_screen=subscriber.is_screen
        )
        if is_last and subscriber.seat is None and subscriber.presence_key != self.table.host:
            self.presence.forget_person(subscriber.presence_key)  # a long game may have many short visitors

    def resend_state(self) -> None:
        """Send the whole state again, after a change that has no entry, such as a new name."""
        self.subscribers.send_state(self.table)

    def disconnect_all(self) -> None:
        """Disconnect all subscribers because the operator has closed the room."""
        for subscriber in self.subscribers:
            subscriber.listener.end("closed")

    def _update_presence_keys(self) -> None:
        """Update the presence of people with several ids, who may have sat down under another id."""
        for subscriber in self.subscribers:
            if len(subscriber.actor.ids) > 1:
                key = self.presence_key(subscriber.actor)
                if key != subscriber.presence_key:
                    self.presence.move_socket(subscriber.presence_key, key)
                    subscriber.presence_key = key

    def mark_active(self, actor: Actor, now: int) -> None:
        """Record that the person has just done something."""
        self.presence.mark_active(self.presence_key(actor), now)

    def presence_key(self, actor: Actor) -> str:
        """Return the id under which the person is present: that of their seat, which may be a former guest id."""
        seat = self.table.seat_of(actor.ids)
        return actor.id if seat is None else self.table.seats[seat].person or actor.id

    @property
    def is_idle(self) -> bool:
        return not len(self.subscribers) and not self.lock.is_locked and not self.pins

    async def reschedule(self) -> None:
        """Write the due row if a change of presence has made something due earlier."""
        context, wakeup, sweeps = self.context, self.wakeup, self.wakeup.sweeps
        due = wakeup.row_time_after_change(self.table, self.presence, context.clock.now())
        if due is None:
            return
        try:
            await context.store.due.schedule(self.id, due)
        except StoreUnavailable:
            wakeup.set_row_time(None, sweeps)  # the next entry writes the row
            return
        wakeup.set_row_time(due, sweeps)
        context.sweep_alarm.nudge(due)


# Arguments: the room, the table before, the entry, and whether another worker wrote it.
OnMoved = Callable[[Room, Table, Entry, bool], None]


def people_named_by(entry: Entry) -> tuple[str, ...]:
    """Return the people whose names are needed to show the table after this entry."""
    person = entry.body.get("person") if entry.kind == "seated" else None
    return (person,) if person else ()
