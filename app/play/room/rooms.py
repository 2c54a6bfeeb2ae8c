"""The rooms of one worker: loaded from the log on demand, kept up to date, evicted when idle; presence broadcasts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import orjson
from msgspec.structs import replace

from app.admission import get_admission_queue
from app.play.context import Context
from app.play.engines import UnknownRules
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import MAX_CONCURRENT_LOG_READS, read_log_slices
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import OnMoved, Room
from app.play.schedule.due import DESERTED_TABLE_MS, closes_at

_log = logging.getLogger("cartagena.rooms")
PRESENCE_DELAY_SECONDS = 0.1  # when a hundred clients reconnect, each receives one frame instead of a hundred
NEW_TABLE_CACHE_TTL_MS = (
    5000  # how long a new table is remembered for its creator, who usually enters at once
)
MAX_CACHED_NEW_TABLES = 256
ENTRIES_PER_ADMISSION_STEP = 5  # folding so many takes about as long as one step of the admission queue


class PresenceBroadcast:
    """Sends changed presence to subscribers and other workers, batched over all rooms of this worker."""

    def __init__(self, context: Context, delay: float, on_changed: Callable[[Room], None]) -> None:
        self._context = context
        self._delay = delay
        self._on_changed = (
            on_changed  # called by a worker that has sockets in the room, or had them until now
        )
        self._waiting: dict[Room, bool] = {}  # room → whether to publish to the other workers too
        self._timer: asyncio.TimerHandle | None = None

    def mark_changed(self, room: Room, *, is_local: bool = False) -> None:
        """Schedule a broadcast for a room. `is_local`: the change is in this worker's sockets, so others need it."""
        self._waiting[room] = is_local or self._waiting.get(room, False)
        if self._delay <= 0:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._delay, self.flush)

    def flush(self) -> None:
        """Send everything that is waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        context, waiting, self._waiting = self._context, self._waiting, {}
        now = context.clock.now()
        for room, is_local in waiting.items():
            if len(room.subscribers):
                message = room.presence.to_frame(room.table, now)
                if message != room.sent_presence:
                    room.sent_presence = message
                    room.sent_countdowns = message.away
                    room.subscribers.send_to_all(message)
            if is_local and context.bus.has_followers(room.id):
                context.publish("presence", room.id, room.presence.to_news())
            if is_local or len(room.subscribers):
                self._on_changed(room)


class Rooms:
    """The loaded rooms by id. Evicting one loses nothing, because the log has it."""

    def __init__(
        self,
        context: Context,
        presence: PresenceBroadcast,
        idle_seconds: float,
        on_moved: OnMoved,
        on_left: Callable[[Room], None],
    ) -> None:
        self._context = context
        self._presence = presence
        self._on_moved = on_moved
        self._on_left = on_left
        self._idle_ms = int(idle_seconds * 1000)
        self._rooms: dict[str, Room] = {}
        self._loading: dict[str, asyncio.Future[Room | None]] = {}
        # After a restart every room is requested at once; this limits how many logs are read at a time.
        self._log_reads = asyncio.Semaphore(MAX_CONCURRENT_LOG_READS)
        # Tables created here in the last seconds, oldest first: row, first entry, time of the due row or None.
        self._new_tables: dict[str, tuple[GameRow, Entry, int | None]] = {}

    def __iter__(self) -> Iterator[Room]:
        return iter(self._rooms.values())

    def __len__(self) -> int:
        return len(self._rooms)

    @property
    def loading(self) -> set[asyncio.Future[Room | None]]:
        """Futures of the rooms that are being read."""
        return set(self._loading.values())

    def get_loaded(self, game: str) -> Room | None:
        return self._rooms.get(game)

    def cache_new_table(self, row: GameRow, entry: Entry, due: int | None) -> None:
        """Remember a table that was just stored with this entry, so that its creator enters without a query.

        `due` is the time of the due row stored with it; None when there is no such row.
        """
        self._new_tables[row.id] = row, entry, due
        if len(self._new_tables) > MAX_CACHED_NEW_TABLES:
            del self._new_tables[next(iter(self._new_tables))]

    async def get(self, game: str) -> Room | None:
        """Return the room, loading it if necessary; None if there is no such game. Raises Refusal `try_again`."""
        room = self._rooms.get(game)
        new = self._new_tables.pop(game, None)  # valid once: later the log may have more entries
        if room is None and new is not None and game not in self._loading:
            room = self._open_new_table(*new)
        if room is not None:
            room.last_used = self._context.clock.now()
            return room
        loading = self._loading.get(game)
        if loading is None:
            loading = self._loading[game] = asyncio.ensure_future(self._load(game))
            loading.add_done_callback(partial(self._on_loaded, game))
        return await asyncio.shield(loading)

    def _on_loaded(self, game: str, loading: asyncio.Future[Room | None]) -> None:
        del self._loading[game]
        fault = None if loading.cancelled() else loading.exception()
        if isinstance(fault, UnknownRules):  # during a rolling update; `get` raises it to its caller
            _log.warning("game %s: %s", game, fault)
        elif fault is not None and not isinstance(fault, Refusal):
            _log.error("game %s cannot be read", game, exc_info=fault)

    def _open_new_table(self, row: GameRow, entry: Entry, due: int | None) -> Room | None:
        """Return the room of a table that this worker has just created; None if the log may have more entries now."""
        context = self._context
        if context.clock.now() - row.created_at > NEW_TABLE_CACHE_TTL_MS or context.bus.has_followers(row.id):
            return None
        room = Room(context, _slim_row(row), self._on_moved)
        room.load_entries([entry])
        if not context.names.has_all(room.table.list_named_people()):
            return None
        context.bus.follow(row.id)
        room.wakeup.set_row_time(due, 0)
        if context.bus.is_single_worker:  # no other worker can have stored a line or a mute
            room.last_chat_sent, room.has_mutes = 0, False
        self._add(room)
        return room

    async def _load(self, game: str) -> Room | None:
        try:
            row = await self._context.store.log.read_game(game)
            if row is None:
                return None
            room = await self._read(row)
        except (StoreUnavailable, Refusal):
            raise Refusal("try_again") from None
        room.is_left = True  # until a client enters or a person acts: a sweep loads rooms, too
        self._add(room)
        if room.table.status == "open":
            # A worker that died may have left players here who will not return; the table may be due earlier.
            self._context.tasks.spawn(room.reschedule())
        return room

    async def _read(self, row: GameRow) -> Room:
        """Read the room from its log. The topic stays followed only if this succeeds."""
        context, game = self._context, row.id
        room = Room(context, _slim_row(row), self._on_moved)
        if row.summary is not None:
            room.presence.players_seen_at = max(
                (1000 * seat.seen_at for seat in row.summary.seats), default=0
            )
        context.bus.follow(game)  # before reading, so that no entry is missed in between
        try:
            async with self._log_reads:
                async for some in read_log_slices(context.store.log, game):
                    await get_admission_queue(asyncio.get_running_loop()).wait(
                        1 + len(some) / ENTRIES_PER_ADMISSION_STEP
                    )
                    room.load_entries(some)
            await self._fetch_names(room, row)
        except BaseException:  # cancellation too: there will be no room whose eviction unfollows the topic
            context.bus.unfollow(game)
            raise
        return room

    def _add(self, room: Room) -> None:
        self._rooms[room.id] = room
        # News that arrived while the log was read had no room to go to, so the other holders send their head again.
        self._context.publish("who", room.id, None)

    async def _fetch_names(self, room: Room, row: GameRow) -> None:
        """Cache the names that came with the row, and fetch the others in one query."""
        names, people = self._context.names, room.table.list_named_people()
        names.add({seat.person: seat.name for seat in row.summary.seats} if row.summary is not None else {})
        if not names.has_all(people):
            await names.fetch_missing(people)
            if not self._context.bus.is_single_worker:
                await room.read_new_entries()  # entries stored during that query found no room in this worker

    def list_named_people(self) -> set[str]:
        """Return the people whose names loaded rooms show."""
        return {person for room in self._rooms.values() for person in room.table.list_named_people()}

    async def compare_heads(self) -> None:
        """Compare all loaded rooms with the store in one query; rooms that are behind read their log."""
        if not self._rooms:
            return
        seen = [room.table.seq for room in self._rooms.values()]
        try:
            heads = await self._context.store.log.read_heads(list(self._rooms), seen)
        except StoreUnavailable:
            return
        for game, seq in heads.items():
            room = self._rooms.get(game)
            if room is not None and room.table.seq < seq:
                await room.catch_up()

    def publish_presence(self) -> None:
        """Publish who is present here again, before the other workers' leases on that expire."""
        for room in self._rooms.values():
            if len(room.subscribers) and self._context.bus.has_followers(room.id):
                self._context.publish("presence", room.id, room.presence.to_news())

    def update_countdowns(self, now: int) -> None:
        """Broadcast presence where a countdown has begun, or another worker's lease has expired."""
        for room in self._rooms.values():
            if room.presence.drop_expired(now):  # a worker has died, and its sockets with it
                self._presence.mark_changed(room)
                self._context.tasks.spawn(room.reschedule())
            elif (
                len(room.subscribers)
                and room.presence.list_countdowns(room.table, now) != room.sent_countdowns
            ):
                self._presence.mark_changed(room)

    def is_attended(self, game: str) -> bool:
        """Return whether the table has had clients in the last minute, as far as this worker knows."""
        room = self._rooms.get(game)
        return (room is not None and not room.is_left) or self._context.bus.has_followers(game)

    def evict(self, now: int) -> int:
        """Drop rooms that have been unused for a while; return how many. Note which have been left by their clients."""
        # Clocks and bots use a room, too, after everyone has left.
        left = [
            room
            for room in self._rooms.values()
            if not (room.is_left or len(room.subscribers))
            and now - room.presence.last_sign_at() > self._idle_ms
        ]
        idle = [
            room for room in self._rooms.values() if room.is_idle and now - room.last_used > self._idle_ms
        ]
        gone = [room.id for room in idle if not self._is_closing(room, now)]
        for game in gone:
            del self._rooms[game]
            self._context.bus.unfollow(game)
        for room in dict.fromkeys((*left, *idle)):
            # An evicted room was perhaps left in another worker, which kept it listed because it was loaded here.
            if not room.is_left or room.id not in self._rooms:
                room.is_left = True
                self._on_left(room)
        for game in [
            game
            for game, (row, *_) in self._new_tables.items()
            if now - row.created_at > NEW_TABLE_CACHE_TTL_MS
        ]:
            del self._new_tables[game]
        return len(gone)

    def _is_closing(self, room: Room, now: int) -> bool:
        """Return whether the room stays loaded because only it knows how long its open table has been deserted.

        Several workers would take a loaded room for one with players.
        """
        table = room.table
        if table.status != "open" or not self._context.bus.is_single_worker:
            return False
        if all(seat.person is None for seat in table.seats):
            return False
        at = closes_at(table, room.presence, now)
        return at is not None and at <= room.last_used + DESERTED_TABLE_MS and now <= at + self._idle_ms


def _slim_row(row: GameRow) -> GameRow:
    """Return the row without its summary and with interned options and terms, to save memory while it is loaded."""
    return replace(
        row,
        options=_intern_json(orjson.dumps(row.options)),
        terms=_intern_json(orjson.dumps(row.terms)),
        summary=None,
    )


@lru_cache(maxsize=256)
def _intern_json(text: bytes) -> dict[str, Any]:
    """Parse the JSON; equal texts share one dictionary, which must not be modified."""
    read: dict[str, Any] = orjson.loads(text)
    return read
