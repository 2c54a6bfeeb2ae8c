"""Chat of a room: separate channels for players and spectators, lines of plain text or presets, numbered by room."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from app.play import frames
from app.play.commands import messages as cmd
from app.play.commands.request import Ack
from app.play.frames import Frame
from app.play.log.entries import ChatLine
from app.play.log.table import Table
from app.play.log.terms import CHAT_PRESETS, is_plain_text
from app.play.ports import Actor, NameLookup, StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber

MAX_LINE_CHARS = 300
MAX_REPLAYED_LINES = 60  # sent to a client that connects


async def write_line(room: Room, actor: Actor, command: cmd.Chat, now: int) -> Ack:
    """Store a line and send it to its channel; the ack has its number. Raises Refusal."""
    line = build_line(room.table, actor, command, now)
    try:
        await room.context.names.fetch_missing((line.person,))
        stored = await room.context.store.chat.add_line(line)
    except StoreUnavailable:
        raise Unconfirmed from None
    if stored.at == now and stored.command == command.id:
        if not receive_line(room, stored):
            await read_new_lines(room)
        # The name is not stored; with it the other workers need no query.
        named = replace(stored, name=room.context.names.get(stored.person) or "")
        room.context.publish("chat", room.id, named)
    room.mark_active(actor, now)
    return Ack(stored.n, False)


def build_line(table: Table, actor: Actor, command: cmd.Chat, now: int) -> ChatLine:
    """Return the line that this command writes. Raises Refusal."""
    if not actor.ids:
        raise Refusal("no_session")
    if table.status == "closed":
        raise Refusal("closed")
    if table.chat_closed:
        raise Refusal("chat_closed")
    if (command.text is None) == (command.preset is None):
        raise Refusal("bad_message", "A chat message has either `text` or `preset`.")
    text = command.text.strip() if command.text is not None else None
    if text is not None and not (1 <= len(text) <= MAX_LINE_CHARS and is_plain_text(text)):
        raise Refusal("bad_text")
    if command.preset is not None and command.preset not in CHAT_PRESETS:
        raise Refusal("bad_text", "There is no such preset.")
    seat = table.seat_of(actor.ids)
    # Before the start all who are here arrange the game together.
    channel = "spectators" if seat is None and table.status != "open" else "players"
    return ChatLine(table.id, 0, now, channel, actor.id, "", seat, text, command.preset, command.id)


def receive_line(room: Room, line: ChatLine) -> bool:
    """Send a line that this or another worker has stored; return False if lines before it were missed."""
    is_gap = room.last_chat_sent is not None and line.n > room.last_chat_sent + 1
    if is_gap or not room.context.names.has_all((line.person,)):
        return False
    if line.n > (room.last_chat_sent or 0):
        _send_line(room, line)
    return True


async def read_new_lines(room: Room) -> None:
    """Read and send the lines after the last one sent here. If the store does not answer, the next line retries."""
    if room.last_chat_sent is None:
        return
    try:
        lines = await room.context.store.chat.read_lines(room.id, room.last_chat_sent, MAX_REPLAYED_LINES)
        await room.context.names.fetch_missing(line.person for line in lines)
    except StoreUnavailable:
        return
    for line in lines:
        if line.n > room.last_chat_sent:
            _send_line(room, line)


def _send_line(room: Room, line: ChatLine) -> None:
    """Send the line to subscribers who may read it, and only its number to the others."""
    room.last_chat_sent = line.n
    whole, blank = _build_frames(line, room.context.names)
    for subscriber in room.subscribers:
        if subscriber.receives_chat:
            subscriber.listener.send(whole if _can_read(subscriber, line, room.table) else blank)


async def read_missed_lines(room: Room, subscriber: Subscriber, after: int | None) -> list[Frame]:
    """Return the frames of the lines that a new subscriber has missed."""
    if not subscriber.receives_chat:
        return []
    last = room.last_chat_sent
    if last is not None and last <= (after or 0) and not room.context.bus.has_followers(room.id):
        return []  # no other worker has the room, so none can have stored a line since
    lines = await room.context.store.chat.read_lines(room.id, after or 0, MAX_REPLAYED_LINES)
    await room.context.names.fetch_missing(line.person for line in lines)
    if room.last_chat_sent is None and (lines or not after):
        # From now on a gap in the numbers shows that a line was missed.
        room.last_chat_sent = lines[-1].n if lines else 0
    frames = []
    for line in lines:
        whole, blank = _build_frames(line, room.context.names)
        frames.append(whole if _can_read(subscriber, line, room.table) else blank)
    return frames


async def set_mute(room: Room, actor: Actor, command: cmd.Mute) -> Ack:
    """Mute or unmute another person for the actor in this room. Raises Refusal."""
    if not actor.ids:
        raise Refusal("no_session")
    if command.person in actor.ids or not await _is_known_here(room, command.person):
        raise Refusal("unknown_person")
    try:
        await room.context.store.chat.set_mute(room.id, actor.id, command.person, command.on)
        muted = await room.context.store.chat.read_mutes(room.id, actor.id)
    except StoreUnavailable:
        raise Unconfirmed from None
    apply_mutes(room, actor.id, muted)
    room.context.publish("muted", room.id, [actor.id, sorted(muted)])
    return Ack(room.table.seq, False)


def apply_mutes(room: Room, person: str, muted: frozenset[str]) -> None:
    """Apply the mutes to every socket of this person in this worker."""
    room.has_mutes = True
    for subscriber in room.subscribers:
        if subscriber.actor.id == person:
            subscriber.muted = muted


async def _is_known_here(room: Room, person: str) -> bool:
    if room.presence.is_present(person, room.context.clock.now()):
        return True
    if any(person in (seat.person, seat.reserved) for seat in room.table.seats):
        return True
    return any(line.person == person for line in await room.context.store.chat.read_lines(room.id, 0, 1000))


def _can_read(subscriber: Subscriber, line: ChatLine, table: Table) -> bool:
    if line.is_deleted or line.person in subscriber.muted or line.person in subscriber.blocked:
        return False
    # `admitted`, not the actor: a player with a second, watch-only socket is no spectator.
    return line.channel == "players" or table.is_over or table.seat_of(subscriber.admitted) is None


def _build_frames(line: ChatLine, names: NameLookup) -> tuple[Frame, Frame]:
    number = frames.Chat(n=line.n, at=line.at, channel=line.channel)
    whole = frames.Chat(
        n=line.n,
        at=line.at,
        channel=line.channel,
        person=line.person,
        name=names.get(line.person),
        seat=line.seat,
        text=UNSET if line.text is None else line.text,
        preset=UNSET if line.text is not None or line.preset is None else line.preset,
    )
    return frames.encode_frame(whole), frames.encode_frame(number)
