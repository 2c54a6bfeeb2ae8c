"""A room: one game's table, its log and its listeners in this worker.

`submit` is the way of every command: the same id again → the same answer; decide on the present table;
append (UNIQUE(game, seq) is the arbiter between workers); only then move on, answer and tell. A worker
that lost the race reads on and decides again. At most one append is in flight for a room in a worker.
An action that nothing holds up goes the same way without a task that waits (acting.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.play import frames
from app.play.commands import messages as cmd
from app.play.commands.draft import Draft, Scene
from app.play.commands.play import decide
from app.play.frames import Frame
from app.play.log.entries import Append, Entry, GameRow
from app.play.log.reading import log_slices
from app.play.log.table import Table
from app.play.ports import Actor, News, StoreUnavailable
from app.play.refusals import Raced, Refusal, Unconfirmed
from app.play.room.ack import Ack
from app.play.room.broadcast import Audience
from app.play.room.lock import Lock
from app.play.room.pending import OnTheWay
from app.play.room.presence import Presence
from app.play.room.subscribers import Subscriber, Subscribers
from app.play.schedule.due import credit_outages, due_at
from app.play.schedule.time_credit import Delays
from app.play.schedule.wakeup import Wakeup
from app.rules import Event

if TYPE_CHECKING:
    from app.play.server import GameServer

__all__ = ["Deciding", "Room"]

Deciding = Callable[[Table, Scene, Any], Draft]

_TRIES = 8  # races lost in a row before the sender is asked to try again
_DIGITS = tuple(map(str, range(10)))
_RESEATS = frozenset(("seated", "left", "voided", "started"))


class Room:
    """One game in this worker. `table` is always a table that is on disk; it is replaced, never changed."""

    __slots__ = (
        "commands",
        "delays",
        "game_server",
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

    def __init__(self, game_server: GameServer, row: GameRow) -> None:
        self.game_server = game_server
        self.id = row.id
        self.row = row
        self.table = Table.of(row, game_server.names)
        self.commands: dict[str, tuple[int, str]] = {}  # command id → (seq, who sent it)
        self.history: list[tuple[Event, ...]] | None = None  # of the line really played; kept for bots
        self.hints: dict[int, dict[str, Any]] = {}  # seq → the action that was shown
        self.subscribers = Subscribers()
        self.presence = Presence(game_server.clock.now())
        self.last_used = self.presence.began
        self.wakeup = Wakeup(is_alone=game_server.bus.is_alone)
        self.last_chat_sent: int | None = None  # the last line of chat that was told here
        self.shown_away: dict[str, int] = {}  # the countdowns subscribers know of
        self.shown_presence: frames.Presence | None = None  # the last presence message to all
        self.is_stale = False  # an append's outcome is not known: read the log before anything else
        self.delays = Delays()
        self.pins = 0  # by whoever has no socket here and must find it again as it was: the sweeper
        self.lock = Lock()

    def fold(self, entries: list[Entry]) -> None:
        """While it is loaded, before anybody has it: the next entries of its log."""
        for entry in entries:
            self._note(entry, self.table.fold(entry))

    # -- commands ----------------------------------------------------------------------------------

    async def submit(
        self, actor: Actor, command: cmd.LogCommand, received: int, deciding: Deciding = decide
    ) -> Ack:
        """Decide, store, move on, tell. Raises Refusal; then nothing has changed."""
        self.last_used = received
        self.mark_active(actor, received)
        if isinstance(command, cmd.Sit):
            await self.game_server.names.learn((actor.id,))
        async with self.lock:
            if self.is_stale or getattr(command, "version", 0) > self.table.seq:
                await self.read_on()  # our room may be behind the sender's: another worker was faster
            await self._keep_time(received)
            for _ in range(_TRIES):
                known = self.commands.get(command.id)
                if known is not None:
                    if known[1] not in actor.ids:
                        raise Refusal("id_taken")
                    return Ack(known[0], False)
                seat = self.table.seat_of(actor.ids)
                scene = Scene(
                    actor, seat, received, lambda: self.presence.present_seats(self.table, received)
                )
                try:
                    draft = deciding(self.table, scene, command)
                except Refusal:
                    if await self._is_current():
                        raise
                    continue
                told = await self._store(draft, received, command.id, actor)
                if told is not None:
                    return told
                await self.read_on()
            raise Raced

    async def _is_current(self) -> bool:
        """Whether the log has nothing beyond this table; reads it on if it has.

        Asked before a refusal: what the sender saw at another worker may not have come here yet.
        """
        if self.game_server.bus.is_alone:
            return True
        before = self.table
        await self.read_on()
        return self.table is before

    async def add(self, draft: Draft, at: int, on: Table, *, in_sweep: bool = False) -> bool:
        """An entry of the server's own, decided on the table `on`; False when that is history.

        `in_sweep`: the sweeper's, which writes down the next time itself when it is through.
        """
        async with self.lock:
            return self.table is on and await self.add_locked(draft, at, in_sweep=in_sweep)

    async def begin_sweep(self, now: int) -> int:
        """The sweeper looks: at all that is decided by now, with what no clock should have counted credited."""
        async with self.lock:
            look = self.wakeup.begin_sweep()
            if self.is_stale or not self.game_server.bus.is_alone:
                await self.read_on()
            await self._keep_time(now)
            return look

    async def _keep_time(self, now: int) -> None:
        if self.table.timed_since() is not None:
            await self.game_server.sweeper.be_current(now)
            await credit_outages(self, now)

    async def add_locked(self, draft: Draft, at: int, *, in_sweep: bool = False) -> bool:
        if await self._store(draft, at, None, None, in_sweep=in_sweep) is not None:
            return True
        await self.read_on()
        return False

    async def _store(
        self, draft: Draft, at: int, command: str | None, sender: Actor | None, *, in_sweep: bool = False
    ) -> Ack | None:
        """Append an entry and move on; None when its number, or its command, was already taken."""
        step = self.prepare(draft, at, command, sender, in_sweep=in_sweep)
        try:
            is_appended = await self.game_server.store.append(step.append)
        except StoreUnavailable:
            raise self.not_stored(step) from None
        done = self.settle(step, is_appended=is_appended)
        if self.is_stale:
            await self.read_on()
        return done

    def prepare(
        self, draft: Draft, at: int, command: str | None, sender: Actor | None, *, in_sweep: bool = False
    ) -> OnTheWay:
        """The entry, and the table as it will be once that is on disk."""
        before = self.table
        entry = Entry(
            self.id,
            before.seq + 1,
            draft.kind,
            draft.seat,
            draft.body,
            draft.by,
            at if at > before.at else before.at,
            command,
            sender.id if sender is not None else "",
        )
        after, events = before.after(entry, draft.step)
        to_act = after.awaited()
        append = Append(
            entry,
            after.status,
            _DIGITS[to_act[0]] if len(to_act) == 1 else ",".join(map(str, to_act)),
            after.deadline(),
            None if in_sweep else self._due(after, at),
            None if entry.kind == "action" and not after.is_over else after.summary(),
        )
        return OnTheWay(
            append, at, before, after, events, sender, in_sweep, self.wakeup.sweeps, self.presence.changes
        )

    def not_stored(self, step: OnTheWay) -> Refusal:
        self.is_stale = True
        self.delays.failed(step.at)
        return Unconfirmed()

    def settle(self, step: OnTheWay, *, is_appended: bool) -> Ack | None:
        """The store has answered: move on and tell; None when the number, or the command, was already taken."""
        append, before, after, game_server = step.append, step.before, step.after, self.game_server
        entry = append.entry
        if entry.kind != "credited":
            self.delays.stored(step.at, game_server.clock.now())
        if not is_appended:
            return None
        if append.due is not None:
            self.wakeup.note(append.due, step.sweeps)
            game_server.nudge(append.due)
        if not game_server.bus.is_alone:
            names = {person: game_server.names.of(person) for person in _named(entry)}
            if names:  # so that the others need not ask for them before they can show the entry
                game_server.publish(News("named", self.id, game_server.worker, names))
            game_server.publish(News("entry", self.id, game_server.worker, entry))
        if self.table is not before:
            # Another worker's news of a later entry came first and the log was read: this entry is in place.
            self.is_stale = True
            return Ack(entry.seq, False)
        acked = None
        if step.sender is not None:
            acked = entry.seat if entry.kind == "action" else after.seat_of(step.sender.ids)
        self._install(before, after, entry, step.events, acked, step.frames)
        if self.presence.changes != step.changes and not step.in_sweep:
            # Whoever came or went while the entry was on its way looked at the table before it, and it at
            # those who were there before: bots may have somebody to play for, a vote may be decided.
            game_server.spawn(game_server.reschedule(self))
        return Ack(entry.seq, acked is not None)

    def _due(self, after: Table, at: int) -> int | None:
        """When the sweeper must be woken, if that is earlier than it will wake anyway.

        Its row is not moved with every action: absence only ever moves back, so an early look finds
        nothing due and writes down the next time. That keeps this write out of nearly every action.
        """
        is_plain = after.terms.clock.kind == "none" and not after.bots_to_act() and after.round is None
        if self.wakeup.at is not None and is_plain:
            return None
        due = due_at(after, self.presence, at)
        return None if due is None or self.wakeup.is_set_for(due) else due

    # -- moving on ---------------------------------------------------------------------------------

    def _install(
        self,
        before: Table,
        after: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience = None,
        frames: dict[Audience, Frame] | None = None,
    ) -> None:
        self.table = after
        self._note(entry, events)
        if entry.kind in _RESEATS:
            self.subscribers.reseat(after)
            self._rename()
        self.subscribers.tell_entry(before, after, entry, events, acked, frames)
        self.game_server.moved(self, before, entry)

    def _note(self, entry: Entry, events: tuple[Event, ...]) -> None:
        if entry.command is not None:
            self.commands[entry.command] = (entry.seq, entry.who)
        match entry.kind:
            case "started":
                has_bots = any(seat.bot is not None for seat in self.table.seats)
                self.history = [] if has_bots or self.table.terms.hints else None
            case "action" if self.history is not None:
                self.history.append(events)
            case "undo" if self.history is not None:
                self.history.pop()
            case "hint":
                self.hints[entry.seq] = entry.body["action"]

    def heard(self, entry: Entry) -> bool:
        """An entry another worker has stored; False when something is missing in between."""
        if entry.seq <= self.table.seq:
            return True
        if entry.seq != self.table.seq + 1 or not self.game_server.names.knows(_named(entry)):
            return False
        after, events = self.table.after(entry)
        self._install(self.table, after, entry, events)
        return True

    async def read_on(self) -> None:
        """Put in place what the log has beyond this table."""
        try:
            async for some in log_slices(self.game_server.store, self.id, self.table.seq):
                await self.game_server.names.learn(person for entry in some for person in _named(entry))
                for entry in some:
                    self.heard(entry)
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
                while (
                    table.seq < self.table.seq
                ):  # which may move on meanwhile: other workers' news need no lock
                    async for some in log_slices(self.game_server.store, self.id, table.seq):
                        for entry in some:
                            if entry.seq > self.table.seq or entry.seq != table.seq + 1:
                                break
                            events = table.fold(entry)
                            if entry.kind == "action":
                                history.append(events)
                            elif entry.kind == "undo":
                                history.pop()
                self.history = history
        return self.history

    # -- coming and going --------------------------------------------------------------------------

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


def _named(entry: Entry) -> tuple[str, ...]:
    """Whose name has to be known to show the table after this entry."""
    person = entry.body.get("person") if entry.kind == "seated" else None
    return (person,) if person else ()
