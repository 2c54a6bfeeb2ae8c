"""The rooms of one worker: loaded from the log on demand, kept in step with it, evicted when idle; who is in them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import orjson
from msgspec.structs import replace

from app.play.context import Context
from app.play.engines import UnknownRules
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import ROOMS_AT_ONCE, log_slices
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.turns import turns_of

SOON = 0.1  # seconds; a hundred people who come back at once are one message, not a hundred to each
NEW = 5000  # milliseconds in which whoever opened a table comes to it
MOST_NEW = 256
ENTRIES_A_STEP = 5  # are folded in about the time of another step of coming in


class PresenceBroadcast:
    """Of one server. Rooms in which something may have changed wait together for the next round."""

    def __init__(self, context: Context, delay: float) -> None:
        self._context = context
        self._delay = delay
        self._waiting: dict[Room, bool] = {}  # room → whether the other workers are to be told as well
        self._timer: asyncio.TimerHandle | None = None

    def changed(self, room: Room, *, here: bool = False) -> None:
        """Something that presence shows may have changed; `here`: a socket of this worker came or went."""
        self._waiting[room] = here or self._waiting.get(room, False)
        if self._delay <= 0:
            self.tell()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._delay, self.tell)

    def tell(self) -> None:
        """Everything that waits, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        context, waiting, self._waiting = self._context, self._waiting, {}
        now = context.clock.now()
        for room, is_here in waiting.items():
            if len(room.subscribers):
                message = room.presence.shown(room.table, now)
                if message != room.shown_presence:
                    room.shown_presence = message
                    room.shown_away = message.away
                    room.subscribers.tell_all(message)
            if is_here and context.bus.hears(room.id):
                context.publish("presence", room.id, room.presence.as_news())


_log = logging.getLogger("cartagena.rooms")


class Rooms:
    """Rooms by id. A room that is not loaded is no loss: the log has it."""

    def __init__(self, context: Context, presence: PresenceBroadcast, idle_seconds: float) -> None:
        self._context = context
        self._presence = presence
        self._idle = int(idle_seconds * 1000)
        self._rooms: dict[str, Room] = {}
        self._loading: dict[str, asyncio.Future[Room | None]] = {}
        # After a restart every room is wanted at once: a few are read at a time.
        self._at_once = asyncio.Semaphore(ROOMS_AT_ONCE)
        # Tables created here in the last seconds, oldest first: row, first entry, time of the due row or None.
        self._made: dict[str, tuple[GameRow, Entry, int | None]] = {}

    def __iter__(self) -> Iterator[Room]:
        return iter(self._rooms.values())

    def __len__(self) -> int:
        return len(self._rooms)

    @property
    def loading(self) -> set[asyncio.Future[Room | None]]:
        """Rooms that are being read just now."""
        return set(self._loading.values())

    def loaded(self, game: str) -> Room | None:
        return self._rooms.get(game)

    def made(self, row: GameRow, entry: Entry, due: int | None) -> None:
        """Remember a table that was just stored with this entry, so that its creator enters without a query.

        `due` is the time of the due row stored with it; None when there is no such row.
        """
        self._made[row.id] = row, entry, due
        if len(self._made) > MOST_NEW:
            del self._made[next(iter(self._made))]

    async def get(self, game: str) -> Room | None:
        """The room, loaded if need be; None when there is no such game. Raises Refusal `try_again`."""
        room = self._rooms.get(game)
        made = self._made.pop(game, None)  # of use once: afterwards the log may have more entries
        if room is None and made is not None and game not in self._loading:
            room = self._new(*made)
        if room is not None:
            room.last_used = self._context.clock.now()
            return room
        loading = self._loading.get(game)
        if loading is None:
            loading = self._loading[game] = asyncio.ensure_future(self._load(game))
            loading.add_done_callback(partial(self._end_loading, game))
        return await asyncio.shield(loading)

    def _end_loading(self, game: str, loading: asyncio.Future[Room | None]) -> None:
        del self._loading[game]
        fault = None if loading.cancelled() else loading.exception()
        if isinstance(fault, UnknownRules):  # in the middle of an update; whoever asked is told
            _log.warning("game %s: %s", game, fault)
        elif fault is not None and not isinstance(fault, Refusal):  # that one is for whoever still waits
            _log.error("game %s cannot be read", game, exc_info=fault)

    def _new(self, row: GameRow, entry: Entry, due: int | None) -> Room | None:
        """The room of a table that was made here just now; None where the log may have more of it by now."""
        context = self._context
        if context.clock.now() - row.created_at > NEW or context.bus.hears(row.id):
            return None
        room = Room(context, _kept(row))
        room.load([entry])
        if not context.names.knows(room.table.named()):
            return None
        context.bus.follow(row.id)
        room.wakeup.note(due, 0)
        if context.bus.is_alone:  # nobody else can have said anything at it
            room.last_chat_sent, room.has_mutes = 0, False
        self._put_in_place(room)
        return room

    async def _load(self, game: str) -> Room | None:
        try:
            row = await self._context.store.game(game)
            if row is None:
                return None
            room = await self._read(row)
        except (StoreUnavailable, Refusal):
            raise Refusal("try_again") from None
        self._put_in_place(room)
        if room.table.status == "open":
            # Whoever was there when it was last loaded may have been lost with their worker, and is not waited for.
            self._context.tasks.spawn(room.reschedule())
        return room

    async def _read(self, row: GameRow) -> Room:
        """Read the room from its log. Its topic stays followed only if this succeeds."""
        context, game = self._context, row.id
        room = Room(context, _kept(row))
        context.bus.follow(game)  # before reading, so that no entry falls in between
        try:
            async with self._at_once:
                async for some in log_slices(context.store, game):
                    await turns_of(asyncio.get_running_loop()).next(1 + len(some) / ENTRIES_A_STEP)
                    room.load(some)
            await self._learn_names(room, row)
        except BaseException:  # whatever it was, including cancellation: no room will unfollow it on eviction
            context.bus.unfollow(game)
            raise
        return room

    def _put_in_place(self, room: Room) -> None:
        self._rooms[room.id] = room
        # What was said while it was being read was said to nobody here: whoever has it too says where it stands.
        self._context.publish("who", room.id, None)

    async def _learn_names(self, room: Room, row: GameRow) -> None:
        """Nearly all of them came with the row; whoever else is named here is asked for in one query."""
        names, people = self._context.names, room.table.named()
        names.take({seat.person: seat.name for seat in row.summary.seats} if row.summary is not None else {})
        if not names.knows(people):
            await names.learn(people)
            if not self._context.bus.is_alone:
                await room.read_on()  # nobody told a room that was not yet there what came meanwhile

    def named(self) -> set[str]:
        """Everybody whose name some loaded room shows."""
        return {person for room in self._rooms.values() for person in room.table.named()}

    async def compare_heads(self) -> None:
        """One query for all loaded rooms; whoever is behind reads on."""
        if not self._rooms:
            return
        seen = [room.table.seq for room in self._rooms.values()]
        try:
            heads = await self._context.store.heads(list(self._rooms), seen)
        except StoreUnavailable:
            return
        for game, seq in heads.items():
            room = self._rooms.get(game)
            if room is not None and room.table.seq < seq:
                await room.catch_up()

    def tell_presence(self) -> None:
        """Repeat to the other workers who is here; their word of us expires otherwise."""
        for room in self._rooms.values():
            if len(room.subscribers) and self._context.bus.hears(room.id):
                self._context.publish("presence", room.id, room.presence.as_news())

    def tell_countdowns(self, now: int) -> None:
        """Somebody has become idle: the others see the countdown."""
        for room in self._rooms.values():
            if room.presence.forget(now):  # a worker has gone without a word, and its people with it
                self._presence.changed(room)
                self._context.tasks.spawn(room.reschedule())
            elif len(room.subscribers) and room.presence.away(room.table, now) != room.shown_away:
                self._presence.changed(room)

    def evict(self, now: int) -> int:
        """Forget rooms nobody listens to and nobody has touched for a while; how many."""
        gone = [
            room.id for room in self._rooms.values() if room.is_idle and now - room.last_used > self._idle
        ]
        for game in gone:
            del self._rooms[game]
            self._context.bus.unfollow(game)
        for game in [game for game, (row, *_) in self._made.items() if now - row.created_at > NEW]:
            del self._made[game]
        return len(gone)


def _kept(row: GameRow) -> GameRow:
    """As a room keeps it while it is loaded: without what lists show, and what many games share only once."""
    return replace(
        row,
        options=_same(orjson.dumps(row.options)),
        terms=_same(orjson.dumps(row.terms)),
        summary=None,
    )


@lru_cache(maxsize=256)
def _same(text: bytes) -> dict[str, Any]:
    """Equal options, or terms, are one dictionary; nobody changes it."""
    read: dict[str, Any] = orjson.loads(text)
    return read
