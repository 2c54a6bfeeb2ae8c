"""A replica: one game's table in this worker, kept in step with the log, and the people at it.

People come and go, and are sent every entry once it is in place. Rooms add commands to it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Any

import orjson

from app.play import frames
from app.play.context import Context
from app.play.frames import Frame
from app.play.log.entries import Entry, GameRow
from app.play.log.fold import after, fold
from app.play.log.reading import follow, log_slices
from app.play.log.table import Table
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.broadcast import Audience
from app.play.room.presence import Presence
from app.play.room.subscribers import Subscriber, Subscribers
from app.play.schedule.due import due_at
from app.play.schedule.schedule import Wakeup
from app.rules import Event

_log = logging.getLogger("cartagena.rooms")
_RESEATS = frozenset(("seated", "left", "voided", "started"))

_SHOWN = ("action", "why", "params")
"""Of a hint; one that an older server gave has no reason."""


class Lock:
    """asyncio.Lock with `try_acquire`, for code that is no task and cannot wait; a room has one for its life."""

    __slots__ = ("_waiting", "is_locked")

    def __init__(self) -> None:
        self.is_locked = False
        self._waiting: deque[asyncio.Future[None]] | None = None  # hardly ever anybody

    def try_acquire(self) -> bool:
        """Take it if nobody has it: then `release` is owed."""
        if self.is_locked:
            return False
        self.is_locked = True
        return True

    def release(self) -> None:
        """The next one's turn. It stays taken in between, so that nobody slips in."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.is_locked = False

    def wait(self) -> asyncio.Future[None]:
        """Done when it is ours: then `release` is owed."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(turn)
        return turn

    async def __aenter__(self) -> None:
        if self.try_acquire():
            return
        turn = self.wait()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)  # type: ignore[union-attr]
            else:  # its turn had come at that very moment
                self.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        self.release()


class Replica:
    """`table` is always a table that is on disk; it is replaced, never changed."""

    __slots__ = (
        "commands",
        "context",
        "has_mutes",
        "hints",
        "history",
        "id",
        "is_stale",
        "last_chat_sent",
        "last_used",
        "lock",
        "pins",
        "presence",
        "row",
        "shown_away",
        "shown_presence",
        "subscribers",
        "table",
        "wakeup",
    )

    def __init__(self, context: Context, row: GameRow) -> None:
        self.context = context
        self.id = row.id
        self.row = row
        self.table = Table.of(row, context.names)
        self.commands: dict[str, tuple[int, str]] = {}  # command id → (seq, who sent it)
        self.history: list[tuple[Event, ...]] | None = None  # of the line really played; kept for bots
        self.hints: dict[int, dict[str, Any]] = {}  # seq → what was shown
        self.is_stale = False  # the log may be ahead: it is read before anything else
        self.lock = Lock()  # whoever has it decides the next entry
        self.subscribers = Subscribers(context.watch_delay)
        self.presence = Presence(context.clock.now())
        self.last_used = self.presence.began
        self.wakeup = Wakeup(is_alone=context.bus.is_alone)
        self.last_chat_sent: int | None = None
        self.has_mutes = True  # somebody may have muted somebody: the store is asked
        self.shown_away: dict[str, int] = {}  # the countdowns subscribers know of
        self.shown_presence: frames.Presence | None = None  # the last presence message to all
        self.pins = 0  # by whoever has no socket here and must find it again as it was: the sweeper

    # -- in step with the log ----------------------------------------------------------------------

    def load(self, entries: list[Entry]) -> None:
        """Before anybody has it: the next entries of its log."""
        for entry in entries:
            self._note(entry, fold(self.table, entry))

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
        """The entry is on disk, and `table` is the table after it; `is_news`: its writer tells lobbies."""
        before, self.table = self.table, table
        if self.presence.paces.skipping:
            self.presence.paces.moved(table)
        self._note(entry, events)
        if entry.kind in _RESEATS:
            self.subscribers.reseat(table)
            self._rename()
        self.subscribers.tell_entry(before, table, entry, events, acked, made)
        self.context.on_moved(self, before, entry, is_news)

    def _note(self, entry: Entry, events: tuple[Event, ...]) -> None:
        if entry.command is not None:
            self.commands[entry.command] = (entry.seq, entry.who)
        if self.history is not None:
            follow(self.history, entry, events)
        if entry.kind == "action":
            return
        if entry.kind == "started" or (entry.kind == "created" and self.table.deal is not None):
            has_bots = any(seat.bot is not None for seat in self.table.seats)
            self.history = [] if has_bots or self.table.terms.hints else None
        elif entry.kind == "hint":
            self.hints[entry.seq] = {key: entry.body[key] for key in _SHOWN if key in entry.body}

    def receive(self, entry: Entry, *, is_news: bool = False, public: bytes = b"") -> bool:
        """An entry that is in the log, stored by another worker; False when something is missing in between.

        `public`: an action's frame for everybody, where its writer has sent it along.
        """
        before = self.table
        if entry.seq <= before.seq:
            return True
        if entry.seq != before.seq + 1:
            return False
        if entry.kind == "seated" and not self.context.names.knows(named_by(entry)):
            return False
        table, events = self._after_news(entry) if is_news else after(before, entry)
        made = self.subscribers.frames_of(before, table, entry, events, None, public) if public else None
        self.install(table, entry, events, None, made, is_news=is_news)
        return True

    def _after_news(self, entry: Entry) -> tuple[Table, tuple[Event, ...]]:
        """The writer has found the action to be legal on this very table: it is not asked again, unless something is
        owed, where the answer must be found among what may be answered."""
        table, rules, position = self.table, self.table.rules, self.table.position
        if entry.kind != "action" or position is None or position.pending is not None:
            return after(table, entry)
        said = entry.body["action"]
        known = rules.known_action(position, orjson.dumps(said))
        action = rules.action_from_json(said).canonical() if known is None else known[0]
        return after(table, entry, *rules.apply(position, entry.seat, action, is_listed=True))

    async def read_on(self) -> None:
        """Put in place what the log has beyond this table."""
        try:
            async for some in log_slices(self.context.store, self.id, self.table.seq):
                await self.context.names.learn(person for entry in some for person in named_by(entry))
                for entry in some:
                    self.receive(entry)
        except StoreUnavailable:
            self.is_stale = True
            raise Unconfirmed from None
        self.is_stale = False

    async def full_history(self) -> list[tuple[Event, ...]]:
        """Every action's events of the line really played; read from the log when they were not kept."""
        if self.history is None:
            async with self.lock:
                table = Table.of(self.row)
                history: list[tuple[Event, ...]] = []
                # The table may move on meanwhile: other workers' news need no lock.
                while table.seq < self.table.seq:
                    async for some in log_slices(self.context.store, self.id, table.seq):
                        for entry in some:
                            if entry.seq > self.table.seq or entry.seq != table.seq + 1:
                                break
                            follow(history, entry, fold(table, entry))
                self.history = history
        return self.history

    async def catch_up(self) -> None:
        """The numbers show a gap: read the log."""
        try:
            await self.read_on()
        except Refusal:
            _log.warning("could not read on in game %s; the next comparison of heads will", self.id)

    # -- its people --------------------------------------------------------------------------------

    def enter(self, subscriber: Subscriber, now: int) -> None:
        self.last_used = now
        self.subscribers.add(subscriber, self.table)
        subscriber.key = self.key_of(subscriber.actor)
        self.presence.connected(subscriber.key, now)

    def leave(self, subscriber: Subscriber, now: int) -> None:
        self.last_used = now
        is_last = self.subscribers.discard(subscriber) and self.presence.disconnected(subscriber.key, now)
        if is_last and subscriber.seat is None and subscriber.key != self.table.host:
            self.presence.forget_person(subscriber.key)  # many may watch for a moment in a long game

    def resend_state(self) -> None:
        """Somebody here is called otherwise: no entry tells of it, so the whole state is sent anew."""
        self.subscribers.tell_state(self.table)

    def end_all(self) -> None:
        """The operator has closed the room: everybody in it here is sent away."""
        for subscriber in self.subscribers:
            subscriber.listener.end(4010, "closed")

    def _rename(self) -> None:
        """Whoever has had several ids may sit, from now on, under another one than they came in with."""
        for subscriber in self.subscribers:
            if len(subscriber.actor.ids) > 1:
                key = self.key_of(subscriber.actor)
                if key != subscriber.key:
                    self.presence.renamed(subscriber.key, key)
                    subscriber.key = key

    def mark_active(self, actor: Actor, now: int) -> None:
        """The person did something."""
        self.presence.mark_active(self.key_of(actor), now)

    def key_of(self, actor: Actor) -> str:
        """The name a person is present under: that of the seat, which may be one of an account's guests."""
        seat = self.table.seat_of(actor.ids)
        return actor.id if seat is None else self.table.seats[seat].person or actor.id

    @property
    def is_idle(self) -> bool:
        return not len(self.subscribers) and not self.lock.is_locked and not self.pins

    async def reschedule(self) -> None:
        """Somebody came or went: what is due may be due earlier now."""
        context, sweeps = self.context, self.wakeup.sweeps
        due = due_at(self.table, self.presence, context.clock.now())
        if due is not None and not self.wakeup.is_set_for(due):
            try:
                await context.store.wake(self.id, due)
            except StoreUnavailable:
                self.wakeup.note(None, sweeps)  # written down with the next entry
                return
            self.wakeup.note(due, sweeps)
            context.schedule.nudge(due)


def named_by(entry: Entry) -> tuple[str, ...]:
    """Whose name has to be known to show the table after this entry."""
    person = entry.body.get("person") if entry.kind == "seated" else None
    return (person,) if person else ()
