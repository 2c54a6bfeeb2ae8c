"""A room: one game in this worker, with its people. `submit` is the one way in.

A command is decided on the present table (`propose`), appended to the log (UNIQUE(game, seq) is the arbiter
between workers), and only then put in place, acknowledged, sent to everybody and published. One at a time: whoever
has the lock. Where nothing must be waited for but the disk, no task is: the steps are `_advance`, called again by
whatever it waited for. A room that is behind its log, a clock to be credited first, a race that was lost and a
refusal that another worker's news may make wrong are waited for in a task, with the lock held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from app.play.commands import messages as cmd
from app.play.commands.play import propose
from app.play.commands.proposal import Ack, Proposal
from app.play.context import Context
from app.play.log.absent import concerns_absent
from app.play.log.entries import Append, Entry, GameRow
from app.play.log.fold import after as table_after
from app.play.log.table import Table
from app.play.ports import Actor, News, StoreUnavailable
from app.play.refusals import Raced, Refusal, Unconfirmed
from app.play.room.replica import Replica, named_by
from app.play.schedule.due import GRACE, due_at
from app.play.schedule.time_credit import Delays, next_credit
from app.play.stored import Stored

Decide = Callable[[Table, Proposal], Proposal]

_TRIES = 8  # races lost in a row before the sender is asked to try again
_DIGITS = tuple(map(str, range(10)))


class _Moved(Exception):
    """The table on which the server decided something is history."""


class Answer(Protocol):
    """Who is told what becomes of a command; a future is one."""

    def done(self) -> bool:
        """Nobody wants to know any more."""

    def set_result(self, ack: Ack, /) -> None: ...
    def set_exception(self, problem: Exception, /) -> None: ...


class Room(Replica):
    """One game in this worker: what people, bots and clocks want of it goes through `submit` and `add`."""

    __slots__ = ("delays",)

    def __init__(self, context: Context, row: GameRow) -> None:
        super().__init__(context, row)
        self.delays = Delays()

    # -- the one way in ----------------------------------------------------------------------------

    def submit(
        self, actor: Actor, command: cmd.LogCommand, received: int, decide: Decide = propose
    ) -> asyncio.Future[Ack]:
        """What becomes of a command: its ack once it is on disk, or the Refusal; then nothing has changed."""
        answer: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        self.answer(answer, actor, command, received, decide)
        return answer

    def answer(
        self, answer: Answer, actor: Actor, command: cmd.LogCommand, received: int, decide: Decide = propose
    ) -> None:
        """The same, told to `answer`: perhaps before this returns."""
        self.last_used = received
        # Whoever has one id is present under it; of several it is the one that sits.
        self.presence.mark_active(actor.ids[0] if len(actor.ids) == 1 else self.key_of(actor), received)
        proposal = Proposal(
            by="person",
            actor=actor,
            command=command,
            received=received,
            presence=self.presence,
            decide=decide,
        )
        self._begin(proposal, answer)

    async def add(self, proposal: Proposal, at: int, on: Table, *, in_sweep: bool = False) -> bool:
        """An entry of the server's own, decided on the table `on`; False when that is history."""
        proposal.received, proposal.in_sweep = at, in_sweep
        proposal.decide = partial(_unless_moved, on)
        answer: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
        self._begin(proposal, answer)
        try:
            await answer
        except _Moved:
            return False
        return True

    def _begin(self, proposal: Proposal, answer: Answer) -> None:
        if self.lock.try_acquire():
            self._advance(proposal, answer)
        else:
            turn = self.lock.wait()
            turn.add_done_callback(lambda _: self._advance(proposal, answer))

    def _advance(
        self, proposal: Proposal, answer: Answer, waited: Stored | asyncio.Future[Any] | None = None
    ) -> None:
        """With the lock: on, until the command is answered or waits for something, which then calls this again."""
        is_waiting = False
        try:
            outcome: Ack | Stored | asyncio.Future[Any] | None = None
            if waited is None:
                if answer.done():  # given up while it waited for its turn
                    return
            elif proposal.append is not None:
                outcome = self._commit(proposal, waited)
            if outcome is None:
                outcome = self._next(proposal, waited)
            if isinstance(outcome, Ack):
                if not answer.done():  # else nobody wants to know any more
                    answer.set_result(outcome)
            else:
                is_waiting = True
                outcome.add_done_callback(partial(self._advance, proposal, answer))
        except Exception as problem:
            if not answer.done():
                answer.set_exception(problem)
            elif not isinstance(problem, Refusal):
                raise
        finally:
            if not is_waiting:
                self.lock.release()

    def _next(
        self, proposal: Proposal, waited: Stored | asyncio.Future[Any] | None
    ) -> Ack | Stored | asyncio.Future[Any]:
        """The ack, or what must be waited for before there is one. Raises Refusal."""
        table, command = self.table, proposal.command
        if waited is None:
            if command is not None and self._must_prepare(proposal, command):
                return self._task(self._prepare(proposal))
        elif proposal.append is not None:  # its number was taken: another worker was faster
            proposal.append, proposal.frames = None, None
            proposal.tries += 1
            return self._task(self.read_on())
        elif waited.cancelled():  # the server is closing
            raise Refusal("try_again")
        else:
            waited.result()
            if proposal.tries == _TRIES:
                raise Raced
        if command is not None:
            known = self.commands.get(command.id)
            if known is not None:
                if known[1] not in proposal.actor.ids:
                    raise Refusal("id_taken")
                return Ack(known[0], False)
            proposal.own = table.seat_of(proposal.actor.ids)
        assert proposal.decide is not None
        try:
            proposal.decide(table, proposal)
        except Refusal:
            # What the sender saw at another worker may not have come here yet: the log is read before a refusal.
            if self.context.bus.is_alone or proposal.refused_on is table:
                raise
            proposal.refused_on = table
            return self._task(self.read_on())
        return self._append(proposal)

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self.context.tasks.start(work)

    def _must_prepare(self, proposal: Proposal, command: cmd.LogCommand) -> bool:
        """Whether something must be read or written down before the command can be decided."""
        table = self.table
        if self.is_stale or getattr(command, "version", 0) > table.seq:  # another worker was faster
            return True
        if type(command) is cmd.Sit and not self.context.names.knows((proposal.actor.id,)):
            return True
        clocks = table.clocks
        if table.round is None and (clocks is None or not clocks.running):  # no time counts
            return False
        schedule, now = self.context.schedule, proposal.received
        return not schedule.is_current(now) or next_credit(table, schedule.outages, self.delays) is not None

    async def _prepare(self, proposal: Proposal) -> None:
        command = proposal.command
        try:
            if isinstance(command, cmd.Sit):
                await self.context.names.learn((proposal.actor.id,))
        except StoreUnavailable:
            raise Refusal("try_again") from None
        if self.is_stale or getattr(command, "version", 0) > self.table.seq:
            await self.read_on()
        if command is not None and command.id not in self.commands:
            await self._credit_time(proposal.received, proposal)

    async def read_on(self) -> None:
        await super().read_on()
        self.delays.on_recovered(self.context.clock.now(), is_timed=self.table.timed_since() is not None)

    async def _credit_time(self, now: int, asked: Proposal | None = None) -> None:
        """Write the time credit that is owed, before any clock is judged. The lock is held.

        A command that is refused with the credit as well (`asked`) raises Refusal, and nothing is written.
        """
        if self.table.timed_since() is None:
            return
        schedule = self.context.schedule
        await schedule.be_current(now)
        may_be_behind = asked is not None and not self.context.bus.is_alone
        while (credit := next_credit(self.table, schedule.outages, self.delays)) is not None:
            if may_be_behind:  # another worker's entries may make a refusal wrong, or have the credit
                may_be_behind = False
                await self.read_on()
                continue
            credit.received = now
            if asked is not None:
                self._try_credited(credit, asked)
            stored = self._append(credit)
            with suppress(StoreUnavailable):  # `_commit` raises it again
                await stored
            if self._commit(credit, stored) is None:
                await self.read_on()
        self.delays.on_credited()

    def _try_credited(self, credit: Proposal, asked: Proposal) -> None:
        """Decide the command on the table as it will be after the credit. Raises Refusal."""
        entry = Entry(
            self.id, self.table.seq + 1, credit.kind, credit.seat, credit.body, credit.by, self.table.at
        )
        credited, _ = table_after(self.table, entry)
        asked.own = credited.seat_of(asked.actor.ids)
        assert asked.decide is not None
        asked.decide(credited, asked)

    async def begin_sweep(self, now: int) -> int:
        """Begin a sweep at `now`: read on where needed, and credit time if anything is due."""
        async with self.lock:
            sweep = self.wakeup.begin_sweep()
            if self.is_stale or not self.context.bus.is_alone:
                await self.read_on()
            due = due_at(self.table, self.presence, now)
            if due is not None and due <= now + GRACE:  # a clock without time left is not waited for
                await self._credit_time(now)
            return sweep

    # -- to the log and back -----------------------------------------------------------------------

    def _append(self, proposal: Proposal) -> Stored:
        """The entry on its way to the log, with the table as it will be once it is there."""
        before, at, command, actor = self.table, proposal.received, proposal.command, proposal.actor
        kind = proposal.kind
        entry = Entry(
            self.id,
            before.seq + 1,
            kind,
            proposal.seat,
            proposal.body,
            proposal.by,
            at if at > before.at else before.at,
            None if command is None else command.id,
            actor.ids[0] if actor.ids else "",
        )
        after, events = table_after(before, entry, proposal.position, proposal.events)
        to_act = after.awaited()
        append = proposal.append = Append(
            entry,
            after.status,
            _DIGITS[to_act[0]] if len(to_act) == 1 else ",".join(map(str, to_act)),
            after.deadline(),
            None if proposal.in_sweep else self._due(after, kind, at),
            None if kind == "action" and not after.is_over else after.summary(),
            (kind != "action" or after.terms.clock.kind == "days") and concerns_absent(before, after, kind),
        )
        proposal.before, proposal.after, proposal.events = before, after, events
        proposal.sweeps, proposal.came_and_went = self.wakeup.sweeps, self.presence.changes
        if kind == "action":
            # Now, while all is in the processor's cache: when the disk has answered, other rooms have been there.
            acked = None if command is None else entry.seat
            proposal.frames = self.subscribers.frames_of(before, after, entry, events, acked)
        return self.context.store.append(append)

    def _unconfirmed(self, proposal: Proposal) -> Refusal:
        """It may be on disk, or not: the log is read before anything else."""
        self.is_stale = True
        self.delays.on_failed(proposal.received)
        return Unconfirmed()

    def _due(self, after: Table, kind: str, at: int) -> int | None:
        """When the sweeper must be woken, if that is earlier than it will wake anyway.

        Its row is not moved with every action: absence only ever moves back, so an early sweep finds
        nothing due and writes down the next time. That keeps this write out of nearly every action.
        """
        # Before the start somebody who stands up, or is ready, may make it earlier.
        is_untimed = after.status != "open" and after.terms.clock.kind == "none"
        if is_untimed and not after.bots_to_act():
            if self.wakeup.at is not None:
                return None
            if kind == "action" and not after.votes and not after.consents and not after.is_over:
                # Other workers sweep as well, so the row is asked with every action. Nobody who is to act counts as
                # absent before this time, and it takes no looking at who is there.
                return after.acts_since + 1000 * after.terms.absence if after.terms.absence else None
        due = due_at(after, self.presence, at)
        return None if due is None or self.wakeup.is_set_for(due) else due

    def _commit(self, proposal: Proposal, stored: Stored | asyncio.Future[Any]) -> Ack | None:
        """The entry is on disk: put it in place, send it to everybody, publish it.

        None when it is not: its number was already taken. Raises Unconfirmed.
        """
        append, after, context = proposal.append, proposal.after, self.context
        assert append is not None
        assert after is not None
        try:
            is_appended = stored.result()
        except StoreUnavailable:
            raise self._unconfirmed(proposal) from None
        if proposal.kind != "credited":
            self.delays.on_stored(proposal.received, context.clock.now())
        if not is_appended:
            return None
        entry = append.entry
        if append.due is not None:
            self.wakeup.note(append.due, proposal.sweeps)
            context.schedule.nudge(append.due)
        if not context.bus.is_alone and context.bus.hears(self.id):
            self._publish(entry, proposal)
        if self.table is not proposal.before:
            # Another worker's news of a later entry came first and the log was read: this entry is in place.
            self.is_stale = True
            context.tasks.spawn(self.catch_up())
            return Ack(entry.seq, False)
        acked = None
        if proposal.command is not None:
            acked = entry.seat if entry.kind == "action" else after.seat_of(proposal.actor.ids)
        self.install(after, entry, proposal.events, acked, proposal.frames)
        if self.presence.changes != proposal.came_and_went and not proposal.in_sweep:
            # Whoever came or went while the entry was on its way looked at the table before it, and it at
            # those who were there before: bots may have somebody to play for, a vote may be decided.
            context.tasks.spawn(self.reschedule())
        return Ack(entry.seq, acked is not None)

    def _publish(self, entry: Entry, proposal: Proposal) -> None:
        """For the other workers that have the room."""
        context = self.context
        if entry.kind == "seated":
            names = {person: context.names.of(person) for person in named_by(entry)}
            if names:  # so that the others need not ask for them before they can show the entry
                context.publish("named", self.id, names)
        public = proposal.frames[None].payload if proposal.frames else b""
        context.bus.publish(News("entry", self.id, context.worker, entry, public), (self.id,))


def _unless_moved(on: Table, table: Table, proposal: Proposal) -> Proposal:
    if table is not on:
        raise _Moved
    return proposal
