"""Joining a room: admission, the frames that a connecting client receives first, and leaving."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from app.play.commands import messages as cmd
from app.play.commands.request import Decision
from app.play.deal.days import is_deal_secret
from app.play.frames import Welcome, YouInRoom, encode_frame
from app.play.log.table import Table
from app.play.log.terms import CHAT_PRESETS
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import LISTED_SENTENCES, LostRaces, NotAdmitted, Refusal
from app.play.room import chat
from app.play.room.audience_frames import state_frame
from app.play.room.room import Room
from app.play.room.submit import add_server_entry
from app.play.room.subscribers import Subscriber
from app.play.server import GameServer

PROTOCOL_VERSION = 2
_NO_MUTES: frozenset[str] = frozenset()  # shared: an empty set takes 216 bytes


async def admit(
    game_server: GameServer,
    game: str,
    actor: Actor,
    password: str | None,
    asker: str = "",
    charge: Callable[[], None] | None = None,
) -> Room:
    """Return the room if this person may enter. Raises NotAdmitted; a missing room looks like a locked, unlisted one.

    `asker` is the person or address whose share of hashing a password check uses. `charge` is called before a hash is
    computed and may raise Refusal.
    """
    room = await game_server.rooms.get(game)
    if room is not None:
        table = room.table
        if any(seat.person in actor.ids or seat.reserved in actor.ids for seat in table.seats):
            return room
    terms = room.table.terms if room is not None else None
    password_hash = terms.password_hash if terms is not None else None
    # A listed table is known to exist. An unlisted one gets the answer of a missing one.
    why = "listed" if terms is not None and terms.visibility == "open" else None
    if room is None or (password_hash is not None and not _needs_no_password(room.table, actor)):
        if room is not None:
            await _equalise_timing(game_server, game)
        if password is None:
            raise NotAdmitted(
                "password_required", LISTED_SENTENCES["password_required"] if why else None, why
            )
        is_right = await game_server.passwords.matches(password_hash, password, asker or actor.id, charge)
        if not is_right or room is None:
            raise NotAdmitted("password_wrong", LISTED_SENTENCES["password_wrong"] if why else None, why)
    if is_deal_secret(room.table.deal, game_server.clock.now()):
        raise NotAdmitted("deal_sealed")  # a spectator would learn the cards of the day
    if not room.table.terms.spectators and room.table.status != "open":
        raise NotAdmitted("no_spectators")
    return room


def _needs_no_password(table: Table, actor: Actor) -> bool:
    """Return whether the person may enter without a password: the host, and players of the previous game."""
    return table.host in actor.ids or (
        table.series is not None and not set(table.series.people).isdisjoint(actor.ids)
    )


async def _equalise_timing(game_server: GameServer, game: str) -> None:
    """Read the game again, so that a locked room takes as long as a missing one, which is never cached."""
    try:
        await game_server.store.log.read_game(game)
    except StoreUnavailable:
        raise Refusal("try_again") from None


async def enter(game_server: GameServer, room: Room, subscriber: Subscriber, hello: cmd.Hello) -> None:
    """Add a subscriber, or greet it again: send what it has missed, and broadcast its presence."""
    now = game_server.clock.now()
    is_new = subscriber not in list(room.subscribers)
    try:
        if subscriber.actor.ids and room.has_mutes:
            subscriber.muted = (
                await game_server.store.chat.read_mutes(room.id, subscriber.actor.id) or _NO_MUTES
            )
        if hello.seq is not None and hello.seq > room.table.seq:
            # Another worker has sent this client later entries; it must not see an earlier state now.
            await room.read_new_entries()
        if is_new and subscriber.receives_chat:  # last, so that no later change is missed
            subscriber.blocked = await game_server.blocked_people.read(subscriber.actor)
        if is_new:
            if game_server.rooms.get_loaded(room.id) is not room:
                raise LostRaces  # the room was evicted meanwhile
            room.enter(subscriber, now)
            game_server.on_entered(room)
        _greet(room, subscriber, hello, now)
        # Newer lines may be sent before these; clients sort chat by number.
        lines = await chat.read_missed_lines(room, subscriber, hello.chat)
    except StoreUnavailable:
        raise Refusal("try_again") from None
    for line in lines:
        subscriber.listener.send(line)
    await end_absence(room, subscriber.seat, now)
    subscriber.listener.send(encode_frame(room.presence.to_frame(room.table, game_server.clock.now())))
    if is_new:
        game_server.presence.mark_changed(room, is_local=True)
        await room.reschedule()


def is_absent(room: Room, seat: int | None) -> bool:
    """Return whether this seat counts as absent."""
    return seat is not None and room.table.seats[seat].absent


async def end_absence(room: Room, seat: int | None, now: int) -> None:
    """Record that the player of this seat is back, if the seat counts as absent."""
    if seat is not None and is_absent(room, seat):
        # A lost race means that another entry has ended the absence.
        await add_server_entry(room, Decision("returned", seat, {}), now, room.table)


def _greet(room: Room, subscriber: Subscriber, hello: cmd.Hello, now: int) -> None:
    """Send the welcome, and the missed frames or the state. Synchronous, so that no entry comes in between."""
    table, seat = room.table, subscriber.seat
    missed = room.subscribers.build_missed_frames(table, hello.seq, seat)
    state = None
    if missed is None or len(missed) > 1:
        state = encode_frame(state_frame(table, seat))
        if missed is not None and sum(len(frame.payload) for frame in missed) >= len(state.payload):
            missed = None  # the whole state is shorter
    is_removed = not table.removed.keys().isdisjoint(subscriber.actor.ids)
    you = YouInRoom(
        person=subscriber.actor.id or None,
        name=subscriber.actor.name,
        seat=seat,
        muted=sorted(subscriber.muted),
        removed=True if is_removed else UNSET,
        removed_until=table.removed_until(subscriber.actor.ids) if is_removed else UNSET,
    )
    welcome = Welcome(
        v=PROTOCOL_VERSION,
        game=room.id,
        seq=table.seq,
        now=now,
        resumed=missed is not None,
        you=you,
        presets=CHAT_PRESETS,
    )
    subscriber.listener.send(encode_frame(welcome))
    if missed is not None:
        for frame in missed:
            subscriber.listener.send(frame)
    elif state is not None:
        subscriber.listener.send(state)


async def leave(game_server: GameServer, room: Room, subscriber: Subscriber) -> None:
    """Remove a subscriber and broadcast the change of presence."""
    room.leave(subscriber, game_server.clock.now())
    game_server.presence.mark_changed(room, is_local=True)
    await room.reschedule()
