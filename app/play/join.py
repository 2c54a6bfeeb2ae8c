"""Coming in: who may see a room, and what somebody who comes in is told first."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from app.play.commands import messages as cmd
from app.play.commands.proposal import Proposal
from app.play.deal.days import is_sealed
from app.play.frames import Welcome, You, frame_of
from app.play.log.table import Table
from app.play.log.terms import CHAT_PRESETS
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import NotAdmitted, Raced, Refusal
from app.play.room import chat
from app.play.room.broadcast import state_frame
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from app.play.server import GameServer

PROTOCOL = 2
OLD_PROTOCOL = 1  # the same but for sealed seats: pages loaded before an update play on where there are none
_NOBODY: frozenset[str] = frozenset()  # an empty set of their own would weigh 216 bytes a subscriber


async def admit(
    game_server: GameServer,
    game: str,
    actor: Actor,
    password: str | None,
    asker: str = "",
    charge: Callable[[], None] | None = None,
) -> Room:
    """Return the room if this person may be in it. A room that does not exist answers like a locked one.

    `asker`: in whose turn a password is hashed; `charge` is called before that, and may raise Refusal.
    """
    room = await game_server.rooms.get(game)
    if room is not None:
        table = room.table
        if any(seat.person in actor.ids or seat.reserved in actor.ids for seat in table.seats):
            return room
    password_hash = room.table.terms.password_hash if room is not None else None
    if room is None or (password_hash is not None and not _is_known(room.table, actor)):
        if room is not None:
            await _same_work(game_server, game)
        if password is None:
            raise NotAdmitted("password_required")
        is_right = await game_server.passwords.is_right(password_hash, password, asker or actor.id, charge)
        if not is_right or room is None:
            raise NotAdmitted("password_wrong")
    if is_sealed(room.table.deal, game_server.clock.now()):
        raise NotAdmitted("deal_sealed")  # whoever watches would learn the cards of the day
    if not room.table.terms.spectators and room.table.status != "open":
        raise NotAdmitted("no_spectators")
    return room


def _is_known(table: Table, actor: Actor) -> bool:
    """The host, and whoever sat in the game of which this is the rematch, need no password."""
    return table.host in actor.ids or (
        table.series is not None and not set(table.series.people).isdisjoint(actor.ids)
    )


async def _same_work(game_server: GameServer, game: str) -> None:
    """A room that is not there is looked up in the store every time: let a locked one take as long."""
    try:
        await game_server.store.game(game)
    except StoreUnavailable:
        raise Refusal("try_again") from None


async def enter(game_server: GameServer, room: Room, subscriber: Subscriber, hello: cmd.Hello) -> None:
    """A subscriber comes in, or says hello again: it is told what it missed, and the others that it is here."""
    now = game_server.clock.now()
    is_new = subscriber not in list(room.subscribers)
    try:
        if subscriber.actor.ids and room.has_mutes:
            subscriber.muted = await game_server.store.mutes(room.id, subscriber.actor.id) or _NOBODY
        if hello.seq is not None and hello.seq > room.table.seq:
            await (
                room.read_on()
            )  # it was told more by another worker: nobody is shown an earlier state after that
        if is_new:
            if game_server.rooms.loaded(room.id) is not room:
                raise Raced  # put away while this one was at the door
            room.enter(subscriber, now)
        _greet(room, subscriber, hello, now)
        # Lines written meanwhile may come before these: clients order chat by its numbers.
        lines = await chat.lines_for(room, subscriber, hello.chat)
    except StoreUnavailable:
        raise Refusal("try_again") from None
    for line in lines:
        subscriber.listener.tell(line)
    seat = subscriber.seat
    if seat is not None and room.table.seats[seat].absent:
        # Whoever is back is not absent; a lost race means somebody else has seen to it.
        await room.add(Proposal("returned", seat, {}), now, room.table)
    subscriber.listener.tell(frame_of(room.presence.shown(room.table, game_server.clock.now())))
    if is_new:
        game_server.presence.changed(room, here=True)
        await room.reschedule()


def _greet(room: Room, subscriber: Subscriber, hello: cmd.Hello, now: int) -> None:
    """Synchronous, so that nothing comes between the number told and the frames that follow."""
    table, seat = room.table, subscriber.seat
    missed = room.subscribers.missed(table, hello.seq, seat)
    state = None
    if missed is None or len(missed) > 1:
        state = frame_of(state_frame(table, seat))
        if missed is not None and sum(len(frame.payload) for frame in missed) >= len(state.payload):
            missed = None  # the present view is the shorter answer
    you = You(
        person=subscriber.actor.id or None,
        name=subscriber.actor.name,
        seat=seat,
        muted=sorted(subscriber.muted),
        removed=UNSET if table.removed.isdisjoint(subscriber.actor.ids) else True,
    )
    welcome = Welcome(
        v=PROTOCOL,
        game=room.id,
        seq=table.seq,
        now=now,
        resumed=missed is not None,
        you=you,
        presets=CHAT_PRESETS,
    )
    subscriber.listener.tell(frame_of(welcome))
    if missed is not None:
        for frame in missed:
            subscriber.listener.tell(frame)
    elif state is not None:
        subscriber.listener.tell(state)


async def leave(game_server: GameServer, room: Room, subscriber: Subscriber) -> None:
    """A subscriber is gone; the others see it soon."""
    room.leave(subscriber, game_server.clock.now())
    game_server.presence.changed(room, here=True)
    await room.reschedule()
