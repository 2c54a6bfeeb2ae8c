"""Coming in: who may see a room, and what somebody who comes in is told first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.play.room import chat
from app.play.commands import messages as cmd
from app.play.commands.draft import Draft
from app.play.frame import frame_of
from app.play.ports import Anyone, StoreUnavailable
from app.play.refusals import NotAdmitted, Raced, Refusal
from app.play.room.room import Room
from app.play.room.broadcast import state_message
from app.play.log.terms import CHAT_PRESETS, check_password
from app.play.room.subscribers import Visitor

if TYPE_CHECKING:
    from app.play.server import House

__all__ = ["OLD_PROTOCOL", "PROTOCOL", "admit", "enter", "leave"]

PROTOCOL = 2
OLD_PROTOCOL = 1  # the same but for sealed seats: pages loaded before an update play on where there are none
_NOBODY: frozenset[str] = frozenset()  # an empty set of their own would weigh 216 bytes a visitor


async def admit(house: House, game: str, anyone: Anyone, password: str | None) -> Room:
    """The room, if this person may be in it. A room that does not exist answers like a locked one."""
    room = await house.rooms.get(game)
    if room is not None:
        table = room.table
        if any(seat.person in anyone.ids or seat.reserved in anyone.ids for seat in table.seats):
            return room
    lock = room.table.terms.lock if room is not None else None
    if room is None or (lock is not None and room.table.host not in anyone.ids):
        if room is not None:
            await _same_work(house, game)
        if password is None:
            raise NotAdmitted("password_required")
        if not await house.hashing(check_password, lock, password) or room is None:
            raise NotAdmitted("password_wrong")
    if not room.table.terms.spectators and room.table.status != "open":
        raise NotAdmitted("no_spectators")
    return room


async def _same_work(house: House, game: str) -> None:
    """A room that is not there is looked up in the store every time: let a locked one take as long."""
    try:
        await house.store.game(game)
    except StoreUnavailable:
        raise Refusal("try_again") from None


async def enter(house: House, room: Room, visitor: Visitor, hello: cmd.Hello) -> None:
    """A visitor comes in, or says hello again: it is told what it missed, and the others that it is here."""
    now = house.clock.now()
    is_new = visitor not in list(room.visitors)
    try:
        if visitor.anyone.ids:
            visitor.muted = await house.store.mutes(room.id, visitor.anyone.id) or _NOBODY
        if is_new:
            if house.rooms.loaded(room.id) is not room:
                raise Raced  # put away while this one was at the door
            room.enter(visitor, now)
        _greet(room, visitor, hello, now)
        # Lines written meanwhile may come before these: clients order chat by its numbers.
        lines = await chat.lines_for(room, visitor, hello.chat)
    except StoreUnavailable:
        raise Refusal("try_again") from None
    for line in lines:
        visitor.listener.tell(line)
    seat = visitor.seat
    if seat is not None and room.table.seats[seat].absent:
        # Whoever is back is not absent; a lost race means somebody else has seen to it.
        await room.add(Draft("returned", seat, {}, "server"), now, room.table)
    visitor.listener.tell(frame_of(room.presence.as_json(room.table, house.clock.now())))
    if is_new:
        house.presence.changed(room, here=True)
        await house.rewake(room)


def _greet(room: Room, visitor: Visitor, hello: cmd.Hello, now: int) -> None:
    """Synchronous, so that nothing comes between the number told and the frames that follow."""
    table, seat = room.table, visitor.seat
    missed = room.visitors.missed(table, hello.seq, seat)
    state = None
    if missed is None or len(missed) > 1:
        state = frame_of(state_message(table, seat))
        if missed is not None and sum(len(frame.payload) for frame in missed) >= len(state.payload):
            missed = None  # the present view is the shorter answer
    you = {
        "person": visitor.anyone.id or None,
        "name": visitor.anyone.name,
        "seat": seat,
        "muted": sorted(visitor.muted),
    }
    welcome = {
        "t": "welcome",
        "v": PROTOCOL,
        "game": room.id,
        "seq": table.seq,
        "now": now,
        "resumed": missed is not None,
        "you": you,
        "presets": CHAT_PRESETS,
    }
    visitor.listener.tell(frame_of(welcome))
    if missed is not None:
        for frame in missed:
            visitor.listener.tell(frame)
    elif state is not None:
        visitor.listener.tell(state)


async def leave(house: House, room: Room, visitor: Visitor) -> None:
    """A visitor is gone; the others see it soon."""
    room.leave(visitor, house.clock.now())
    house.presence.changed(room, here=True)
    await house.rewake(room)
