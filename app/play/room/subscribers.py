"""Subscribers of a room in this worker: sockets and streams by audience, and the frames a returning one missed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

from msgspec import UNSET
from msgspec.structs import replace

from app.play.frames import Events, Frame, ServerFrame, encode_frame
from app.play.log.entries import Entry
from app.play.log.table import Table
from app.play.ports import Actor, Listener
from app.play.room.audience_frames import Audience, event_frames, state_frame, table_block, table_frame
from app.rules import Event

MAX_REPLAYED_ENTRIES = 24  # for a returning client; after a longer gap the whole state is shorter
TRIMMED_ENTRIES = 16  # dropped at once when there are too many
_MAX_RECENT_ENTRIES = MAX_REPLAYED_ENTRIES + TRIMMED_ENTRIES
SPECTATOR_BATCH_SECONDS = 0.05


class Subscriber:
    """One listener in a room: its person, and the seat whose audience it belongs to."""

    __slots__ = (
        "actor",
        "admitted",
        "blocked",
        "is_screen",
        "listener",
        "muted",
        "presence_key",
        "receives_chat",
        "seat",
    )

    def __init__(
        self,
        actor: Actor,
        listener: Listener,
        admitted: tuple[str, ...] | None = None,
        *,
        receives_chat: bool = True,
        is_screen: bool = False,
    ) -> None:
        self.actor = actor
        self.is_screen = is_screen  # shows the game to a room, and does not count as a spectator
        # The ids that were admitted. A player who opens a watch-only socket has them, but an actor without ids.
        self.admitted = actor.ids if admitted is None else admitted
        self.listener = listener
        self.presence_key = actor.id  # the id under which `Presence` counts this person
        self.seat: Audience = None
        self.muted: frozenset[str] = frozenset()
        self.blocked: frozenset[str] = (
            frozenset()
        )  # people that this person has blocked, under all of their ids
        self.receives_chat = receives_chat


class Subscribers:
    """All listeners of one room in this worker.

    Seats receive each action at once. Spectators do too, unless actions are less than `batch_seconds` apart: then
    their frames are batched into one write, because there may be many spectators and no player waits for them.
    """

    __slots__ = ("_batch", "_batch_seconds", "_by_seat", "_recent", "_seated", "_spectators", "_timer")

    def __init__(self, batch_seconds: float = 0.0) -> None:
        self._by_seat: dict[Audience, list[Subscriber]] = {}
        # The same listeners, indexed for the loops that run with every action.
        self._seated: list[tuple[int, Callable[[Frame], None]]] = []
        self._spectators: list[Listener] = []
        self._batch_seconds = batch_seconds
        self._batch: list[Frame] = []  # not yet sent to spectators
        self._timer: asyncio.TimerHandle | None = None
        # The latest actions and hints without another entry between them. The table is set where the action brought an
        # absent player back.
        self._recent: list[tuple[Entry, tuple[Event, ...], Table | None]] = []

    def __len__(self) -> int:
        return sum(map(len, self._by_seat.values()))

    def __iter__(self) -> Iterator[Subscriber]:
        """Flush the batched frames first, so that frames sent one by one stay in order."""
        self._flush_batch()
        return iter([subscriber for subscribers in self._by_seat.values() for subscriber in subscribers])

    def add(self, subscriber: Subscriber, table: Table) -> None:
        self._flush_batch()
        subscriber.seat = table.seat_of(subscriber.actor.ids)
        self._by_seat.setdefault(subscriber.seat, []).append(subscriber)
        self._index_listeners()

    def remove(self, subscriber: Subscriber) -> bool:
        """Remove a subscriber; return whether it was there."""
        subscribers = self._by_seat.get(subscriber.seat, [])
        if subscriber not in subscribers:
            return False
        self._flush_batch()
        subscribers.remove(subscriber)
        if not subscribers:
            del self._by_seat[subscriber.seat]
        self._index_listeners()
        return True

    def reseat(self, table: Table) -> None:
        """Move every subscriber to the audience of its present seat."""
        everyone = list(self)
        self._by_seat.clear()
        for subscriber in everyone:
            self.add(subscriber, table)

    def _index_listeners(self) -> None:
        self._seated = [
            (seat, subscriber.listener.send)
            for seat, subscribers in self._by_seat.items()
            if seat is not None
            for subscriber in subscribers
        ]
        self._spectators = [subscriber.listener for subscriber in self._by_seat.get(None, ())]

    # -- sending -----------------------------------------------------------------------------------

    def build_frames(
        self,
        before: Table,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience,
        public: bytes = b"",
    ) -> dict[Audience, Frame]:
        """Build the frames of an action for the present audiences."""
        if not self._by_seat:
            return {}
        return event_frames(before, table, entry, events, self._by_seat, acked, public)

    def send_entry(
        self,
        before: Table,
        table: Table,
        entry: Entry,
        events: tuple[Event, ...],
        acked: Audience,
        frames: dict[Audience, Frame] | None = None,
    ) -> None:
        """Send one frame with the entry's number to every listener, encoded once per audience.

        `frames` are used if they were built before and cover every present audience.
        """
        recent, kind = self._recent, entry.kind
        is_step = kind == "action" or kind == "hint"
        if is_step:
            recent.append((entry, events, None if table.seats is before.seats or kind == "hint" else table))
            if len(recent) > _MAX_RECENT_ENTRIES:
                del recent[:TRIMMED_ENTRIES]
        else:
            recent.clear()  # a client that missed this entry gets the whole state
        by_seat = self._by_seat
        if not by_seat:
            return
        if frames is not None and frames.keys() >= by_seat.keys():
            pass
        elif is_step:
            frames = event_frames(before, table, entry, events, by_seat, acked)
        else:
            block = table_block(table)
            frames = {}
            for seat in by_seat:
                ack = entry.command if seat is not None and seat == acked else None
                frames[seat] = encode_frame(table_frame(before, table, entry, seat, block, ack))
        for seat, send in self._seated:
            send(frames[seat])
        if self._spectators:
            self._send_to_spectators(frames[None], may_wait=is_step and not table.is_over)

    def _send_to_spectators(self, frame: Frame, *, may_wait: bool) -> None:
        self._batch.append(frame)
        if not may_wait or self._timer is None:
            self._flush_batch()
            if self._batch_seconds and self._timer is None:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._batch_seconds, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._batch:
            self._send_to_spectators(self._batch.pop(), may_wait=True)

    def _flush_batch(self) -> None:
        batch = self._batch
        if batch:
            self._batch = []
            for listener in self._spectators:
                if len(batch) == 1:
                    listener.send(batch[0])
                else:
                    listener.send_batch(batch)

    def send_state(self, table: Table) -> None:
        """Send each audience the whole state as it may see it."""
        self._flush_batch()
        for seat, subscribers in self._by_seat.items():
            frame = encode_frame(state_frame(table, seat))
            for subscriber in subscribers:
                subscriber.listener.send(frame)

    def send_to_all(self, message: ServerFrame) -> None:
        if self._by_seat:
            frame = encode_frame(message)
            for subscriber in self:
                subscriber.listener.send(frame)

    def send_to_seat(self, seat: int, message: ServerFrame) -> None:
        subscribers = self._by_seat.get(seat)
        if subscribers:
            frame = encode_frame(message)
            for subscriber in subscribers:
                subscriber.listener.send(frame)

    # -- catching up -------------------------------------------------------------------------------

    def build_missed_frames(self, table: Table, since: int | None, seat: Audience) -> list[Frame] | None:
        """Return the frames after `since`, or None if the whole state must be sent or is shorter."""
        self._flush_batch()  # the caller sends the missed frames after it
        if since is None or since > table.seq:
            return None
        if since == table.seq:
            return []
        gap = [step for step in self._recent if step[0].seq > since]
        if not gap or gap[0][0].seq != since + 1 or len(gap) > MAX_REPLAYED_ENTRIES or table.is_over:
            return None
        frames = [_past_events_frame(table, *step, seat) for step in gap[:-1]]
        entry, events, came_back = gap[-1]
        before = _make_table_before_gap(table, has_come_back=came_back is not None)
        last = event_frames(before, table, entry, events, [seat], None)[seat]
        return [*frames, last]


def _past_events_frame(
    table: Table, entry: Entry, events: tuple[Event, ...], came_back: Table | None, seat: Audience
) -> Frame:
    """Return the frame of an entry that is not the last one: its events, without choices or clocks."""
    message = Events(
        seq=entry.seq,
        at=entry.at,
        events=table.rules.events_for(events, seat, table.options),
        by=entry.by if entry.by != "person" else UNSET,
        table=table_block(came_back) if came_back is not None else UNSET,
    )
    return encode_frame(message)


def _make_table_before_gap(table: Table, *, has_come_back: bool) -> Table:
    """Return a copy of the table that differs in everything the gap may have changed, so that the last frame has it."""
    twin = replace(table)
    twin.clocks = None
    if has_come_back:
        twin.seats = []
    return twin
