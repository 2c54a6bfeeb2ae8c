"""A stage for tests of rooms: a game server on a real store, with a manual clock and recording listeners."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import orjson
from sqlalchemy import insert, select

from app.bus.local import Hub, LocalBus
from app.client.sealing import SealKeeper
from app.play.commands import messages as cmd
from app.play.commands.request import Ack, Decision
from app.play.frames import Frame, GameFrame, LobbyGone, LobbyLists, LobbyRow, encode_frame
from app.play.join import admit, enter, leave
from app.play.log.entries import NO_SEAT, Append
from app.play.log.terms import parse_terms, with_password_hash
from app.play.outcome import Outcome
from app.play.ports import Actor, BotPlayer, EndReason, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.audience_frames import table_block
from app.play.room.room import Room
from app.play.room.submit import add_server_entry
from app.play.room.subscribers import Subscriber
from app.play.server import GameServer
from app.rules import Position
from app.store.database import open_database
from app.store.games.store import SqlGameStore, open_store
from app.store.migrate import upgrade
from app.store.people.players import PeopleStore
from app.store.tables.people import players
from tests.databases import begin
from tests.play.simple_bot import SimpleBot

_ids = itertools.count(1)
_decoder = msgspec.json.Decoder(GameFrame | LobbyLists | LobbyRow | LobbyGone)

START = 1_800_000_000_000


class ManualClock:
    """A clock that only `advance` moves."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> int:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += round(seconds * 1000)


class RecordingMetrics:
    """Metrics that record what was counted."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.codes: list[str] = []
        self.drops = 0
        self.missed_wakeups = 0
        self.queue_failures: list[str] = []

    def count_action(self, kind: str, by: str) -> None:
        self.kinds.append(kind)

    def count_refusal(self, code: str) -> None:
        self.codes.append(code)

    def count_commit(self, seconds: float, entries: int) -> None:
        pass

    def count_dropped_socket(self) -> None:
        self.drops += 1

    def count_missed_wakeup(self) -> None:
        self.missed_wakeups += 1

    def count_queue_failure(self, queue: str) -> None:
        self.queue_failures.append(queue)


def append_with(work: Callable[[Append], Awaitable[bool]]) -> Callable[[Append], Outcome[bool]]:
    """Return an `append` for a store that runs `work` in a task."""

    def append(append: Append) -> Outcome[bool]:
        stored: Outcome[bool] = Outcome()

        async def settle() -> None:
            try:
                stored.settle(await work(append))
            except StoreUnavailable as problem:
                stored.fail(problem)

        _running_tasks.add(task := asyncio.create_task(settle()))
        task.add_done_callback(_running_tasks.discard)
        return stored

    return append


_running_tasks: set[asyncio.Task[None]] = set()


class RecordingListener:
    """A listener that records the frames sent to one socket."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.payloads: list[bytes] = []
        self.end_reason: EndReason | None = None

    def send(self, frame: Frame) -> None:
        """Record a frame, and check that it equals the encoding of its struct."""
        message = _decoder.decode(frame.payload)
        assert (encode_frame(message).payload, message.version) == (frame.payload, frame.seq)
        self.payloads.append(frame.payload)
        self.received.append(orjson.loads(frame.payload))

    def send_batch(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            self.send(frame)

    def end(self, why: EndReason) -> None:
        self.end_reason = why

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.received if message["t"] == kind]

    @property
    def last(self) -> dict[str, Any]:
        """The last message other than presence."""
        return next(message for message in reversed(self.received) if message["t"] != "presence")

    @property
    def presence(self) -> dict[str, Any]:
        """The last presence sent to this socket."""
        return self.of_kind("presence")[-1]


class Guest:
    """A person at a table, with one socket."""

    def __init__(self, stage: Stage, name: str, game_server: GameServer | None = None) -> None:
        self.stage = stage
        self.game_server = game_server or stage.game_server
        self.actor = Actor((f"p_{name}",), name)
        self.listener = RecordingListener()
        self.subscriber = Subscriber(self.actor, self.listener)
        self.game = ""
        self.keeper = SealKeeper()
        stage.guests.append(self)

    def with_account(self) -> Guest:
        """Give this guest an account; before the first `enter`."""
        self.actor = Actor(self.actor.ids, self.actor.name, is_account=True)
        self.subscriber = Subscriber(self.actor, self.listener)
        return self

    async def enter(self, game: str, seq: int | None = None, password: str | None = None) -> Guest:
        self.game = game
        await self.stage.register(self.actor)
        room = await admit(self.game_server, game, self.actor, password)
        await enter(self.game_server, room, self.subscriber, cmd.Hello(v=2, seq=seq))
        return self

    async def leave(self) -> None:
        await leave(self.game_server, await self.room(), self.subscriber)

    async def room(self) -> Room:
        room = await self.game_server.rooms.get(self.game)
        assert room is not None
        return room

    async def send(self, do: str, **fields: Any) -> Ack:
        """Send one command. As real clients do, seal when sitting down, and let all clients open after a start."""
        if do == "sit" and "seal" not in fields:
            table = (await self.room()).table
            fields |= self.keeper.sit_fields({"commitment": table.commitment, "scheme": table.chance_scheme})
        done = await self.send_only(do, **fields)
        if do == "start":
            await self.stage.open_all_seals(self.game)
        return done

    async def open_seal(self) -> None:
        """Send what a client sends by itself after a start: the opening of its seal."""
        table = msgspec.to_builtins(table_block((await self.room()).table))
        wanted = self.keeper.next_command(table, self.seat)
        if wanted is not None:
            await self.send_only(wanted.pop("do"), **wanted)

    async def send_only(self, do: str, **fields: Any) -> Ack:
        """Send one command and nothing else."""
        message = cmd.decode(orjson.dumps({"do": do, "id": new_command_id(), **fields}))
        assert not isinstance(message, cmd.Hello | cmd.Ping | cmd.StillHere | cmd.Why)
        room, now = await self.room(), self.game_server.clock.now()
        return await self.game_server.dispatcher.submit(room, self.actor, message, now)

    async def expect_refusal(self, do: str, **fields: Any) -> str:
        """Return the code with which this command is refused; check that nothing was stored."""
        room = await self.room()
        before = (await self.game_server.store.log.read_heads([self.game]))[self.game], room.table.seq
        try:
            await self.send(do, **fields)
        except Refusal as refusal:
            after = (await self.game_server.store.log.read_heads([self.game]))[self.game], room.table.seq
            assert after == before
            return refusal.code
        raise AssertionError(f"{do} was accepted")

    async def sit(self, **fields: Any) -> Ack:
        return await self.send("sit", **fields)

    async def act(self, action: dict[str, Any], version: int | None = None, **fields: Any) -> Ack:
        room = await self.room()
        return await self.send(
            "act", version=room.table.seq if version is None else version, action=action, **fields
        )

    async def hand_seat_to_bot(self) -> None:
        """Let a bot take over this guest's seat."""
        room, seat = await self.room(), self.seat
        body = {"about": seat, "level": "sailor", "why": "absent"}
        assert await add_server_entry(
            room, Decision("takeover", NO_SEAT, body), self.game_server.clock.now(), room.table
        )

    @property
    def seat(self) -> int | None:
        return self.subscriber.seat


def position_of(room: Room) -> Position:
    """Return the position of a game that has started."""
    assert room.table.position is not None
    return room.table.position


def new_command_id() -> str:
    return f"command-{next(_ids):06d}"


def replace_ports(game_server: GameServer, **ports: Any) -> None:
    """Replace the store, clock or bots of an existing server, whose context is frozen otherwise."""
    if "clock" in ports:
        # The sweeper keeps its first clock. If that one fell behind, everything planned with it would be overdue by the
        # other, and the sweeper would run without a pause.
        game_server.context.clock.now = ports["clock"].now  # type: ignore[method-assign]
    for name, port in ports.items():
        object.__setattr__(game_server.context, name, port)
        for part in (game_server, game_server.outage_tracker, game_server.sweep_alarm):
            if hasattr(part, name):
                setattr(part, name, port)
    if "store" in ports:
        game_server.failures.store = ports["store"].failures
    if "clock" in ports:
        game_server.failures.clock = ports["clock"]


class Stage:
    """One worker's game server on a new database; more workers can be added."""

    def __init__(
        self,
        game_server: GameServer,
        clock: ManualClock,
        store: SqlGameStore,
        counts: RecordingMetrics,
        hub: Hub | None,
    ) -> None:
        self.game_server = game_server
        self.clock = clock
        self.store = store
        self.metrics = counts
        self.hub = hub
        self.people = PeopleStore(store.database)
        self.guests: list[Guest] = []

    async def open_all_seals(self, game: str) -> None:
        """Let all clients at this table open their seals."""
        for guest in self.guests:
            if guest.game == game:
                await guest.open_seal()

    def guest(self, name: str, game_server: GameServer | None = None) -> Guest:
        return Guest(self, name, game_server)

    async def open_table(
        self, host: Guest, preset: str = "jamaica", players: int = 2, **terms_json: Any
    ) -> str:
        options = {"preset": preset, "players": players, **terms_json.pop("options", {})}
        bots = terms_json.pop("bots", [])
        is_rated = terms_json.pop("rated", False)
        await self.register(host.actor)
        terms, password = parse_terms(terms_json)
        if password is not None:
            terms = with_password_hash(terms, await self.game_server.passwords.hash(password, host.actor.id))
        row = await self.game_server.create_table(host.actor, options, terms, bots, is_rated=is_rated)
        return row.id

    async def register(self, actor: Actor) -> None:
        """Store this person in the people's tables."""
        async with begin(self.store.database) as run:
            known = {row.id for row in await run.execute(select(players.c.id))}
            for person in actor.ids:
                if person not in known:
                    row = {"id": person, "name": actor.name, "skeleton": person, "made_at": 1, "seen_at": 1}
                    row |= {"is_account": actor.is_account, "is_bot": False}
                    await run.execute(insert(players).values(row))

    async def start_game(self, *names: str, preset: str = "jamaica", **terms_json: Any) -> list[Guest]:
        """Start a game with these players; the first one is the host."""
        bots = terms_json.get("bots", [])
        guests = [self.guest(name) for name in names]
        if terms_json.get("rated"):
            guests = [guest.with_account() for guest in guests]
        first = terms_json.pop("options", {})
        options = {"first": 0, **first}
        game = await self.open_table(guests[0], preset, len(names) + len(bots), options=options, **terms_json)
        for guest in guests:
            await guest.enter(game)
            await guest.sit()
            await guest.send("ready", ready=True)
        await guests[0].send("start")
        return guests

    async def add_worker(self, bot: BotPlayer | None = None) -> GameServer:
        """Open another game server on the same store and bus, like another process."""
        assert self.hub is not None
        game_server = GameServer(
            self.store,
            LocalBus(self.hub),
            self.clock,
            bot or SimpleBot(),
            RecordingMetrics(),
            fetch_names=self.people.read_names,
            presence_delay_seconds=0,
            spectator_batch_seconds=0,
        )
        await game_server.open(background=False)
        return game_server

    async def advance_clock(self, seconds: float) -> None:
        """Advance the clock without an outage: the heartbeat is recorded too."""
        self.clock.advance(seconds)
        await self.store.heartbeats.record(self.clock.now(), 10**15)
        await self.game_server.outage_tracker.record_heartbeat()

    async def advance_and_sweep(self, seconds: float) -> int:
        """Advance the clock and sweep once; return how many rows were due."""
        await self.advance_clock(seconds)
        return await self.game_server.sweeper.sweep()


@asynccontextmanager
async def open_stage(
    url: str, *, hub: Hub | None = None, bot: BotPlayer | None = None, migrate: bool = True
) -> AsyncIterator[Stage]:
    """Open a stage on a database, migrated first unless `migrate` is False."""
    database = open_database(url)
    if migrate:
        await upgrade(database)
    clock, counts = ManualClock(), RecordingMetrics()
    async with open_store(url, counts.count_commit, database) as store:
        names = PeopleStore(database).read_names
        game_server = GameServer(
            store,
            LocalBus(hub),
            clock,
            bot or SimpleBot(),
            counts,
            fetch_names=names,
            presence_delay_seconds=0,
            spectator_batch_seconds=0,
        )
        await game_server.open(background=False)
        yield Stage(game_server, clock, store, counts, hub)
        await game_server.close()
    await database.close()
