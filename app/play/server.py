"""The game server of one worker: its rooms, its lobby, and what is done for them in the background."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Collection, Coroutine, Mapping
from functools import partial
from typing import Any

from app.bots.fair_queue import ShareOf
from app.play.commands import messages as cmd
from app.play.commands.proposal import Ack, Proposal
from app.play.context import Context
from app.play.create import new_table
from app.play.engines import CURRENT
from app.play.hint import hint
from app.play.lobby import Lobby, news_of
from app.play.log.entries import NOBODY, Entry, GameRow
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.log.terms import Terms
from app.play.names import Names
from app.play.password import new_password
from app.play.ports import (
    Actor,
    Blocks,
    BotPlayer,
    Bus,
    Clock,
    GameExists,
    GameStore,
    MetricsPort,
    NamesOf,
    StoreUnavailable,
)
from app.play.queues import Failures
from app.play.refusals import Refusal, Unconfirmed
from app.play.rematch import rematch
from app.play.room import chat
from app.play.room.room import Room
from app.play.room.rooms import SOON, PresenceBroadcast, Rooms
from app.play.room.subscribers import WATCH_SECONDS
from app.play.schedule.due import EMPTY
from app.play.schedule.schedule import HEARTBEAT_SECONDS, Schedule
from app.play.schedule.sweeper import POLL, Sweeper
from app.play.sync import NewsReader, keep_in_step
from app.play.table_passwords import TablePasswords
from app.play.tasks import RESTART_SECONDS, Tasks, run_every
from app.play.turns import Turns, turns_of


class SystemClock:
    """The time of the machine; implements Clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


# Entries that change a table's row in the lobby, or in which lists it is. The rest only its people want to know.
_SEEN_BY_STRANGERS = frozenset(
    ("created", "seated", "left", "host", "started", "takeover", "returned", "aborted", "closed")
)
_CLOSE_SECONDS = 5.0  # how long work under way may go on at the end; the longest is a bot's thought


class GameServer:
    """One worker's rooms. Made with its ports, opened and closed by the app's lifespan."""

    def __init__(
        self,
        store: GameStore,
        bus: Bus,
        clock: Clock,
        bots: BotPlayer,
        metrics: MetricsPort,
        *,
        blocks: Blocks | None = None,
        names: NamesOf | None = None,
        bot_budget: float = 1.0,
        bot_interval: float = 0.0,
        idle_seconds: float = 60.0,
        presence_delay: float = SOON,
        watch_delay: float = WATCH_SECONDS,
        new_tables: int = CURRENT,
        secret: str = "",
        share_of: ShareOf = lambda person: (person,),
    ) -> None:
        self.store = store
        self.bus = bus
        self.clock = clock
        self.metrics = metrics
        self.blocks = blocks
        self.names = Names(names, clock)
        self.new_tables = new_tables  # their version (engines.py)
        self.secret = secret  # the site's; ids of rematches are derived with it
        self.tasks = Tasks()
        self.schedule = Schedule(store, clock, is_alone=bus.is_alone)
        self.context = context = Context(
            secrets.token_hex(4),
            store,
            bus,
            clock,
            bots,
            metrics,
            self.names,
            self.schedule,
            self.tasks,
            self._moved,
            bot_budget,
            watch_delay,
            bot_interval,
        )
        self.presence = PresenceBroadcast(context, presence_delay)
        self.rooms = Rooms(context, self.presence, idle_seconds)
        self.lobby = Lobby(context, self.rooms)
        self.failures = Failures(store, clock, metrics)
        self.sweeper = Sweeper(context, self.rooms, self.failures)
        self.news = NewsReader(context, self.rooms, self.lobby, self.presence, self.renamed)
        self.passwords = TablePasswords(share_of)
        self.check: Callable[[Actor, cmd.Command], None] = lambda actor, command: None  # limits of commands
        self.turns = Turns()  # of newcomers; those of the loop once it is open
        bus.listen(self.news.read)

    # -- life --------------------------------------------------------------------------------------

    async def open(self, *, background: bool = True) -> None:
        """Ready to serve; `background` False leaves sweeping to the caller (a test that turns the clock)."""
        self.turns = turns_of(asyncio.get_running_loop())
        await self.bus.open()
        await self.schedule.begin()
        if background:
            in_step = partial(keep_in_step, self.context, self.rooms, self.resend_state)
            for seconds, work in (
                (RESTART_SECONDS, self.sweeper.loop.run),
                (RESTART_SECONDS, in_step),
                (POLL / 1000, self.sweeper.find_missed),
                (HEARTBEAT_SECONDS, self.schedule.heartbeat),
            ):
                self.tasks.spawn(run_every(seconds, work, self.tasks.closing))

    async def close(self) -> None:
        """All that was begun is finished; a query that is cut off may leave its connection behind."""
        self.tasks.begin_closing()
        self.sweeper.loop.stop()
        loop = asyncio.get_running_loop()
        until = loop.time() + _CLOSE_SECONDS
        while (under_way := self.tasks.running | self.rooms.loading) and loop.time() < until:
            # What is under way may begin more, but not for long: nothing is claimed and nobody comes in.
            await asyncio.wait(under_way, timeout=until - loop.time())
        await self.tasks.cancel()
        self.presence.tell()
        self.passwords.close()
        await self.bus.close()

    async def disconnect_all(self) -> None:
        """Graceful stop, first half: everybody is told to resume elsewhere; their seats are kept."""
        for room in list(self.rooms):
            for subscriber in room.subscribers:
                subscriber.listener.end(4000, "resume")
        for lobby_subscriber in list(self.lobby.subscribers):
            lobby_subscriber.listener.end(4000, "resume")

    # -- commands ----------------------------------------------------------------------------------

    async def create(
        self,
        actor: Actor,
        options: dict[str, Any],
        terms: Terms,
        bots: list[str],
        most: int | None = None,
        game: str | None = None,
        *,
        is_from_screen: bool = False,
    ) -> GameRow:
        """A new table. `most` is how many unfinished ones this person may have created.

        `game` is its id, if that is known before: of a request that may come twice.
        """
        if not actor.ids:
            raise Refusal("no_session")
        row, entry = new_table(
            actor.id,
            options,
            terms,
            bots,
            self.clock.now(),
            self.new_tables,
            game,
            is_from_screen=is_from_screen,
        )
        try:
            self.names.take({actor.id: actor.name})
            limit = None if most is None else (actor.ids, most)
            due = row.created_at + EMPTY
            is_made = await self.store.create(row, entry, limit, due=due)
        except GameExists:
            return await self.made_before(row.id) or row
        except StoreUnavailable:
            raise Unconfirmed from None
        if not is_made:
            raise Refusal("too_many_rooms")
        self.announce(row, entry, due)
        return row

    async def made_before(self, game: str | None) -> GameRow | None:
        """The table with this id, if there is one."""
        try:
            return None if game is None else await self.store.game(game)
        except StoreUnavailable:
            raise Unconfirmed from None

    def announce(self, row: GameRow, entry: Entry, due: int | None) -> None:
        """Prepare for a table that was just stored: its people will enter it, and lobbies list it.

        `due` is the time of the due row stored with it; None when there is no such row.
        """
        self.rooms.made(row, entry, due)
        self.metrics.acted("created", "person")
        if self.bus.is_alone and not self.lobby.subscribers:
            self.lobby.changes += 1
            return
        table = Table.of(row, self.names)
        fold(table, entry)
        self._tell_lobby(table, 0)

    def submit(self, room: Room, actor: Actor, command: cmd.Command, received: int) -> asyncio.Future[Ack]:
        """What becomes of any command: its ack, or the Refusal."""
        if not actor.ids:
            return _refused(Refusal("no_session"))
        if type(command) is cmd.Act:
            return room.submit(actor, command, received)
        try:
            self.check(actor, command)
        except Refusal as refusal:
            return _refused(refusal)
        match command:
            case cmd.Chat():
                return self._start(self._chat(room, actor, command, received))
            case cmd.Mute():
                return self._start(self._mute(room, actor, command))
            case cmd.Pace():
                return self._start(self._pace(room, actor, command, received))
            case cmd.Rematch():
                return self._start(
                    rematch(room, actor, command, received, self.new_tables, self.secret, self.announce)
                )
            case cmd.Hint():
                return self._start(hint(room, actor, command, received))
            case cmd.NewPassword():
                return self._start(new_password(room, actor, command, received, self.passwords))
            case cmd.Sit() if self.blocks is not None:
                return self._start(self._sit(room, actor, command, received))
            case _:
                return room.submit(actor, command, received)

    def _start(self, work: Coroutine[Any, Any, Ack]) -> asyncio.Future[Ack]:
        return self.tasks.start(_answered(work))

    async def _chat(self, room: Room, actor: Actor, command: cmd.Chat, received: int) -> Ack:
        line = await chat.write_line(room, actor, command, received)
        room.mark_active(actor, received)
        return Ack(line.n, False)

    async def _mute(self, room: Room, actor: Actor, command: cmd.Mute) -> Ack:
        await chat.mute(room, actor, command)
        return Ack(room.table.seq, False)

    async def _pace(self, room: Room, actor: Actor, command: cmd.Pace, received: int) -> Ack:
        room.presence.paces.say(room.table, actor.ids, command.pace, received)
        room.mark_active(actor, received)
        self.presence.changed(room, here=True)
        await room.reschedule()
        return Ack(room.table.seq, False)

    async def _sit(self, room: Room, actor: Actor, command: cmd.Sit, received: int) -> Ack:
        others = _others(room.table, actor)
        if self.blocks is not None and others and await self.blocks(actor, others):
            raise Refusal("blocked")
        return await room.submit(actor, command, received)

    async def is_blocked_either_way(self, room: Room, actor: Actor) -> bool:
        """Whether this person and somebody at the table do not want to meet, whoever of them said so."""
        others = _others(room.table, actor)
        if self.blocks is None or not others or not actor.ids:
            return False
        return await self.blocks(actor, others) or await self.blocks(Actor(tuple(others), ""), actor.ids)

    async def close_room(self, game: str, why: str) -> bool:
        """The operator closes a room: one that never began is closed, one that runs is aborted."""
        room = await self.rooms.get(game)
        if room is None:
            return False
        for _ in range(8):
            table = room.table
            if table.is_over:  # no entry will tell the other workers
                room.end_all()
                self.context.publish("closed", game, None)
                break
            if await room.add(Proposal("closed", NOBODY, {"why": why}), self.clock.now(), table):
                break
        return True

    # -- names -------------------------------------------------------------------------------------

    def rename(self, people: Mapping[str, str | None]) -> None:
        """These people are called otherwise now, or (None) are deleted: rooms and lobbies in every worker show it."""
        self.renamed(people)
        for person, name in people.items():
            self.context.publish("renamed", person, name)

    def renamed(self, people: Mapping[str, str | None]) -> None:
        """The same in this worker alone."""
        changed = self.names.changed(people)
        self.resend_state(changed)
        if changed and self.lobby.subscribers:
            self.tasks.spawn(self.lobby.renamed(changed))

    def resend_state(self, people: Collection[str]) -> None:
        """What loaded rooms show of these people has changed."""
        if not people:
            return
        self.lobby.changes += 1
        for room in self.rooms:
            if not room.table.named().isdisjoint(people):
                room.resend_state()
                if self.lobby.subscribers and not room.table.is_over:
                    watching = room.presence.watching(room.table, self.clock.now())
                    self.lobby.changed(news_of(room.table, watching, with_lists=True))

    # -- what rooms call ---------------------------------------------------------------------------

    def _moved(self, room: Room, before: Table, entry: Entry, is_news: bool) -> None:
        """A room has moved on: count it, tell lobbies what they show, unless whoever wrote the entry does."""
        self.metrics.acted(entry.kind, entry.by)
        table = room.table
        if entry.kind == "action" and not table.is_over:
            if before.to_act != table.to_act:
                self._turned(room, table, entry, is_news)
            return
        self.presence.changed(room)
        is_row = (
            table.is_over
            or entry.kind in _SEEN_BY_STRANGERS
            or (before.round is None) != (table.round is None)
        )
        self.lobby.changes += is_row
        if not is_row:
            if not is_news:
                self.lobby.turned(table, lambda: room.presence.watching(table, entry.at))
            return
        if entry.kind == "closed":
            if table.closed_why not in ("host", "empty"):
                room.end_all()  # by the operator, in every worker that hears of it; else people stay and read why
        elif entry.kind == "started" and not table.terms.spectators:
            for subscriber in room.subscribers:
                if table.seat_of(subscriber.admitted) is None:
                    subscriber.listener.end(4003, "no spectators")
        if not is_news and (self.lobby.subscribers or not self.bus.is_alone):
            self._tell_lobby(table, room.presence.watching(table, entry.at))

    def _turned(self, room: Room, table: Table, entry: Entry, is_news: bool) -> None:
        """By an action: nobody has been idle since, so a countdown begins or ends only where somebody is away."""
        presence = room.presence
        if (room.shown_away or not presence.are_here(table)) and (
            presence.away(table, entry.at) != room.shown_away
        ):
            self.presence.changed(room)
        if not is_news:
            self.lobby.turned(table, lambda: presence.watching(table, entry.at))

    def _tell_lobby(self, table: Table, watching: int) -> None:
        body = news_of(table, watching, with_lists=True)
        self.lobby.changed(body)
        self.context.publish("lobby", "lobby", body)


def _others(table: Table, actor: Actor) -> list[str]:
    return [seat.person for seat in table.seats if seat.person and seat.person not in actor.ids]


def _refused(refusal: Refusal) -> asyncio.Future[Ack]:
    answer: asyncio.Future[Ack] = asyncio.get_running_loop().create_future()
    answer.set_exception(refusal)
    return answer


async def _answered(work: Coroutine[Any, Any, Ack]) -> Ack:
    try:
        return await work
    except StoreUnavailable:
        raise Unconfirmed from None
