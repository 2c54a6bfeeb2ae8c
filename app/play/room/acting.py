"""The short way of an action that nothing holds up: decided at once, told when it is on disk, and no task waits.

It is Room.submit without its cases. Whatever is not plain goes there instead, before anything has happened:
a room that is busy or behind, a clock to be credited first, a command that was sent before, and whatever
would be refused, because another worker may have news that make it right.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from functools import partial

from app.play.commands import messages as cmd
from app.play.commands.draft import Scene
from app.play.commands.play import decide
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.ack import Ack
from app.play.room.pending import OnTheWay
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from app.play.schedule.due import is_credit_owed

__all__ = ["Answer", "act_now"]

Answer = Callable[[Ack | Refusal], None]


def act_now(room: Room, subscriber: Subscriber, command: cmd.Act, received: int, answer: Answer) -> bool:
    """Whether the action is on its way; `answer` hears how it ended. False: nothing has happened."""
    table, actor, seat = room.table, subscriber.actor, subscriber.seat
    if (
        room.is_stale
        or room.lock.is_locked
        or command.version > table.seq
        or command.id in room.commands
        or seat is None
        or table.seats[seat].person not in actor.ids
        or _is_time_open(room, received)
    ):
        return False
    try:
        draft = decide(table, Scene(actor, seat, received, _nobody), command)
    except Refusal:
        return False
    room.lock.try_acquire()
    try:
        room.last_used = received
        room.presence.mark_active(subscriber.key, received)
        step = room.prepare(draft, received, command.id, actor)
        # Now, while all is in the processor's cache: by the time the disk has answered, other rooms have been.
        step.frames = room.subscribers.frames_of(table, step.after, step.append.entry, step.events, seat)
        stored = asyncio.ensure_future(room.game_server.store.append(step.append))
        stored.add_done_callback(partial(_stored, room, step, command, answer))
    except BaseException:
        room.lock.release()  # nobody else will: a fault of ours must not lock the room for its people
        raise
    return True


def _nobody() -> Collection[int]:
    """No action is decided by who is present."""
    return ()


def _is_time_open(room: Room, now: int) -> bool:
    """Whether something must be written down before a clock can be judged."""
    clocks = room.table.clocks
    if clocks is None or not clocks.running:
        return False
    return not room.game_server.sweeper.is_current(now) or is_credit_owed(room, now)


def _stored(
    room: Room, step: OnTheWay, command: cmd.Act, answer: Answer, stored: asyncio.Future[bool]
) -> None:
    done: Ack | Refusal | None
    try:
        done = room.settle(step, is_appended=stored.result())
    except (StoreUnavailable, asyncio.CancelledError):
        done = room.not_stored(step)
    finally:
        room.lock.release()
    if done is None:
        room.game_server.spawn(_act_again(room, step, command, answer))
        return
    answer(done)
    if room.is_stale and isinstance(done, Ack):
        room.game_server.spawn(room.game_server.rooms.catch_up(room))


async def _act_again(room: Room, step: OnTheWay, command: cmd.Act, answer: Answer) -> None:
    """Another worker was faster: read on, and go the long way."""
    assert step.sender is not None
    room.is_stale = True
    try:
        answer(await room.submit(step.sender, command, step.at))
    except Refusal as refusal:
        answer(refusal)
