"""The game server of one worker: its rooms, its lobby and their background work."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from app.admission import AdmissionQueue, get_admission_queue
from app.bots.fair_queue import ShareOf
from app.play.alarm import Alarm
from app.play.commands.request import Decision
from app.play.context import Context
from app.play.create import new_table
from app.play.dispatch import Dispatcher, list_other_players
from app.play.engines import CURRENT_RULES_VERSION
from app.play.lobby import Lobby, build_table_row, public_lists, table_news
from app.play.log.entries import NO_SEAT, Entry, GameRow
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.log.terms import Terms
from app.play.names import NameCache
from app.play.ports import (
    Actor,
    BotPlayer,
    Bus,
    Clock,
    FetchNames,
    GameExists,
    GameStore,
    HasBlocked,
    MetricsPort,
    StoreUnavailable,
)
from app.play.queues import Failures
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.room import Room
from app.play.room.rooms import PRESENCE_DELAY_SECONDS, PresenceBroadcast, Rooms
from app.play.room.submit import add_server_entry
from app.play.room.subscribers import SPECTATOR_BATCH_SECONDS
from app.play.schedule.due import EMPTY_TABLE_MS
from app.play.schedule.outages import HEARTBEAT_SECONDS, OutageTracker
from app.play.sweep.sweeper import POLL_MS, Sweeper
from app.play.sync import NewsReader, run_periodic_sync
from app.play.table_passwords import TablePasswords
from app.play.tasks import RESTART_SECONDS, Tasks, run_every


class SystemClock:
    """The system time; implements Clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


# Entries that change a table's row in the lobby, or the lists it is in. Others matter only to its players.
_LOBBY_ENTRY_KINDS = frozenset(
    ("created", "seated", "left", "host", "started", "takeover", "returned", "aborted", "closed")
)
_CLOSE_SECONDS = 5.0  # for work in progress when the server closes; a bot's decision takes longest


class GameServer:
    """One worker's rooms and lobby. Created with its ports; opened and closed by the app's lifespan."""

    def __init__(
        self,
        store: GameStore,
        bus: Bus,
        clock: Clock,
        bots: BotPlayer,
        metrics: MetricsPort,
        *,
        has_blocked: HasBlocked | None = None,
        fetch_names: FetchNames | None = None,
        bot_budget_seconds: float = 1.0,
        bot_interval_ms: float = 0.0,
        idle_seconds: float = 60.0,
        presence_delay_seconds: float = PRESENCE_DELAY_SECONDS,
        spectator_batch_seconds: float = SPECTATOR_BATCH_SECONDS,
        new_table_version: int = CURRENT_RULES_VERSION,
        secret: str = "",
        share_of: ShareOf = lambda person: (person,),
    ) -> None:
        self.store = store
        self.bus = bus
        self.clock = clock
        self.metrics = metrics
        self.names = NameCache(fetch_names, clock)
        self.new_table_version = new_table_version  # a key of `ENGINES`
        self.secret = secret  # of the site; the ids of rematches are derived with it
        self.tasks = Tasks()
        self.outage_tracker = OutageTracker(store, clock, is_single_worker=bus.is_single_worker)
        self.sweep_alarm = Alarm(clock)
        self.context = context = Context(
            secrets.token_hex(4),
            store,
            bus,
            clock,
            bots,
            metrics,
            self.names,
            self.outage_tracker,
            self.sweep_alarm,
            self.tasks,
            bot_budget_seconds,
            spectator_batch_seconds,
            bot_interval_ms,
        )
        self.presence = PresenceBroadcast(context, presence_delay_seconds, self._on_presence_changed)
        self.rooms = Rooms(context, self.presence, idle_seconds, self._on_moved, self._on_left)
        self.lobby = Lobby(context, self.rooms)
        self.failures = Failures(store.failures, clock, metrics)
        self.sweeper = Sweeper(context, self.rooms, self.failures)
        self.news = NewsReader(context, self.rooms, self.lobby, self.presence, self.on_renamed)
        self.passwords = TablePasswords(share_of)
        self.dispatcher = Dispatcher(
            self.tasks,
            self.presence,
            self.passwords,
            has_blocked,
            self.announce_table,
            new_table_version,
            secret,
        )
        self.admission = AdmissionQueue()  # replaced by the event loop's when the server opens
        bus.listen(self.news.on_news)

    # -- lifecycle ---------------------------------------------------------------------------------

    async def open(self, *, background: bool = True) -> None:
        """Start serving. With `background` False the caller sweeps, as tests do that set the clock by hand."""
        self.admission = get_admission_queue(asyncio.get_running_loop())
        await self.bus.open()
        await self.outage_tracker.record_first_heartbeat()
        if background:
            periodic_sync = partial(run_periodic_sync, self.context, self.rooms, self.resend_state)
            for seconds, work in (
                (RESTART_SECONDS, self.sweeper.loop.run),
                (RESTART_SECONDS, periodic_sync),
                (POLL_MS / 1000, self.sweeper.find_missed_wakeups),
                (HEARTBEAT_SECONDS, self.outage_tracker.record_heartbeat),
            ):
                self.tasks.spawn(run_every(seconds, work, self.tasks.closing))

    async def close(self) -> None:
        """Finish the work in progress, then close. Cancelling a query could leave its connection open."""
        self.tasks.begin_closing()
        self.sweeper.loop.stop()
        loop = asyncio.get_running_loop()
        until = loop.time() + _CLOSE_SECONDS
        while (running := self.tasks.running | self.rooms.loading) and loop.time() < until:
            # Running work may start more, but not for long: no row is claimed and no client is admitted any more.
            await asyncio.wait(running, timeout=until - loop.time())
        await self.tasks.cancel()
        self.presence.flush()
        self.passwords.close()
        await self.bus.close()

    async def disconnect_all(self) -> None:
        """Disconnect all clients before a graceful stop, so that they reconnect; they keep their seats."""
        for room in list(self.rooms):
            for subscriber in room.subscribers:
                subscriber.listener.end("resume")
        for lobby_subscriber in list(self.lobby.subscribers):
            lobby_subscriber.listener.end("resume")

    # -- commands ----------------------------------------------------------------------------------

    async def create_table(
        self,
        actor: Actor,
        options: dict[str, Any],
        terms: Terms,
        bots: list[str],
        max_unfinished: int | None = None,
        game: str | None = None,
        *,
        is_from_screen: bool = False,
        is_rated: bool = False,
    ) -> GameRow:
        """Create a table and return its row; the existing row if `game`, the id of a repeatable request, exists.

        `max_unfinished` limits the unfinished tables created by this person. Raises Refusal.
        """
        if not actor.ids:
            raise Refusal("no_session")
        if is_rated and not actor.is_account:
            raise Refusal("account_required", "Log in or create an account to create a rated table.")
        row, entry = new_table(
            actor.id,
            options,
            terms,
            bots,
            self.clock.now(),
            self.new_table_version,
            game,
            is_from_screen=is_from_screen,
            is_rated=is_rated,
        )
        try:
            self.names.add({actor.id: actor.name})
            limit = None if max_unfinished is None else (actor.ids, max_unfinished)
            due = row.created_at + EMPTY_TABLE_MS
            is_created = await self.store.log.create(row, entry, limit, due=due)
        except GameExists:
            return await self.read_stored_game(row.id) or row
        except StoreUnavailable:
            raise Unconfirmed from None
        if not is_created:
            raise Refusal("too_many_rooms")
        self.announce_table(row, entry, due)
        return row

    async def read_stored_game(self, game: str | None) -> GameRow | None:
        """Return the stored table with this id, or None. Raises Unconfirmed."""
        try:
            return None if game is None else await self.store.log.read_game(game)
        except StoreUnavailable:
            raise Unconfirmed from None

    def announce_table(self, row: GameRow, entry: Entry, due: int | None) -> None:
        """Announce a table that was just stored to rooms, lobbies and metrics.

        `due` is the time of the due row stored with it; None if there is no such row.
        """
        self.rooms.cache_new_table(row, entry, due)
        self.metrics.count_action("created", "person")
        if self.bus.is_single_worker and not self.lobby.subscribers:
            self.lobby.change_count += 1
            return
        table = Table.from_row(row, self.names)
        fold(table, entry)
        self._publish_to_lobbies(table_news(table, None, row.created_at, with_lists=True))

    async def is_blocked_either_way(self, room: Room, actor: Actor) -> bool:
        """Return whether this person has blocked a player at the table, or a player has blocked them."""
        has_blocked, others = self.dispatcher.has_blocked, list_other_players(room.table, actor)
        if has_blocked is None or not others or not actor.ids:
            return False
        return await has_blocked(actor, others) or await has_blocked(Actor(tuple(others), ""), actor.ids)

    async def close_room(self, game: str, why: str) -> bool:
        """Close a room for the operator; a running game is aborted. Return False if there is no such game."""
        room = await self.rooms.get(game)
        if room is None:
            return False
        for _ in range(8):
            table = room.table
            if table.is_over:  # without an entry, so the other workers need news of it
                room.disconnect_all()
                self.context.publish("closed", game, None)
                break
            if await add_server_entry(
                room, Decision("closed", NO_SEAT, {"why": why}), self.clock.now(), table
            ):
                break
        return True

    # -- names -------------------------------------------------------------------------------------

    def rename(self, people: Mapping[str, str | None]) -> None:
        """Show the new names of these people (None: deleted) in the rooms and lobbies of every worker."""
        self.on_renamed(people)
        for person, name in people.items():
            self.context.publish("renamed", person, name)

    def on_renamed(self, people: Mapping[str, str | None]) -> None:
        """Show the new names in this worker alone."""
        changed = self.names.update(people)
        self.resend_state(changed)
        if changed and self.lobby.subscribers:
            self.tasks.spawn(self.lobby.on_renamed(changed))

    def resend_state(self, people: Collection[str]) -> None:
        """Send rooms and lobby rows that show these people again."""
        if not people:
            return
        self.lobby.change_count += 1
        for room in self.rooms:
            if not room.table.list_named_people().isdisjoint(people):
                room.resend_state()
                if self.lobby.subscribers and not room.table.is_over:
                    self.lobby.on_row_changed(self._compose_lobby_news(room, self.clock.now()))

    # -- callbacks of rooms ------------------------------------------------------------------------

    def _on_moved(self, room: Room, before: Table, entry: Entry, is_news: bool) -> None:
        """Count an entry that was installed and update presence and lobbies. `is_news`: its writer updates lobbies."""
        self.metrics.count_action(entry.kind, entry.by)
        table = room.table
        if entry.by == "person":
            room.is_left = False
        if entry.kind == "action" and not table.is_over:
            if before.to_act != table.to_act:
                self._on_turn_changed(room, table, entry, is_news)
            return
        self._update_lobbies(room, before, entry, is_news)
        self.presence.mark_changed(room)  # after the row was sent, so that it is not sent again

    def _update_lobbies(self, room: Room, before: Table, entry: Entry, is_news: bool) -> None:
        """Send an entry's changes of the table's row and turn to the lobbies, and end sockets that it shuts out."""
        table = room.table
        changes_row = (
            table.is_over
            or entry.kind in _LOBBY_ENTRY_KINDS
            or (before.seal_round is None) != (table.seal_round is None)
        )
        self.lobby.change_count += changes_row
        if not changes_row:
            if not is_news:
                self.lobby.on_turn_changed(table, room.presence, entry.at)
            return
        if entry.kind == "closed":
            if table.closed_why not in ("host", "empty"):
                room.disconnect_all()  # closed by the operator; in other cases subscribers stay and see why
        elif entry.kind == "started" and not table.terms.spectators:
            for subscriber in room.subscribers:
                if table.seat_of(subscriber.admitted) is None:
                    subscriber.listener.end("no_spectators")
        if not is_news and (self.lobby.subscribers or not self.bus.is_single_worker):
            self._send_to_lobbies(room, entry.at)

    def on_entered(self, room: Room) -> None:
        """List a table again to which a client has returned."""
        if room.is_left:
            room.is_left = False
            self._on_attendance_changed(room)

    def _on_left(self, room: Room) -> None:
        """Remove a table without clients from the public lists."""
        self._on_attendance_changed(room)

    def _on_attendance_changed(self, room: Room) -> None:
        table = room.table
        if table.is_over or table.terms.clock.is_correspondence or self.bus.has_followers(room.id):
            return
        self.lobby.change_count += 1
        if public_lists(table, build_table_row(table)) and (
            self.lobby.subscribers or not self.bus.is_single_worker
        ):
            self._send_to_lobbies(room, self.clock.now())

    def _on_presence_changed(self, room: Room) -> None:
        """Update the lobbies after people came to or left an open table, whom quick play finds there or not."""
        table, now = room.table, self.clock.now()
        if table.status != "open":
            return
        row = build_table_row(table, room.presence, now)
        if row["waiting"] == room.sent_waiting or not public_lists(table, row).get("open"):
            return
        self.lobby.change_count += 1
        if self.lobby.subscribers or not self.bus.is_single_worker:
            self._send_to_lobbies(room, now)
        room.sent_waiting = row["waiting"]

    def _on_turn_changed(self, room: Room, table: Table, entry: Entry, is_news: bool) -> None:
        """Update presence and lobbies after an action passed the turn.

        No player is idle right after an action, so countdowns change only if a player is away.
        """
        presence = room.presence
        if (room.sent_countdowns or not presence.are_seats_to_act_here(table)) and (
            presence.list_countdowns(table, entry.at) != room.sent_countdowns
        ):
            self.presence.mark_changed(room)
        if not is_news:
            self.lobby.on_turn_changed(table, presence, entry.at)

    def _send_to_lobbies(self, room: Room, now: int) -> None:
        body = self._compose_lobby_news(room, now)
        room.sent_waiting = body["row"]["waiting"]
        self._publish_to_lobbies(body)

    def _publish_to_lobbies(self, body: dict[str, Any]) -> None:
        self.lobby.on_row_changed(body)
        self.context.publish("lobby", "lobby", body)

    def _compose_lobby_news(self, room: Room, now: int) -> dict[str, Any]:
        """Return the news of a table for lobbies; the public lists do not show a table without clients."""
        body = table_news(room.table, room.presence, now, with_lists=True)
        if not (room.table.terms.clock.is_correspondence or self.rooms.is_attended(room.id)):
            body["lists"] = dict.fromkeys(body["lists"], False)
        return body
