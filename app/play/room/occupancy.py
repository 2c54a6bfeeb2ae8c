"""Who is in a room: they come and go, and are sent every entry once it is in place."""

from __future__ import annotations

import logging

from app.play import frames
from app.play.context import Context
from app.play.frames import Frame
from app.play.log.entries import Entry, GameRow
from app.play.log.table import Table
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.broadcast import Audience
from app.play.room.presence import Presence
from app.play.room.replica import Replica
from app.play.room.subscribers import Subscriber, Subscribers
from app.play.schedule.due import due_at
from app.play.schedule.wakeup import Wakeup
from app.rules import Event

__all__ = ["Occupancy"]

_log = logging.getLogger("cartagena.rooms")
_RESEATS = frozenset(("seated", "left", "voided", "started"))


class Occupancy(Replica):
    """A game's table and the people at it, in this worker."""

    __slots__ = (
        "last_chat_sent",
        "last_used",
        "pins",
        "presence",
        "shown_away",
        "shown_presence",
        "subscribers",
        "wakeup",
    )

    def __init__(self, context: Context, row: GameRow) -> None:
        super().__init__(context, row)
        self.subscribers = Subscribers()
        self.presence = Presence(context.clock.now())
        self.last_used = self.presence.began
        self.wakeup = Wakeup(is_alone=context.bus.is_alone)
        self.last_chat_sent: int | None = None
        self.shown_away: dict[str, int] = {}  # the countdowns subscribers know of
        self.shown_presence: frames.Presence | None = None  # the last presence message to all
        self.pins = 0  # by whoever has no socket here and must find it again as it was: the sweeper

    def install(
        self,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience = None,
        made: dict[Audience, Frame] | None = None,
    ) -> None:
        before, self.table = self.table, table
        self._note(entry, events)
        if entry.kind in _RESEATS:
            self.subscribers.reseat(table)
            self._rename()
        self.subscribers.tell_entry(before, table, entry, events, acked, made)
        self.context.on_moved(self, before, entry)

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

    async def catch_up(self) -> None:
        """The numbers show a gap: read the log."""
        try:
            await self.read_on()
        except Refusal:
            _log.warning("could not read on in game %s; the next comparison of heads will", self.id)

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
