"""A stage for tests of rooms: a real store, a clock turned by hand, listeners that remember."""

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
from app.client.sealing import Keeper
from app.play.commands import messages as cmd
from app.play.commands.proposal import Ack, Proposal
from app.play.frames import Frame, GameFrame, LobbyGone, LobbyLists, LobbyRow, frame_of
from app.play.join import admit, enter, leave
from app.play.log.entries import NOBODY, Append
from app.play.log.terms import locked_with, parse_terms
from app.play.ports import Actor, BotPlayer, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.broadcast import table_block
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from app.play.server import GameServer
from app.play.stored import Stored
from app.rules import Position
from app.store.engine import make_engine
from app.store.games.store import SqlGameStore, open_store
from app.store.migrate import upgrade
from app.store.people.players import PeopleStore
from app.store.people.tables import players
from tests.play.simple_bot import SimpleBot

_ids = itertools.count(1)
_decoder = msgspec.json.Decoder(GameFrame | LobbyLists | LobbyRow | LobbyGone)

START = 1_800_000_000_000


class HandClock:
    """Time that moves only when told to."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> int:
        return self.time

    def pass_seconds(self, seconds: float) -> None:
        self.time += round(seconds * 1000)


class Counts:
    """A watcher that remembers."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.codes: list[str] = []
        self.drops = 0
        self.missed_wakeups = 0
        self.queue_failures: list[str] = []

    def acted(self, kind: str, by: str) -> None:
        self.kinds.append(kind)

    def refused(self, code: str) -> None:
        self.codes.append(code)

    def committed(self, seconds: float, entries: int) -> None:
        pass

    def dropped(self) -> None:
        self.drops += 1

    def missed_wakeup(self) -> None:
        self.missed_wakeups += 1

    def queue_failed(self, queue: str) -> None:
        self.queue_failures.append(queue)


def stored_by(work: Callable[[Append], Awaitable[bool]]) -> Callable[[Append], Stored]:
    """A store's `append` that does this, in a task of its own."""

    def append(append: Append) -> Stored:
        stored = Stored(append)

        async def settle() -> None:
            try:
                stored.settle(await work(append))
            except StoreUnavailable as problem:
                stored.settle(problem)

        _at_work.add(task := asyncio.create_task(settle()))
        task.add_done_callback(_at_work.discard)
        return stored

    return append


_at_work: set[asyncio.Task[None]] = set()


class Ear:
    """A listener: what one device of one person has been told."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self.ended: int | None = None

    def tell(self, frame: Frame) -> None:
        """What is sent is what the structs say, to the byte: in every test of rooms."""
        message = _decoder.decode(frame.payload)
        assert (frame_of(message).payload, message.version) == (frame.payload, frame.seq)
        self.raw.append(frame.payload)
        self.heard.append(orjson.loads(frame.payload))

    def tell_several(self, frames: Sequence[Frame]) -> None:
        for frame in frames:
            self.tell(frame)

    def end(self, code: int, reason: str) -> None:
        self.ended = code

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.heard if message["t"] == kind]

    @property
    def last(self) -> dict[str, Any]:
        """The last message, presence apart: that follows whatever changes it."""
        return next(message for message in reversed(self.heard) if message["t"] != "presence")

    @property
    def presence(self) -> dict[str, Any]:
        """Who is here, as far as this device was told."""
        return self.of("presence")[-1]


class Guest:
    """A person at a table, on one device."""

    def __init__(self, stage: Stage, name: str, game_server: GameServer | None = None) -> None:
        self.stage = stage
        self.game_server = game_server or stage.game_server
        self.actor = Actor((f"p_{name}",), name)
        self.ear = Ear()
        self.subscriber = Subscriber(self.actor, self.ear)
        self.game = ""
        self.keeper = Keeper()
        stage.guests.append(self)

    async def come(self, game: str, seq: int | None = None, password: str | None = None) -> Guest:
        self.game = game
        await self.stage.enrol(self.actor)
        room = await admit(self.game_server, game, self.actor, password)
        await enter(self.game_server, room, self.subscriber, cmd.Hello(v=2, seq=seq))
        return self

    async def go(self) -> None:
        await leave(self.game_server, await self.room(), self.subscriber)

    async def room(self) -> Room:
        room = await self.game_server.rooms.get(self.game)
        assert room is not None
        return room

    async def send(self, do: str, **fields: Any) -> Ack:
        """One command. Whoever sits down seals; a start is opened by everybody, as clients do by themselves."""
        if do == "sit" and not {"nonce", "seal"} & fields.keys():
            table = (await self.room()).table
            fields |= self.keeper.sit({"commitment": table.commitment, "scheme": table.scheme})
        done = await self.plainly(do, **fields)
        if do == "start":
            await self.stage.open_all(self.game)
        return done

    async def open(self) -> None:
        """What a client does by itself when a start was frozen."""
        table = msgspec.to_builtins(table_block((await self.room()).table))
        wanted = self.keeper.answer(table, self.seat)
        if wanted is not None:
            await self.plainly(wanted.pop("do"), **wanted)

    async def plainly(self, do: str, **fields: Any) -> Ack:
        """One command and nothing beside it."""
        message = cmd.decode(orjson.dumps({"do": do, "id": new_id(), **fields}))
        assert not isinstance(message, cmd.Hello | cmd.Ping | cmd.Here)
        room, now = await self.room(), self.game_server.clock.now()
        return await self.game_server.submit(room, self.actor, message, now)

    async def refused(self, do: str, **fields: Any) -> str:
        """The code this command is refused with; the head stays where it is."""
        room = await self.room()
        before = (await self.game_server.store.heads([self.game]))[self.game], room.table.seq
        try:
            await self.send(do, **fields)
        except Refusal as refusal:
            after = (await self.game_server.store.heads([self.game]))[self.game], room.table.seq
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

    async def taken_over(self) -> None:
        """A bot plays this guest's seat from now on."""
        room, seat = await self.room(), self.seat
        body = {"about": seat, "level": "sailor", "why": "absent"}
        assert await room.add(Proposal("takeover", NOBODY, body), self.game_server.clock.now(), room.table)

    @property
    def seat(self) -> int | None:
        return self.subscriber.seat


def laid(room: Room) -> Position:
    """The position of a game that has begun."""
    assert room.table.position is not None
    return room.table.position


def new_id() -> str:
    return f"command-{next(_ids):06d}"


def exchange(game_server: GameServer, **ports: Any) -> None:
    """Another store, clock or player of bots for a server that is made already; its context is frozen otherwise."""
    if "clock" in ports:
        # The sweeper goes on with the clock it began with. If that one stayed behind, whatever it plans would be
        # overdue by the other, and it would look for due work without a pause.
        game_server.context.clock.now = ports["clock"].now  # type: ignore[method-assign]
    for name, port in ports.items():
        object.__setattr__(game_server.context, name, port)
        for part in (game_server, game_server.schedule, game_server.failures):
            if hasattr(part, name):
                setattr(part, name, port)


class Stage:
    """One worker's game_server on a fresh database; more workers can be put beside it."""

    def __init__(
        self, game_server: GameServer, clock: HandClock, store: SqlGameStore, counts: Counts, hub: Hub | None
    ) -> None:
        self.game_server = game_server
        self.clock = clock
        self.store = store
        self.counts = counts
        self.hub = hub
        self.people = PeopleStore(store.engine)
        self.guests: list[Guest] = []

    async def open_all(self, game: str) -> None:
        """Everybody's client at this table opens."""
        for guest in self.guests:
            if guest.game == game:
                await guest.open()

    def guest(self, name: str, game_server: GameServer | None = None) -> Guest:
        return Guest(self, name, game_server)

    async def open_table(self, host: Guest, preset: str = "jamaica", players: int = 2, **wishes: Any) -> str:
        options = {"preset": preset, "players": players, **wishes.pop("options", {})}
        bots = wishes.pop("bots", [])
        await self.enrol(host.actor)
        terms, password = parse_terms(wishes)
        if password is not None:
            terms = locked_with(terms, await self.game_server.passwords.hash(password, host.actor.id))
        return (await self.game_server.create(host.actor, options, terms, bots)).id

    async def enrol(self, actor: Actor) -> None:
        """The people's tables know this person."""
        async with self.store.writing() as run:
            known = {row.id for row in await run.execute(select(players.c.id))}
            for person in actor.ids:
                if person not in known:
                    row = {"id": person, "name": actor.name, "skeleton": person, "made_at": 1, "seen_at": 1}
                    await run.execute(insert(players).values(**row, is_account=False, is_bot=False))

    async def game(self, *names: str, preset: str = "jamaica", **wishes: Any) -> list[Guest]:
        """A running game of these people; the first seat's person is host."""
        bots = wishes.get("bots", [])
        guests = [self.guest(name) for name in names]
        first = wishes.pop("options", {})
        options = {"first": 0, **first}
        game = await self.open_table(guests[0], preset, len(names) + len(bots), options=options, **wishes)
        for guest in guests:
            await guest.come(game)
            await guest.sit()
            await guest.send("ready", ready=True)
        await guests[0].send("start")
        return guests

    async def another_worker(self, bot: BotPlayer | None = None) -> GameServer:
        """A second game_server on the same store and bus, as another process would be."""
        assert self.hub is not None
        game_server = GameServer(
            self.store,
            LocalBus(self.hub),
            self.clock,
            bot or SimpleBot(),
            Counts(),
            names=self.people.names,
            presence_delay=0,
            watch_delay=0,
        )
        await game_server.open(background=False)
        return game_server

    async def live(self, seconds: float) -> None:
        """Time goes by in which the server was there all along: its heart beat."""
        self.clock.pass_seconds(seconds)
        await self.store.heartbeat(self.clock.now(), 10**15)
        await self.game_server.schedule.heartbeat()

    async def pass_time(self, seconds: float) -> int:
        """Time goes by, then the sweeper sweeps once; how many rows were due."""
        await self.live(seconds)
        return await self.game_server.sweeper.sweep()


@asynccontextmanager
async def open_stage(
    url: str, *, hub: Hub | None = None, bot: BotPlayer | None = None, migrate: bool = True
) -> AsyncIterator[Stage]:
    """A migrated database and a server on it."""
    engine = make_engine(url)
    if migrate:
        await upgrade(engine)
    clock, counts = HandClock(), Counts()
    async with open_store(url, counts.committed, engine) as store:
        names = PeopleStore(engine).names
        game_server = GameServer(
            store,
            LocalBus(hub),
            clock,
            bot or SimpleBot(),
            counts,
            names=names,
            presence_delay=0,
            watch_delay=0,
        )
        await game_server.open(background=False)
        yield Stage(game_server, clock, store, counts, hub)
        await game_server.close()
    await engine.dispose()
