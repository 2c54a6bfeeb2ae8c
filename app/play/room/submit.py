"""The one way into the log: request, decide, append, commit.

`_run_command` is the whole path of a command. A room decides one command at a time, in the coroutine that holds its
lock. It runs without a task (`run_inline`), except for work that has to query the store before the decision.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import msgspec

from app.play.commands import messages as cmd
from app.play.commands.request import SERVER_ACTOR, Ack, CommandT, Decider, Decision, Request
from app.play.frames import Frame
from app.play.log.entries import Append, Entry
from app.play.log.fold import fold_copy
from app.play.log.notice_checks import needs_notice_check
from app.play.log.table import Table
from app.play.outcome import Outcome, run_inline, wait_settled
from app.play.ports import News, StoreUnavailable
from app.play.presence import Presence
from app.play.refusals import LostRaces, Refusal, Unconfirmed
from app.play.room.audience_frames import Audience
from app.play.room.room import Room, people_named_by
from app.play.schedule.due import CLOCK_GRACE_MS, next_due_at
from app.play.schedule.time_credit import decide_credit
from app.rules import Event

MAX_RACES = 8  # lost in a row before the sender is asked to try again
_SEAT_DIGITS = tuple(map(str, range(10)))


class PendingAppend(msgspec.Struct, frozen=True, gc=False):
    """An entry that is about to be stored, with the tables before and after it."""

    append: Append
    before: Table
    after: Table
    events: tuple[Event, ...]
    frames: dict[Audience, Frame] | None  # only of an action
    presence_changes: int | None  # so many before it; None in a sweep, which writes the due row at its end


class _TableReplaced(Exception):
    """The table on which the server's entry was decided has been replaced."""


def submit(room: Room, request: Request[CommandT], decide: Decider[CommandT]) -> Outcome[Ack]:
    """Start a person's command. The outcome is its ack, once it is on disk, or a Refusal.

    A caller that stops waiting withdraws the command only while it still waits for the room's lock.
    """
    ids, at = request.actor.ids, request.at
    room.last_used = at
    # A person with several ids is present under the one that has the seat.
    room.presence.mark_active(ids[0] if len(ids) == 1 else room.presence_key(request.actor), at)
    return run_inline(_run_command(room, request, decide))


async def add_server_entry(
    room: Room, decision: Decision, at: int, on: Table, *, in_sweep: bool = False
) -> bool:
    """Write an entry of the server's own, decided on the table `on`; return False if that table has been replaced.

    `in_sweep`: the sweeper writes the due row itself at the end of the sweep.
    """

    def decide(table: Table, request: Request[None], presence: Presence) -> Decision:
        if table is not on:
            raise _TableReplaced
        return decision

    try:
        await run_inline(_run_command(room, Request(SERVER_ACTOR, None, at), decide, in_sweep=in_sweep))
    except _TableReplaced:
        return False
    return True


async def begin_sweep(room: Room, now: int) -> int:
    """Begin a sweep: read new entries if other workers may have written any, and credit time if anything is due.

    Return the sweep's number for `Wakeup.set_row_time`.
    """
    return await run_inline(_begin_sweep(room, now))


async def _run_command(
    room: Room, request: Request[CommandT], decide: Decider[CommandT], *, in_sweep: bool = False
) -> Ack:
    """Take one command from its request to its commit. Run by `run_inline`."""
    lock = room.lock
    if not lock.try_acquire():
        await lock.acquire()
    try:
        if not _is_ready(room, request):
            await _prepare_request(room, request, decide)
        races, refused_on = 0, None
        while True:
            known = _find_known_ack(room, request)
            if known is not None:
                return known
            table = room.table
            try:
                decision = decide(table, request, room.presence)
            except Refusal:
                # The client may have seen an entry that has not reached this worker yet.
                if room.context.bus.is_single_worker or refused_on is table:
                    raise
                refused_on = table
            else:
                pending = _prepare_append(room, request, decision, in_sweep=in_sweep)
                stored = room.context.store.log.append(pending.append)
                await wait_settled(stored)
                ack = _commit(room, request, pending, stored)
                if ack is not None:
                    return ack
                races += 1  # another worker was faster
            await _run_in_task(room, room.read_new_entries())
            if races == MAX_RACES:
                raise LostRaces
    finally:
        lock.release()


def _find_known_ack(room: Room, request: Request[CommandT]) -> Ack | None:
    """Return the ack of a command that was sent before. Raise Refusal if its id is another person's."""
    command = request.command
    known = None if command is None else room.commands.get(command.id)
    if known is None:
        return None
    seq, who = known
    if who not in request.actor.ids:
        raise Refusal("id_taken")
    return Ack(seq, False)


async def _run_in_task(room: Room, work: Coroutine[Any, Any, None]) -> None:
    """Run work that needs a task of its own, such as store queries."""
    try:
        await room.context.tasks.start(work)
    except asyncio.CancelledError:  # the server is closing
        raise Refusal("try_again") from None


# -- before a command can be decided ---------------------------------------------------------------


def _is_ready(room: Room, request: Request[CommandT]) -> bool:
    """Return whether the request can be decided without reading or writing anything first."""
    command, table = request.command, room.table
    if command is None:
        return True
    if room.is_stale or getattr(command, "version", 0) > table.seq:  # another worker was faster
        return False
    if type(command) is cmd.Sit and not room.context.names.has_all((request.actor.id,)):
        return False
    clocks = table.clocks
    if table.seal_round is None and (clocks is None or not clocks.running):  # no time limit is running
        return True
    tracker = room.context.outage_tracker
    return tracker.is_current(request.at) and decide_credit(table, tracker.outages, room.delays) is None


async def _prepare_request(room: Room, request: Request[CommandT], decide: Decider[CommandT]) -> None:
    command = request.command
    if isinstance(command, cmd.Sit):
        try:
            await _run_in_task(room, room.context.names.fetch_missing((request.actor.id,)))
        except StoreUnavailable:
            raise Refusal("try_again") from None
    if room.is_stale or getattr(command, "version", 0) > room.table.seq:
        await _run_in_task(room, room.read_new_entries())
    if command is not None and command.id not in room.commands:
        await _credit_time(room, request, decide)


async def _begin_sweep(room: Room, now: int) -> int:
    async with room.lock:
        sweep = room.wakeup.begin_sweep()
        if room.is_stale or not room.context.bus.is_single_worker:
            await _run_in_task(room, room.read_new_entries())
        due = next_due_at(room.table, room.presence, now)
        if due is not None and due <= now + CLOCK_GRACE_MS:  # an empty clock has no grace period
            await _credit_time(room, Request(SERVER_ACTOR, None, now))
        return sweep


async def _credit_time(
    room: Room, request: Request[CommandT], decide: Decider[CommandT] | None = None
) -> None:
    """Write the time credit that is due, before any clock is checked. The caller holds the lock.

    Raises Refusal, and writes nothing, if the command would be refused even with the credit.
    """
    if room.table.time_runs_since() is None:
        return
    tracker = room.context.outage_tracker
    if not tracker.is_current(request.at):
        # An outage may have just ended, before the periodic heartbeat has noticed it.
        await _run_in_task(room, tracker.record_heartbeat())
    may_be_behind = decide is not None and not room.context.bus.is_single_worker
    while (credit := decide_credit(room.table, tracker.outages, room.delays)) is not None:
        if (
            may_be_behind
        ):  # another worker may have written the credit, or entries that make the command legal
            may_be_behind = False
            await _run_in_task(room, room.read_new_entries())
            continue
        if decide is not None:
            decide(_apply_credit(room.table, credit), request, room.presence)
        own_request = Request(SERVER_ACTOR, None, request.at)
        pending = _prepare_append(room, own_request, credit, in_sweep=False)
        stored = room.context.store.log.append(pending.append)
        await wait_settled(stored)
        if _commit(room, own_request, pending, stored) is None:
            await _run_in_task(room, room.read_new_entries())
    room.delays.on_credited()


def _apply_credit(table: Table, credit: Decision) -> Table:
    """Return the table after the credit."""
    entry = Entry(table.id, table.seq + 1, credit.kind, credit.seat, credit.body, "server", table.at)
    return fold_copy(table, entry)[0]


# -- to the log and back ---------------------------------------------------------------------------


def _prepare_append(
    room: Room, request: Request[CommandT], decision: Decision, *, in_sweep: bool
) -> PendingAppend:
    """Number the entry, fold it into a copy of the table and build its frames."""
    before, at, command, kind = room.table, request.at, request.command, decision.kind
    ids = request.actor.ids
    entry = Entry(
        room.id,
        before.seq + 1,
        kind,
        decision.seat,
        decision.body,
        decision.by or ("server" if command is None else "person"),
        at if at > before.at else before.at,
        None if command is None else command.id,
        ids[0] if ids else "",
    )
    after, events = fold_copy(before, entry, decision.position, decision.events)
    to_act = after.list_awaited_seats()
    append = Append(
        entry,
        after.status,
        _SEAT_DIGITS[to_act[0]] if len(to_act) == 1 else ",".join(map(str, to_act)),
        after.deadline(),
        None if in_sweep else room.wakeup.row_time_after_entry(after, room.presence, kind, at),
        None if kind == "action" and not after.is_over else after.summary(),
        (kind != "action" or (after.clocks is not None and after.clocks.is_correspondence))
        and needs_notice_check(before, after, kind),
    )
    frames = None
    if kind == "action":
        # Built before the commit, while the data is in the CPU cache; other rooms run while the disk is busy.
        acked = None if command is None else entry.seat
        frames = room.subscribers.build_frames(before, after, entry, events, acked)
    return PendingAppend(
        append, before, after, events, frames, None if in_sweep else room.presence.change_count
    )


def _commit(
    room: Room, request: Request[CommandT], pending: PendingAppend, stored: Outcome[bool]
) -> Ack | None:
    """Install the entry if it was stored; return None if its number was taken. Raises Unconfirmed if unknown."""
    context = room.context
    try:
        is_stored = stored.result()
    except StoreUnavailable:
        room.is_stale = True
        room.delays.on_failed(request.at)
        raise Unconfirmed from None
    if pending.append.entry.kind != "credited":
        room.delays.on_stored(request.at, context.clock.now())
    if not is_stored:
        return None
    ack = _install(room, request, pending)
    if pending.presence_changes is not None and pending.presence_changes != room.presence.change_count:
        # Presence changed while the entry was written, so the due time was computed without the one or the other.
        context.tasks.spawn(room.reschedule())
    return ack


def _install(room: Room, request: Request[CommandT], pending: PendingAppend) -> Ack:
    """Install a stored entry: publish it, replace the table, send the frames."""
    context, append, after = room.context, pending.append, pending.after
    entry = append.entry
    if append.due is not None:
        # No sweep can have begun since the append, because it would need the lock.
        room.wakeup.set_row_time(append.due, room.wakeup.sweeps)
        context.sweep_alarm.nudge(append.due)
    if not context.bus.is_single_worker and context.bus.has_followers(room.id):
        _publish(room, pending)
    if room.table is not pending.before:
        # News of a later entry came first, and the log was read: this entry is already installed.
        room.is_stale = True
        context.tasks.spawn(room.catch_up())
        return Ack(entry.seq, False)
    acked = None
    if request.command is not None:
        acked = entry.seat if entry.kind == "action" else after.seat_of(request.actor.ids)
    room.install(after, entry, pending.events, acked, pending.frames)
    return Ack(entry.seq, acked is not None)


def _publish(room: Room, pending: PendingAppend) -> None:
    """Send the entry to the other workers that hold the room."""
    context, entry, frames = room.context, pending.append.entry, pending.frames
    if entry.kind == "seated":
        names = {person: context.names.get(person) for person in people_named_by(entry)}
        if names:  # the others need them to show the entry, and would have to query the store
            context.publish("named", room.id, names)
    public = frames[None].payload if frames else b""
    context.bus.publish(News("entry", room.id, context.worker, entry, public), (room.id,))
