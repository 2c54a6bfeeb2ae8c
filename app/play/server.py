"""The server: every room of this worker, the lobby, and what they share: store, bus, clock, bots."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from app.play.commands import messages as cmd
from app.play.commands.draft import Draft
from app.play.create import new_table
from app.play.engines import CURRENT
from app.play.hint import hint
from app.play.lobby import Lobby, news_of
from app.play.log.entries import Entry, GameRow, Outage
from app.play.log.table import Table
from app.play.log.terms import Terms
from app.play.names import Names
from app.play.ports import (
    Actor,
    Blocks,
    BotPlayer,
    Bus,
    Clock,
    GameStore,
    MetricsPort,
    NamesOf,
    News,
    StoreUnavailable,
)
from app.play.refusals import Refusal, Unconfirmed
from app.play.rematch import rematch
from app.play.room import chat as chatting
from app.play.room.ack import Ack
from app.play.room.presence_broadcast import SOON, PresenceTelling
from app.play.room.room import Room
from app.play.room.rooms import Rooms
from app.play.schedule.due import due_at
from app.play.schedule.sweeper import Sweeper
from app.play.sync.news import hear
from app.play.sync.resync import CatchingUp

__all__ = ["GameServer"]

_log = logging.getLogger("cartagena.server")
_CLOSE_SECONDS = (
    5.0  # how long work under way may go on when the server closes; the longest is a bot's thought
)

_AGAIN = 1000  # milliseconds between a fault of background work and its next try


class GameServer:
    """One worker's rooms. Made with its ports, opened and closed by the app's lifespan."""

    def __init__(
        self,
        store: GameStore,
        bus: Bus,
        clock: Clock,
        bot: BotPlayer,
        metrics: MetricsPort,
        *,
        blocks: Blocks | None = None,
        names: NamesOf | None = None,
        bot_budget: float = 1.0,
        bot_interval: float = 0.0,
        idle_seconds: float = 60.0,
        presence_delay: float = SOON,
        new_tables: int = CURRENT,
    ) -> None:
        self.store = store
        self.bus = bus
        self.clock = clock
        self.bot = bot
        self.metrics = metrics
        self.blocks = blocks
        self.names = Names(names, clock)
        self.bot_budget = bot_budget
        self.bot_interval = bot_interval
        self.new_tables = new_tables  # their version (engines.py)
        self.worker = secrets.token_hex(4)
        self.outages: list[Outage] = []
        self.rooms = Rooms(self, idle_seconds)
        self.lobby = Lobby(self)
        self.sweeper = Sweeper(self)
        self.presence = PresenceTelling(self, presence_delay)
        self.catching_up = CatchingUp(self)
        self._tasks: set[asyncio.Task[Any]] = set()
        # Passwords of tables, in a thread of their own: nothing that hangs elsewhere holds up who comes in.
        self._hashing = ThreadPoolExecutor(1, "table-password")
        self._closing = asyncio.Event()
        self.check: Callable[[Actor, cmd.Command], None] = lambda actor, command: None  # limits of commands
        self.counted: Callable[[str, Any], None] = lambda what, body: None  # limits of other workers
        self.signed_out: Callable[[str, Any], None] = lambda key, how: None  # sessions ended in other workers
        bus.listen(self.heard)

    # -- life --------------------------------------------------------------------------------------

    async def open(self, *, background: bool = True) -> None:
        """Ready to serve; `background` False leaves sweeping to the caller (a test that turns the clock)."""
        await self.bus.open()
        await self.sweeper.begin()
        if background:
            for work in (self.sweeper.run, self.sweeper.keep_heartbeat, self.rooms.keep):
                self.spawn(self._keep_on(work))

    async def _keep_on(self, work: Callable[[], Awaitable[None]]) -> None:
        """Background work that ends with the server: a fault costs a round and is logged, it does not end it."""
        while True:
            under_way = asyncio.ensure_future(work())
            try:
                await asyncio.wait([under_way])
            finally:
                under_way.cancel()
            fault = None if under_way.cancelled() else under_way.exception()
            if fault is None:
                return
            _log.error("background work failed and begins again", exc_info=fault)
            if not await self.rest(_AGAIN):
                return

    async def close(self) -> None:
        """All that was begun is finished; a query that is cut off may leave its connection behind."""
        self._closing.set()
        self.sweeper.stop()
        loop = asyncio.get_running_loop()
        until = loop.time() + _CLOSE_SECONDS
        while (under_way := self._tasks | self.rooms.loading) and loop.time() < until:
            # What is under way may begin more, but not for long: nothing is claimed and nobody comes in.
            await asyncio.wait(under_way, timeout=until - loop.time())
        late = list(self._tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        self.presence.tell()
        self._hashing.shutdown(wait=False, cancel_futures=True)
        await self.bus.close()

    async def rest(self, milliseconds: float) -> bool:
        """What background work does between two rounds; False when the server closes: then there is none."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), milliseconds / 1000)
        return not self._closing.is_set()

    async def hashing(self, work: Callable[..., bool], *given: Any) -> bool:
        """Work on a table's password, one after the other, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._hashing, work, *given)

    async def disconnect_all(self) -> None:
        """Graceful stop, first half: everybody is told to resume elsewhere; their seats are kept."""
        for room in list(self.rooms):
            for subscriber in room.subscribers:
                subscriber.listener.end(4000, "resume")
        for subscriber in list(self.lobby.subscribers):
            subscriber.listener.end(4000, "resume")

    def spawn(self, work: Any) -> None:
        """Background work of this server; a failure is logged, never lost."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("background work failed", exc_info=task.exception())

    # -- commands ----------------------------------------------------------------------------------

    async def create(
        self, actor: Actor, options: dict[str, Any], terms: Terms, bots: list[str], most: int | None = None
    ) -> GameRow:
        """A new table. `most` is how many unfinished ones this person may have created."""
        if not actor.ids:
            raise Refusal("no_session")
        row, entry = new_table(actor.id, options, terms, bots, self.clock.now(), self.new_tables)
        try:
            await self.names.learn((row.creator,))
            is_made = await self.store.create(row, entry, None if most is None else (actor.ids, most))
        except StoreUnavailable:
            raise Unconfirmed from None
        if not is_made:
            raise Refusal("too_many_rooms")
        self.announce(row, entry)
        return row

    def announce(self, row: GameRow, entry: Entry) -> None:
        """A table has been made: lobbies show it."""
        table = Table.of(row, self.names)
        table.fold(entry)
        self.metrics.acted("created", "person")
        self._tell_lobby(table, 0, with_lists=True)

    async def submit(self, room: Room, actor: Actor, command: cmd.Command, received: int) -> Ack:
        """Any command; raises Refusal."""
        if not actor.ids:
            raise Refusal("no_session")
        self.check(actor, command)
        try:
            return await self._submit(room, actor, command, received)
        except StoreUnavailable:
            raise Unconfirmed from None

    async def _submit(self, room: Room, actor: Actor, command: cmd.Command, received: int) -> Ack:
        match command:
            case cmd.Chat():
                line = await chatting.write_line(room, actor, command, received)
                room.mark_active(actor, received)
                return Ack(line.n, False)
            case cmd.Mute():
                await chatting.mute(room, actor, command)
                return Ack(room.table.seq, False)
            case cmd.Sit() if self.blocks is not None and await self._is_blocked(room, actor):
                raise Refusal("blocked")
            case cmd.Rematch():
                return await rematch(room, actor, command, received)
            case cmd.Hint():
                return await hint(room, actor, command, received)
            case _:
                return await room.submit(actor, command, received)

    async def _is_blocked(self, room: Room, actor: Actor) -> bool:
        others = _others(room.table, actor)
        return self.blocks is not None and bool(others) and await self.blocks(actor, others)

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
                self.publish(News("closed", game, self.worker, None))
                break
            if await room.add(Draft("closed", -1, {"why": why}, "server"), self.clock.now(), table):
                break
        return True

    def rename(self, people: Mapping[str, str | None]) -> None:
        """These people are called otherwise now, or (None) are deleted: rooms and lobbies in every worker show it."""
        self.renamed(people)
        for person, name in people.items():
            self.publish(News("renamed", person, self.worker, name))

    def renamed(self, people: Mapping[str, str | None]) -> None:
        """The same in this worker alone."""
        changed = self.names.changed(people)
        self.resend_state(changed)
        if changed and self.lobby.subscribers:
            self.spawn(self.lobby.renamed(changed))

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

    def publish(self, news: News) -> None:
        if not self.bus.is_alone:
            self.bus.publish(news)

    def nudge(self, at: int) -> None:
        self.sweeper.nudge(at)

    def moved(self, room: Room, before: Table, entry: Entry) -> None:
        """A room has moved on: count it, tell lobbies what they show."""
        self.metrics.acted(entry.kind, entry.by)
        self.presence.moved(room, before, entry)
        table = room.table
        is_row = entry.kind != "action" or table.is_over
        self.lobby.changes += is_row
        if not is_row:
            if before.to_act == table.to_act or (self.bus.is_alone and not self.lobby.has_any(table)):
                return
        elif entry.kind == "closed":
            room.end_all()  # in every worker that hears of it, whoever closed it
        elif entry.kind == "started" and not table.terms.spectators:
            for subscriber in room.subscribers:
                if subscriber.seat is None:
                    subscriber.listener.end(4003, "no spectators")
        if self.lobby.subscribers or not self.bus.is_alone:
            watching = room.presence.watching(table, entry.at)
            self._tell_lobby(table, watching, with_lists=is_row)

    def _tell_lobby(self, table: Table, watching: int, *, with_lists: bool) -> None:
        body = news_of(table, watching, with_lists=with_lists)
        self.lobby.changed(body)
        self.publish(News("lobby", "lobby", self.worker, body))

    def heard(self, news: News) -> None:
        """Another worker's news."""
        hear(self, news)

    async def reschedule(self, room: Room) -> None:
        """Somebody came or went: what is due may be due earlier now."""
        sweeps = room.wakeup.sweeps
        due = due_at(room.table, room.presence, self.clock.now())
        if due is not None and not room.wakeup.is_set_for(due):
            try:
                await self.store.wake(room.id, due)
            except StoreUnavailable:
                room.wakeup.note(None, sweeps)  # written down with the next entry
                return
            room.wakeup.note(due, sweeps)
            self.nudge(due)


def _others(table: Table, actor: Actor) -> list[str]:
    return [seat.person for seat in table.seats if seat.person and seat.person not in actor.ids]
