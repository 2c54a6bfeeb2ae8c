"""Who listens to a room in this worker: sockets and streams by audience, and how one catches up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from msgspec import UNSET
from msgspec.structs import replace

from app.play.frames import Events, Frame, ServerFrame, frame_of
from app.play.log.entries import Entry
from app.play.log.table import Table
from app.play.ports import Actor, Listener
from app.play.room.broadcast import Audience, event_frames, state_frame, table_block, table_frame
from app.rules import Event

KEPT = 24  # entries whose events are sent to those who come back; a longer gap costs more than the view
FORGOTTEN = 16  # at a time
_MOST_RECENT = KEPT + FORGOTTEN
WATCH_SECONDS = 0.05  # in which actions are gathered for those who only watch


class Subscriber:
    """One listener in a room: who it is, and the seat whose audience it belongs to."""

    __slots__ = ("actor", "admitted", "key", "listener", "muted", "receives_chat", "seat")

    def __init__(
        self,
        actor: Actor,
        listener: Listener,
        admitted: tuple[str, ...] | None = None,
        *,
        receives_chat: bool = True,
    ) -> None:
        self.actor = actor
        # The ids it was let in by: of somebody who only watches they are another's than the actor's, who has none.
        self.admitted = actor.ids if admitted is None else admitted
        self.listener = listener
        self.key = actor.id  # what the person is present under
        self.seat: Audience = None
        self.muted: frozenset[str] = frozenset()
        self.receives_chat = receives_chat


class Subscribers:
    """All listeners of one room in this worker.

    Seats are told of an action at once. So are those who only watch, but when actions follow each other faster than
    `watch_delay` seconds they get what has gathered in one write: there may be many of them, and nobody waits for them.
    """

    __slots__ = ("_by_seat", "_gathered", "_playing", "_recent", "_timer", "_watch_delay", "_watching")

    def __init__(self, watch_delay: float = 0.0) -> None:
        self._by_seat: dict[Audience, list[Subscriber]] = {}
        # The same for whoever goes through all of them with each action.
        self._playing: list[tuple[int, Callable[[Frame], None]]] = []
        self._watching: list[Listener] = []
        self._watch_delay = watch_delay
        self._gathered: list[Frame] = []  # not yet told to those who watch
        self._timer: asyncio.TimerHandle | None = None
        # Actions and hints in a row, to the last entry; with the table where somebody absent came back by one.
        self._recent: list[tuple[Entry, tuple[Event, ...], Table | None]] = []

    def __len__(self) -> int:
        return sum(map(len, self._by_seat.values()))

    def __iter__(self) -> Iterator[Subscriber]:
        """Whoever tells them something one by one tells it after all that was before."""
        self._tell_gathered()
        return iter([subscriber for subscribers in self._by_seat.values() for subscriber in subscribers])

    def add(self, subscriber: Subscriber, table: Table) -> None:
        self._tell_gathered()
        subscriber.seat = table.seat_of(subscriber.actor.ids)
        self._by_seat.setdefault(subscriber.seat, []).append(subscriber)
        self._arrange()

    def discard(self, subscriber: Subscriber) -> bool:
        """Whether it was there."""
        subscribers = self._by_seat.get(subscriber.seat, [])
        if subscriber not in subscribers:
            return False
        self._tell_gathered()
        subscribers.remove(subscriber)
        if not subscribers:
            del self._by_seat[subscriber.seat]
        self._arrange()
        return True

    def reseat(self, table: Table) -> None:
        """Seats have changed: everybody joins the audience of the seat they have now."""
        everyone = list(self)
        self._by_seat.clear()
        for subscriber in everyone:
            self.add(subscriber, table)

    def _arrange(self) -> None:
        self._playing = [
            (seat, subscriber.listener.tell)
            for seat, subscribers in self._by_seat.items()
            if seat is not None
            for subscriber in subscribers
        ]
        self._watching = [subscriber.listener for subscriber in self._by_seat.get(None, ())]

    # -- sending -----------------------------------------------------------------------------------

    def frames_of(
        self,
        before: Table,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience,
        public: bytes = b"",
    ) -> dict[Audience, Frame]:
        """What an action will be told as, for everybody who listens now."""
        if not self._by_seat:
            return {}
        return event_frames(before, table, entry, events, list(self._by_seat), acked, public)

    def tell_entry(
        self,
        before: Table,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience,
        frames: dict[Audience, Frame] | None = None,
    ) -> None:
        """One frame with the entry's number to every listener; each audience's is encoded once.

        `frames`, if they have been made before, count only if nobody of another audience has come since.
        """
        recent, kind = self._recent, entry.kind
        is_step = kind == "action" or kind == "hint"
        if is_step:
            recent.append((entry, events, None if table.seats is before.seats or kind == "hint" else table))
            if len(recent) > _MOST_RECENT:
                del recent[:FORGOTTEN]
        else:
            recent.clear()  # nobody can catch up across it: the whole state is sent
        by_seat = self._by_seat
        if not by_seat:
            return
        if frames is not None and frames.keys() >= by_seat.keys():
            pass
        elif is_step:
            frames = event_frames(before, table, entry, events, list(by_seat), acked)
        else:
            block = table_block(table)
            frames = {}
            for seat in by_seat:
                ack = entry.command if seat is not None and seat == acked else None
                frames[seat] = frame_of(table_frame(table, entry, seat, block, ack))
        for seat, tell in self._playing:
            tell(frames[seat])
        if self._watching:
            self._tell_watching(frames[None], may_wait=is_step and not table.is_over)

    def _tell_watching(self, frame: Frame, *, may_wait: bool) -> None:
        self._gathered.append(frame)
        if not may_wait or self._timer is None:
            self._tell_gathered()
            if self._watch_delay and self._timer is None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._watch_delay, self._end_delay)

    def _end_delay(self) -> None:
        self._timer = None
        if self._gathered:
            self._tell_watching(self._gathered.pop(), may_wait=True)

    def _tell_gathered(self) -> None:
        gathered = self._gathered
        if gathered:
            self._gathered = []
            for listener in self._watching:
                if len(gathered) == 1:
                    listener.tell(gathered[0])
                else:
                    listener.tell_several(gathered)

    def tell_state(self, table: Table) -> None:
        """The whole state, to each audience its own."""
        self._tell_gathered()
        for seat, subscribers in self._by_seat.items():
            frame = frame_of(state_frame(table, seat))
            for subscriber in subscribers:
                subscriber.listener.tell(frame)

    def tell_all(self, message: ServerFrame) -> None:
        if self._by_seat:
            frame = frame_of(message)
            for subscriber in self:
                subscriber.listener.tell(frame)

    def tell_seat(self, seat: int, message: ServerFrame) -> None:
        subscribers = self._by_seat.get(seat)
        if subscribers:
            frame = frame_of(message)
            for subscriber in subscribers:
                subscriber.listener.tell(frame)

    # -- catching up -------------------------------------------------------------------------------

    def missed(self, table: Table, since: int | None, seat: Audience) -> list[Frame] | None:
        """The frames after `since`, or None when the whole state is the shorter answer (or the only one)."""
        self._tell_gathered()  # what is told now comes after it
        if since is None or since > table.seq:
            return None
        if since == table.seq:
            return []
        gap = [each for each in self._recent if each[0].seq > since]
        if not gap or gap[0][0].seq != since + 1 or len(gap) > KEPT or table.is_over:
            return None
        frames = [_past(table, *each, seat) for each in gap[:-1]]
        entry, events, came_back = gap[-1]
        before = _before(table, has_come_back=came_back is not None)
        last = event_frames(before, table, entry, events, [seat], None)[seat]
        return [*frames, last]


def _past(
    table: Table, entry: Entry, events: tuple[Event, ...], came_back: Table | None, seat: Audience
) -> Frame:
    """An entry that others have followed since: what it said, but not what could be done after it."""
    message = Events(
        seq=entry.seq,
        at=entry.at,
        events=table.rules.events_for(events, seat, table.options),
        by=entry.by if entry.by != "person" else UNSET,
        table=table_block(came_back) if came_back is not None else UNSET,
    )
    return frame_of(message)


def _before(table: Table, *, has_come_back: bool) -> Table:
    """A table before this one, so different that the last frame of a gap tells all that may have changed."""
    twin = replace(table)
    twin.clocks = None
    if has_come_back:
        twin.seats = []
    return twin
