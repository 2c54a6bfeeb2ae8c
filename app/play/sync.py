"""Synchronisation with the other workers: handling their news, and recovering lost news from the store.

The bus may lose news. Sequence numbers show gaps, the log has the entries, and heads are compared periodically.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from typing import Any

from app.play.context import Context
from app.play.lobby import Lobby
from app.play.ports import News, StoreUnavailable
from app.play.presence import PRESENCE_LEASE_MS
from app.play.room import chat
from app.play.room.room import Room
from app.play.room.rooms import PresenceBroadcast, Rooms

_log = logging.getLogger("cartagena.sync")
RESYNC_DELAY_MS = 100  # after an outage of the bus every worker reports a gap; one resync serves for all
RESYNC_RETRY_MS = 1000
COMPARE_HEADS_INTERVAL_MS = 1500  # how long a lost entry may go unnoticed
REFRESH_NAMES_INTERVAL_MS = 10_000


class NewsReader:
    """Handles news from other workers. The site sets the callbacks for sessions and limits."""

    def __init__(
        self,
        context: Context,
        rooms: Rooms,
        lobby: Lobby,
        presence: PresenceBroadcast,
        renamed: Callable[[Mapping[str, str | None]], None],
    ) -> None:
        self._context = context
        self._rooms = rooms
        self._lobby = lobby
        self._presence = presence
        self._on_renamed = renamed
        self.resync = Resync(context, rooms, lobby)
        # Called when another worker has ended sessions, charged a limit, or stored a block.
        self.on_signed_out: Callable[[str, Any], None] = lambda key, how: None
        self.on_limit_charged: Callable[[str, Any], None] = lambda what, body: None
        self.on_blocked: Callable[[str, list[str]], None] = lambda person, blocked: None

    def on_news(self, news: News) -> None:
        """Handle one message."""
        if news.worker == self._context.worker:
            return
        if news.kind == "entry":  # by far the most frequent kind
            room = self._rooms.get_loaded(news.about)
            if room is not None:
                self._receive_entry(room, news)
            return
        match news.kind:
            case "lobby":
                room = self._rooms.get_loaded(news.body["row"]["id"])
                if room is not None:
                    room.sent_waiting = news.body["row"].get("waiting", 0)  # absent from older workers
                self._lobby.on_row_changed(news.body)
            case "signed_out":
                self.on_signed_out(news.about, news.body)
            case "renamed":
                self._on_renamed({news.about: news.body})
            case "blocked":
                self.on_blocked(news.about, news.body)
            case "gap":
                self.resync.request()
            case "counted":
                self.on_limit_charged(news.about, news.body)
            case _:
                room = self._rooms.get_loaded(news.about)
                if room is not None:
                    self._on_room_news(room, news)

    def _receive_entry(self, room: Room, news: News) -> None:
        try:
            is_received = room.receive_entry(news.body, is_news=True, public=news.public)
        except Exception as problem:  # noqa: BLE001  # an entry that cannot be folded affects its room alone
            room.on_unreadable(problem)
        else:
            if not is_received:
                self._context.tasks.spawn(room.catch_up())

    def _on_room_news(self, room: Room, news: News) -> None:
        context = self._context
        match news.kind:
            case "joined":
                # Another worker has loaded the room too. Entries stored before it followed were not published.
                context.publish("head", room.id, room.table.seq)
            case "head":
                if room.table.seq < news.body:
                    context.tasks.spawn(room.catch_up())
            case "followed":
                # From this worker's own bus: entries stored before the subscription was active are in the log.
                context.tasks.spawn(room.catch_up())
            case "named":
                context.names.add(news.body)
            case "chat":
                if news.body.name:
                    context.names.add({news.body.person: news.body.name})
                if not chat.receive_line(room, news.body):
                    context.tasks.spawn(chat.read_new_lines(room))
            case "presence":
                room.presence.merge_news(news.worker, news.body, context.clock.now())
                self._presence.mark_changed(room)
            case "who":
                context.publish("head", room.id, room.table.seq)
                if len(room.subscribers):
                    self._presence.mark_changed(room, is_local=True)
            case "looked":
                if len(room.subscribers):
                    # The sweeping worker has no socket in the room and may not know who is present; more may be due.
                    self._presence.mark_changed(room, is_local=True)
                    context.tasks.spawn(room.reschedule())
            case "muted":
                chat.apply_mutes(room, news.body[0], frozenset(news.body[1]))
            case "closed":
                room.disconnect_all()
            case _:
                _log.warning("news of an unknown kind: %r", news.kind)


class Resync:
    """Recovers from lost news in one worker: reads everything from the store, and publishes presence again."""

    def __init__(self, context: Context, rooms: Rooms, lobby: Lobby) -> None:
        self._context = context
        self._rooms = rooms
        self._lobby = lobby
        self._is_requested = False
        self._is_running = False

    def request(self) -> None:
        """Schedule a resync because news may have been lost."""
        self._is_requested = True
        if not self._is_running:
            self._is_running = True
            self._context.tasks.spawn(self._run())

    async def _run(self) -> None:
        pause = RESYNC_DELAY_MS
        try:
            while self._is_requested and await self._context.tasks.sleep(pause):
                self._is_requested = False
                try:
                    await self.run_once()
                except StoreUnavailable:
                    _log.warning("the store does not answer; news that the bus lost are read later")
                    self._is_requested = True
                    pause = RESYNC_RETRY_MS
        finally:
            self._is_running = False

    async def run_once(self) -> None:
        """Read and send everything that the lost news may have contained."""
        await self._rooms.compare_heads()
        for room in list(self._rooms):
            if len(room.subscribers):
                await chat.read_new_lines(room)
            else:
                room.last_chat_sent = None  # the next subscriber reads the lines from the store
        self._rooms.publish_presence()
        self._lobby.change_count += 1  # invalidates the cached lists
        for subscriber in list(self._lobby.subscribers):
            await self._lobby.send_lists(subscriber)


async def run_periodic_sync(
    context: Context, rooms: Rooms, renamed: Callable[[Collection[str]], None]
) -> None:
    """Compare heads, publish presence, evict rooms and refresh names until the server closes.

    `renamed` is called with the people whose names have changed.
    """
    presence_published_at = names_refreshed_at = 0
    while await context.tasks.sleep(COMPARE_HEADS_INTERVAL_MS):
        now = context.clock.now()
        await rooms.compare_heads()  # also in a single worker, because the command line writes to the log
        if not context.bus.is_single_worker and now - presence_published_at > PRESENCE_LEASE_MS // 3:
            presence_published_at = now
            rooms.publish_presence()
        rooms.update_countdowns(now)
        rooms.evict(now)
        if now - names_refreshed_at > REFRESH_NAMES_INTERVAL_MS:
            names_refreshed_at = now
            try:
                renamed(await context.names.refresh(rooms.list_named_people()))
            except StoreUnavailable:
                _log.warning("names could not be refreshed; the next round retries")
