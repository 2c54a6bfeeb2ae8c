"""Chat of a room: players and spectators apart, a counter of its own, plain text or a preset."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from app.play import frames
from app.play.commands import messages as cmd
from app.play.frames import Frame
from app.play.log.entries import ChatLine
from app.play.log.table import Table
from app.play.log.terms import CHAT_PRESETS, is_plain
from app.play.ports import Actor, NameBook, StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.replica import Replica
from app.play.room.subscribers import Subscriber

LONGEST_LINE = 300
SHOWN = 60  # lines somebody who comes in gets to see


async def write_line(room: Replica, actor: Actor, command: cmd.Chat, now: int) -> ChatLine:
    """Check, store, tell; the line with its number. Raises Refusal."""
    line = chat_line(room.table, actor, command, now)
    try:
        await room.context.names.learn((line.person,))
        stored = await room.context.store.add_chat(line)
    except StoreUnavailable:
        raise Unconfirmed from None
    if stored.at == now and stored.command == command.id:
        if not receive_line(room, stored):
            await read_on(room)
        # With the name, which is not stored: the others need not ask for it.
        named = replace(stored, name=room.context.names.of(stored.person) or "")
        room.context.publish("chat", room.id, named)
    return stored


def chat_line(table: Table, actor: Actor, command: cmd.Chat, now: int) -> ChatLine:
    """The line this command makes; raises Refusal."""
    if not actor.ids:
        raise Refusal("no_session")
    if table.status == "closed":
        raise Refusal("closed")
    if table.chat_closed:
        raise Refusal("chat_closed")
    if (command.text is None) == (command.preset is None):
        raise Refusal("bad_message", "A line has either `text` or `preset`.")
    text = command.text.strip() if command.text is not None else None
    if text is not None and not (1 <= len(text) <= LONGEST_LINE and is_plain(text)):
        raise Refusal("bad_text")
    if command.preset is not None and command.preset not in CHAT_PRESETS:
        raise Refusal("bad_text", "There is no such preset.")
    seat = table.seat_of(actor.ids)
    channel = "spectators" if seat is None else "players"
    return ChatLine(table.id, 0, now, channel, actor.id, "", seat, text, command.preset, command.id)


def receive_line(room: Replica, line: ChatLine) -> bool:
    """A line that was stored, here or by another worker; False when lines before it were missed."""
    is_gap = room.last_chat_sent is not None and line.n > room.last_chat_sent + 1
    if is_gap or not room.context.names.knows((line.person,)):
        return False
    if line.n > (room.last_chat_sent or 0):
        _tell_line(room, line)
    return True


async def read_on(room: Replica) -> None:
    """Tell what was written since the last line that was told here; the next gap tells if this fails."""
    if room.last_chat_sent is None:
        return
    try:
        lines = await room.context.store.chat(room.id, room.last_chat_sent, SHOWN)
        await room.context.names.learn(line.person for line in lines)
    except StoreUnavailable:
        return
    for line in lines:
        if line.n > room.last_chat_sent:
            _tell_line(room, line)


def _tell_line(room: Replica, line: ChatLine) -> None:
    """To everybody: the line, or only its number for whom it is not meant."""
    room.last_chat_sent = line.n
    whole, blank = _frames(line, room.context.names)
    for subscriber in room.subscribers:
        if subscriber.receives_chat:
            subscriber.listener.tell(whole if _may_read(subscriber, line, room.table) else blank)


async def lines_for(room: Replica, subscriber: Subscriber, after: int | None) -> list[Frame]:
    """Return the lines that a new subscriber has missed."""
    if not subscriber.receives_chat:
        return []
    last = room.last_chat_sent
    if last is not None and last <= (after or 0) and not room.context.bus.hears(room.id):
        return []  # nobody but this worker's people can have said anything since
    lines = await room.context.store.chat(room.id, after or 0, SHOWN)
    await room.context.names.learn(line.person for line in lines)
    if room.last_chat_sent is None and (lines or not after):
        # From now on a missed line is noticed by its number.
        room.last_chat_sent = lines[-1].n if lines else 0
    frames = []
    for line in lines:
        whole, blank = _frames(line, room.context.names)
        frames.append(whole if _may_read(subscriber, line, room.table) else blank)
    return frames


async def mute(room: Replica, actor: Actor, command: cmd.Mute) -> None:
    """Whether this person gets that person's lines in this room."""
    if not actor.ids:
        raise Refusal("no_session")
    if command.person in actor.ids or not await _was_here(room, command.person):
        raise Refusal("unknown_person")
    try:
        await room.context.store.set_mute(room.id, actor.id, command.person, command.on)
        muted = await room.context.store.mutes(room.id, actor.id)
    except StoreUnavailable:
        raise Unconfirmed from None
    take_mutes(room, actor.id, muted)
    room.context.publish("muted", room.id, [actor.id, sorted(muted)])


def take_mutes(room: Replica, person: str, muted: frozenset[str]) -> None:
    """On every device this person has here."""
    room.has_mutes = True
    for subscriber in room.subscribers:
        if subscriber.actor.id == person:
            subscriber.muted = muted


async def _was_here(room: Replica, person: str) -> bool:
    if room.presence.is_here(person, room.context.clock.now()):
        return True
    if any(person in (seat.person, seat.reserved) for seat in room.table.seats):
        return True
    return any(line.person == person for line in await room.context.store.chat(room.id, 0, 1000))


def _may_read(subscriber: Subscriber, line: ChatLine, table: Table) -> bool:
    if line.is_deleted or line.person in subscriber.muted:
        return False
    # By the person who was let in: a player who only watches with a second socket is no spectator.
    return line.channel == "players" or table.is_over or table.seat_of(subscriber.admitted) is None


def _frames(line: ChatLine, names: NameBook) -> tuple[Frame, Frame]:
    number = frames.Chat(n=line.n, at=line.at, channel=line.channel)
    whole = frames.Chat(
        n=line.n,
        at=line.at,
        channel=line.channel,
        person=line.person,
        name=names.of(line.person),
        seat=line.seat,
        text=UNSET if line.text is None else line.text,
        preset=UNSET if line.text is not None or line.preset is None else line.preset,
    )
    return frames.frame_of(whole), frames.frame_of(number)
